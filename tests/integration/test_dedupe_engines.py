"""Every engine writes the rows of the local one, byte for byte, at any number of partitions and in any order of input."""

import json
import random

import pytest

pytest.importorskip("pyarrow", reason="distributed engines exchange Arrow tables")

from bench.corpus_generator import corpus

from reparto.corpus.engines.local import Local
from reparto.corpus.job import Job
from reparto.corpus.settings import Settings
from reparto.errors import CorpusError

HURTFUL = [
    *({"id": f"same{i}", "text": "One text, many times over, in every outlet of the land.", "source": f"s{i}"} for i in range(60)),
    *({"id": f"form{i}", "text": f"Your premium of {400 + i} euros is due on the day stated above, at any of our branches."} for i in range(60)),
    *({"id": f"empty{i}", "text": ""} for i in range(3)),
    {"id": "long", "text": "word " * 50_000},
    {"id": "twice", "text": "An old text.", "published": "2020"},
    {"id": "twice", "text": "A newer text.", "published": "2021"},
]  # fmt: skip


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    documents = [one for one, _ in corpus(700, seed=21)] + HURTFUL
    footer = "\n".join(
        f"This site gathers all that our newsroom has on {word}, and its archive." for word in ("trade", "music", "law")
    )
    documents += [
        {"id": f"page{i}", "source": "site", "text": f"Story {chr(97 + i)} of the day.\n{footer}"} for i in range(8)
    ]
    plain, shuffled = folder / "texts.jsonl", folder / "shuffled"
    plain.write_text("".join(json.dumps(one) + "\n" for one in documents), "utf-8")
    random.Random(3).shuffle(documents)
    shuffled.mkdir()
    for part in range(3):
        lines = "".join(json.dumps(one) + "\n" for one in documents[part::3])
        (shuffled / f"{part}.jsonl").write_text(lines + "no json\n", "utf-8")
    Local().run(Job((str(plain),), folder / "local.jsonl", folder / "local.work"))
    return plain, shuffled, (folder / "local.jsonl").read_bytes()


def rows_of(engine, texts, tmp_path, partitions, **options):
    out = tmp_path / "groups.jsonl"
    job = Job(
        (str(texts),), out, tmp_path / "work", Settings(), engine=engine.name, partitions=partitions, options=options
    )
    account = engine.run(job)
    assert not (tmp_path / "work").exists()
    return out.read_bytes(), account


@pytest.fixture
def daft():
    pytest.importorskip("daft", reason="the engine `daft` is not installed")
    from reparto.corpus.engines.daft import DaftEngine

    return DaftEngine()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("partitions", [1, 7])
def test_daft(texts, tmp_path, daft, partitions):
    plain, shuffled, expected = texts
    found, account = rows_of(daft, plain, tmp_path, partitions)
    assert found == expected
    assert account.documents == account.groups + account.copies
    found, account = rows_of(daft, shuffled, tmp_path, partitions)
    assert found == expected
    assert len(account.skipped) == 3


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_run_that_stopped_half_way_goes_on_from_its_checkpoints(texts, tmp_path, daft, monkeypatch):
    from reparto.corpus.engines import plan

    plain, _, expected = texts
    monkeypatch.setattr(plan, "leaders", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        rows_of(daft, plain, tmp_path, 3)
    monkeypatch.undo()
    found, account = rows_of(daft, plain, tmp_path, 3)
    assert found == expected
    assert account.resumed >= 3


def test_what_an_engine_cannot_do_is_said(tmp_path, daft):
    with pytest.raises(CorpusError, match="standard_input"):
        daft.run(Job(("-",), tmp_path / "g.jsonl", tmp_path / "w", engine="daft"))
    (tmp_path / "mine.txt").write_text("not to be lost", "utf-8")
    with pytest.raises(CorpusError, match="not_scratch"):
        daft.run(Job((str(tmp_path),), tmp_path / "g.jsonl", tmp_path, engine="daft"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("partitions", [2])
def test_spark(texts, tmp_path, partitions):
    pytest.importorskip("pyspark", reason="the engine `spark` is not installed")
    pytest.importorskip("pandas", reason="Spark's workers need pandas")
    from reparto.corpus.engines.spark import SparkEngine

    plain, shuffled, expected = texts
    assert rows_of(SparkEngine(), plain, tmp_path, partitions)[0] == expected
    assert rows_of(SparkEngine(), shuffled, tmp_path, partitions)[0] == expected


@pytest.mark.slow
def test_daft_on_ray(texts, tmp_path):
    """In a process of its own: an engine's runner is chosen once a process."""
    pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("daft", reason="the engine `daft` is not installed")
    import os
    import subprocess
    import sys

    plain, _, expected = texts
    out = tmp_path / "groups.jsonl"
    script = "from reparto.cli import main; main()"
    arguments = ["dedupe", plain, "--out", out, "--engine", "daft", "--option", "runner=ray", "--partitions", 2]
    environment = {**os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], check=True, env=environment, capture_output=True
    )
    assert out.read_bytes() == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_batch_selection_answers_as_one_by_one(tmp_path, daft, kind):
    import pyarrow as pa
    import pyarrow.parquet

    from reparto import select
    from reparto.contract import Contract
    from reparto.corpus.engines.selecting import select_on

    requests = [
        {"query": f"q{q}", "k": 3, "candidates": [
            {"id": f"{q}.{i}", "text": f"Passage {i % 5} about the topic {q % 3}, told in other words {i}.", "score": 1 - i / 20}
            for i in range(10)
        ]} for q in range(40)
    ]  # fmt: skip
    table = tmp_path / f"requests.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pa.Table.from_pylist(requests), table, row_group_size=7)
    else:
        table.write_text("".join(json.dumps(one) + "\n" for one in requests) + "no request\n", "utf-8")
    answers = list(select_on("daft", str(table), Contract()))
    expected = [select(one).to_dict() for one in requests]
    assert [json.loads(line) for ok, line in answers if ok] == json.loads(json.dumps(expected))
    assert [json.loads(line)["errors"][0]["code"] for ok, line in answers if not ok] == ["not_json"] * (kind == "jsonl")
