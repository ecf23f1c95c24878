"""Documents added to a state on an engine: the same rows as a run over everything, and less work."""

import json
import random

import pytest

pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")
pytest.importorskip("daft", reason="the engine `daft` is not installed")

from bench.corpus_generator import corpus

from reparto.corpus.engines.daft import DaftEngine
from reparto.corpus.engines.local import Local
from reparto.corpus.job import Job
from reparto.corpus.settings import Settings
from reparto.errors import CorpusError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
FOOTER = " ".join(f"All that our newsroom has on {word} is in its archive." for word in ("trade", "music", "law"))


def write(documents, path):
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")
    return str(path)


def added(path, folder, **more):
    out = folder / "groups.jsonl"
    account = DaftEngine().run(Job((path,), out, folder / "state", keep=True, partitions=3, **more))
    return account, out.read_bytes()


def whole(documents, folder):
    Local().run(Job((write(documents, folder / "whole.jsonl"),), folder / "whole.groups.jsonl", folder / "work"))
    return (folder / "whole.groups.jsonl").read_bytes()


def test_three_loads_in_any_order_equal_one_run(tmp_path):
    documents = [one for one, _ in corpus(400, seed=8)]
    expected = whole(documents, tmp_path)
    random.Random(2).shuffle(documents)
    loads = documents[:330], documents[330:370], documents[370:]
    accounts = []
    for number, some in enumerate(loads):
        account, found = added(write(some, tmp_path / f"{number}.jsonl"), tmp_path)
        accounts.append(account)
    assert found == expected
    assert [one.added for one in accounts] == [0, 40, 30]
    # Only what came is compared: the verdicts on the others are kept.
    full = DaftEngine().run(Job((str(tmp_path / "whole.jsonl"),), tmp_path / "again.jsonl", tmp_path / "again"))
    assert accounts[2].pairs < full.pairs / 3
    assert accounts[2].verified == full.verified
    again, found = added(str(tmp_path / "2.jsonl"), tmp_path)
    assert found == expected
    assert again.added == 30


def test_a_document_loaded_again_is_replaced_and_its_copies_let_go(tmp_path):
    """And again replaced by what it was first."""
    text = "The harbour of the old town was closed to all ships for the whole of the night after the storm."
    other = "Nothing of this has anything to do with what was written under the same name on the day before."
    first = [{"id": "a", "text": text, "published": "2020"}, {"id": "b", "text": text + " They waited outside."}]
    added(write(first, tmp_path / "0.jsonl"), tmp_path)
    second = [{"id": "a", "text": other, "published": "2019"}]
    _, found = added(write(second, tmp_path / "1.jsonl"), tmp_path)
    assert found == whole([second[0], first[1]], tmp_path)
    _, found = added(write(first[:1], tmp_path / "2.jsonl"), tmp_path)
    assert found == whole(first, tmp_path)


def test_what_becomes_boilerplate_is_compared_again(tmp_path):
    """The footer of a page is evidence until enough pages of its source have it."""
    words = ("sail", "bread", "copper", "violin", "meadow", "lantern", "harvest", "glacier")
    pages = [
        {"id": f"page{i}", "source": "site", "published": f"2020-01-0{i + 1}", "text": f"A {word}. {FOOTER}"}
        for i, word in enumerate(words)
    ]
    _, before = added(write(pages[:3], tmp_path / "0.jsonl"), tmp_path)
    assert before == whole(pages[:3], tmp_path)
    _, found = added(write(pages[3:], tmp_path / "1.jsonl"), tmp_path)
    expected = whole(pages, tmp_path)
    assert found == expected
    leaders = {row["doc_id"]: row["leader_id"] for row in map(json.loads, expected.splitlines())}
    was = {row["doc_id"]: row["leader_id"] for row in map(json.loads, before.splitlines())}
    assert any(leaders[id] != leader for id, leader in was.items()), "the case must show a change"


def test_a_state_stays_with_its_settings(tmp_path):
    path = write([{"id": "a", "text": "One text."}], tmp_path / "0.jsonl")
    added(path, tmp_path)
    with pytest.raises(CorpusError, match="other_settings"):
        added(path, tmp_path, settings=Settings.at(0.7))
    with pytest.raises(CorpusError, match="other_settings"):
        DaftEngine().run(Job((path,), tmp_path / "g.jsonl", tmp_path / "state", keep=True, partitions=5))


def test_a_load_left_half_way_must_be_finished_first(tmp_path, monkeypatch):
    from reparto.corpus.engines import plan

    documents = [one for one, _ in corpus(60, seed=8)]
    first, second = (write(some, tmp_path / f"{i}.jsonl") for i, some in enumerate((documents[:40], documents[40:])))
    added(first, tmp_path)
    monkeypatch.setattr(plan, "leaders", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        added(second, tmp_path)
    with pytest.raises(CorpusError, match="unfinished"):
        added(first, tmp_path)
    monkeypatch.undo()
    account, found = added(second, tmp_path)
    assert found == whole(documents, tmp_path)
    assert account.resumed >= 5
