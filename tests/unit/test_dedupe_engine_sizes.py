"""How the rows of a distributed run are spread, and what its account says of buckets."""

import json

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")

from reparto.corpus.engines import loads
from reparto.corpus.engines.blocks import homes, indexed, place, ranked_together, short, tails
from reparto.corpus.engines.proposing import _largest, _shared
from reparto.corpus.job import Account, Job

SAID = b"0123456789abcdef"


def job(tmp_path, path, **more):
    return Job((str(path),), tmp_path / "out.jsonl", tmp_path / "work", **more)


def test_small_inputs_have_few_shards_and_large_ones_more(tmp_path, monkeypatch):
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b"x" * 1000)
    for few, many, shards in ((1000, 9000, 1), (300, 9000, 4), (1, 9000, loads.SHARDS), (1, 10, 100)):
        monkeypatch.setattr(loads, "FEW", few)
        monkeypatch.setattr(loads, "MANY", many)
        found = loads.Loads(job(tmp_path, path))
        assert found.many == shards
        found.done()


def test_a_state_keeps_its_number_of_shards(tmp_path, monkeypatch):
    path = tmp_path / "texts.jsonl"
    path.write_bytes(b"x" * 1000)
    first = loads.Loads(job(tmp_path, path, keep=True))
    first.done()
    path.write_bytes(b"x" * 5000)
    monkeypatch.setattr(loads, "FEW", 1000)
    again = loads.Loads(job(tmp_path, path, keep=True))
    assert (first.many, again.many, again.number) == (1, 1, 1)


def test_of_an_address_nobody_knows_the_size(tmp_path):
    assert loads.Loads(job(tmp_path, "https://example.org/texts.jsonl")).many == loads.SHARDS


def test_places_carry_a_hash_by_which_they_are_shared_out():
    places = [place(False, 1.0, 10, f"id{i}", SAID) for i in range(2000)]
    whole = pa.array(places, pa.binary())
    cut = pa.chunked_array([whole.slice(0, 7), whole.slice(7, 0), whole.slice(7)])
    assert tails(cut).tolist() == tails(whole).tolist() == [int.from_bytes(one[-8:], "little") for one in places]
    assert len(set(short(whole).tolist())) == 2000
    counts = np.bincount(homes(whole, 4), minlength=4)
    assert counts.min() > 400  # equal texts of one source must not fall into one shard
    assert place(False, 1.0, 10, "id0", b"another text....") != places[0]


def test_ranks_are_those_of_the_sorted_places():
    one = pa.array([b"b", b"d", b"b"], pa.binary())
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 1, 0], pa.int32()), pa.array([b"a", b"c"], pa.binary()))
    distinct, (first, second) = ranked_together([pa.chunked_array([one, one.slice(1, 1)]), coded])
    assert distinct.to_pylist() == [b"a", b"b", b"c", b"d"]
    assert (first.tolist(), second.tolist()) == ([1, 3, 1, 3], [2, 2, 0])
    told = pa.chunked_array([coded, one.dictionary_encode()])
    assert indexed(told, pa.array([b"d", b"c", b"b", b"a"])).tolist() == [1, 1, 3, 2, 0, 2]
    assert ranked_together([pa.chunked_array([], pa.binary())])[0].to_pylist() == []


def test_only_keys_of_several_documents_are_kept():
    def lines(keys, names):
        return pa.table({"key": keys, "name": pa.array(names, pa.binary()).dictionary_encode()})

    table = pa.concat_tables([lines([5, 7, 9], [b"a", b"a", b"b"]), lines([7, 5, 5, 1], [b"c", b"d", b"e", b"c"])])
    kept = _shared(table)
    assert kept.column("key").to_pylist() == [5, 7, 7, 5, 5]
    assert kept.column("name").to_pylist() == [b"a", b"a", b"c", b"d", b"e"]
    assert kept.column("name").chunk(0).dictionary.to_pylist() == [b"a"]
    assert _largest(np.array(kept.column("key"))) == 3
    alone = _shared(lines([1, 2], [b"a", b"b"]))
    assert (len(alone), _largest(np.array(alone.column("key"), dtype=np.int64))) == (0, 1)


@pytest.mark.parametrize("bucket", [None, 3])
def test_what_the_local_engine_does_not_count_it_does_not_state(bucket):
    told = json.loads(json.dumps(Account("local", largest_bucket=bucket).to_dict()))
    assert told.get("largest_bucket") == bucket
    assert ("skew" in told) == ("shuffled" in told) == (bucket is not None)
