"""The commands on a store, from the first document to the erased one."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from reparto.cli import group
from reparto.errors import InputError
from reparto.intake import read_request
from reparto.pipeline import select
from reparto.redaction import redact_file

KINDS = ["sqlite", *(["lancedb"] if find_spec("lancedb") else [])]
SLUICE = "The sluice opens at low tide, and the keeper rings a bell of bronze before the water is let into the basin."
DOCUMENTS: list[dict[str, Any]] = [
    {"id": "A", "text": SLUICE, "source": "EFE", "published": "2026-03-01", "language": "en", "year": 2026},
    {"id": "B", "text": SLUICE, "source": "dpa", "published": "2026-03-02", "language": "en", "year": 2026},
    {
        "id": "C",
        "text": "Eels pass the sluice at night, say the fishermen who sell them.",
        "source": "AP",
        "year": 2025,
    },
    {"id": "D", "text": "A recipe for lentil soup.", "source": "food", "published": "2025-01-01"},
]


def call(*arguments: Any, code: int = 0, stdin: str | None = None) -> tuple[str, str]:
    try:
        done = CliRunner().invoke(group, [str(one) for one in arguments], input=stdin, standalone_mode=False)
    finally:
        pass
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert (done.return_value or 0) == code, f"{done.return_value}: {done.stderr}"
    return done.stdout, done.stderr


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def where(tmp_path: Path, kind: str) -> Path:
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS))
    call("index", file, "--store", tmp_path / "store", "--kind", kind, "--embedder", "none")
    return tmp_path / "store"


def seats(*arguments: Any) -> dict[str, Any]:
    selection = json.loads(call("search", *arguments, "--format", "json", "--class", "survey")[0])
    return {seat["id"]: seat for seat in selection["seats"]}


def test_search_counts_and_filters(where: Path) -> None:
    found = seats("sluice", "--store", where)
    assert found.keys() == {"A", "C"}
    assert (found["A"]["copies"]["count"], found["A"]["copies"]["sources"]) == (2, ["EFE", "dpa"])
    assert found["A"]["copies"]["first_published"].startswith("2026-03-01")
    assert seats("sluice", "--store", where, "--where", "source=dpa").keys() == {"B"}
    assert seats("sluice", "--store", where, "--where", "metadata.year=2025").keys() == {"C"}
    assert seats("sluice", "--store", where, "--since", "2026-03-02").keys() == {"B"}
    assert seats("zebra", "--store", where) == {}


@pytest.mark.parametrize("format_", ["json", "jsonl", "table", "markdown", "context"])
def test_search_in_every_format(where: Path, format_: str) -> None:
    assert "sluice" in call("search", "sluice", "--store", where, "--format", format_)[0]


def test_faults_name_what_is_wrong(where: Path, tmp_path: Path) -> None:
    for arguments, words in {
        ("search", "x", "--store", where, "-k", "3", "--pool", "2"): ("pool", "k = 3"),
        ("search", "x", "--store", where, "--where", "sorce=x"): ("did you mean source",),
        ("search", "x", "--store", tmp_path / "none"): ("no store", "reparto index"),
        ("search", "x", "--store", where, "--embedder", "nonsense"): ("nonsense",),
        ("index", tmp_path / "a.jsonl", "--store", where, "--chunk-size", "50"): ("--rebuild",),
        ("index", tmp_path / "a.jsonl", "--store", tmp_path): ("not a store",),
        ("delete", "A", "nobody", "--store", where): ("nobody",),
    }.items():
        with pytest.raises(InputError) as caught:
            call(*arguments)
        for word in words:
            assert word in str(caught.value)
    assert "A" in seats("sluice", "--store", where)


def test_what_is_skipped_is_named_and_counted(tmp_path: Path, kind: str) -> None:
    good, bad = tmp_path / "a.txt", tmp_path / "none.txt"
    good.write_text("text")
    store = ("--store", tmp_path / "s", "--kind", kind, "--embedder", "none")
    out, err = call("index", good, bad, *store)
    assert json.loads(out)["skipped"][0]["code"] == "unreadable"
    assert str(bad) in err
    call("index", good, bad, *store, "--strict", code=1)
    call("index", bad, *store, code=2)


def test_a_dry_run_makes_nothing(tmp_path: Path) -> None:
    out, _ = call(
        "index", "-", "--store", tmp_path / "s", "--dry-run", "--embedder", "none", stdin='{"id":"a","text":"t"}\n'
    )
    assert json.loads(out)["added"] == 1
    assert not (tmp_path / "s").exists()


def test_standard_input(tmp_path: Path, kind: str) -> None:
    lines = '{"id": "a", "text": "one"}\n'
    out, _ = call("index", "-", "--store", tmp_path / "s", "--kind", kind, "--embedder", "none", stdin=lines)
    assert json.loads(out)["held"]["documents"] == 1


def test_delete_hands_the_lead_on(where: Path) -> None:
    call("delete", "A", "--store", where, "--dry-run")
    assert seats("sluice", "--store", where)["A"]["copies"]["count"] == 2
    call("delete", "A", "--store", where)
    assert seats("sluice", "--store", where)["B"]["copies"]["count"] == 1


def bytes_of(where: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(where.rglob("*")) if path.is_file())


def test_erased_is_gone_from_every_file(where: Path, tmp_path: Path) -> None:
    secret = "Quicksilver Zanzibar"
    file = tmp_path / "b.jsonl"
    file.write_text(json.dumps({"id": "S", "text": f"The keeper is {secret}.", "title": secret}) + "\n")
    call("index", file, "--store", where)
    assert "S" in seats("keeper", "--store", where)
    call("delete", "S", "--store", where, "--erase")
    assert not any(word.encode() in bytes_of(where).lower() for word in ("quicksilver", "zanzibar"))
    assert seats("sluice", "--store", where).keys() == {"A", "C"}


def test_export_and_import_move_everything(where: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    file = tmp_path / "out.parquet"
    assert json.loads(call("export", "--store", where, file)[0])["documents"] == 4
    for kind in KINDS:
        other = tmp_path / f"other-{kind}"
        call("import", file, "--store", other, "--kind", kind)
        assert seats("sluice", "--store", other)["A"]["copies"] == seats("sluice", "--store", where)["A"]["copies"]
        again = json.loads(call("import", file, "--store", other)[0])
        assert (again["unchanged"], again["added"]) == (4, 0)


def test_vectors_move_with_their_documents(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    from reparto.corpus.moving import Imported, export
    from reparto.corpus.setup import Wanted, prepared
    from reparto.stores.opening import open_store
    from reparto.testing.embedders import HashedWords

    monkeypatch.setattr("reparto.embedders.make", lambda name, url=None: HashedWords("16"))
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps(one) + "\n" for one in DOCUMENTS))
    call("index", lines, "--store", tmp_path / "one", "--kind", kind, "--embedder", "hashed-words")
    store = open_store(str(tmp_path / "one"))
    before = {row.chunk.id: row.vector.tolist() for row in store.rows(vectors=True) if row.vector is not None}
    export(store, tmp_path / "x.parquet")
    store.close()

    class Idle(HashedWords):
        def passages(self, texts: Any) -> Any:
            raise AssertionError("the vectors are in the file")

    monkeypatch.setattr("reparto.embedders.make", lambda name, url=None: Idle("16"))
    imported = Imported(tmp_path / "x.parquet")
    with prepared(Wanted(str(tmp_path / "two"), kind=kind)) as indexer:
        indexer.index(imported, vectors=imported.vectors(indexer))
        after = {
            row.chunk.id: row.vector.tolist() for row in indexer.store.rows(vectors=True) if row.vector is not None
        }
    assert after == before
    assert before


def test_rebuild_with_other_chunks(where: Path) -> None:
    call("index", "--store", where, "--rebuild", "--chunker", "paragraphs", "--chunk-size", "60", "--embedder", "none")
    found = seats("bronze", "--store", where)
    assert list(found) == ["A#2"]
    assert found["A#2"]["copies"]["documents"] == ["A", "B"]
    assert [path.name for path in where.iterdir() if path.name.startswith("data")] == ["data-0002"]
    out, _ = call("doctor", "--deep", "--store", where, "--format", "json")
    assert json.loads(out)["problems"] == []


def test_stemming_is_an_option_of_a_store(tmp_path: Path) -> None:
    pytest.importorskip("lancedb", reason="needs the extra `store`")
    lines = '{"id": "a", "text": "Las canciones de los pescadores"}\n'
    options = ("--kind", "lancedb", "--embedder", "none")
    call("index", "-", "--store", tmp_path / "s", *options, "--stem", "spanish", stdin=lines)
    call("index", "-", "--store", tmp_path / "plain", *options, stdin=lines)
    assert "a" in seats("canción", "--store", tmp_path / "s")
    assert seats("canción", "--store", tmp_path / "plain") == {}
    with pytest.raises(InputError, match="does not stem"):
        call("index", "-", "--store", tmp_path / "lite", "--kind", "sqlite", "--stem", "spanish", stdin=lines)


def test_ask_without_an_endpoint_gives_the_context(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("REPARTO_MODEL", raising=False)
    out, err = call("ask", "When does the sluice open?", "--store", where, "--class", "survey")
    assert out.startswith("[1] ")
    assert "low tide" in out
    assert "--base-url" in err


def test_redaction_of_a_log(where: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    for query in ("sluice", "lentil", "eels"):
        call("search", query, "--store", where, "--log", log, "--class", "survey")
    assert "bronze" in log.read_text()
    out, _ = call("log", "redact", "A", log, "--dry-run")
    assert json.loads(out)["records"][str(log)] == 1
    assert "bronze" in log.read_text()
    call("log", "redact", "A", log)
    assert "bronze" not in log.read_text()
    records = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(records) == 3
    assert records[0]["redacted"] == ["A"]
    assert [seat["text"] for seat in records[0]["selection"]["seats"] if seat["id"] == "A"] == [None]
    assert "Eels" in log.read_text()
    call("verify", log)
    assert json.loads(call("log", "redact", "A", log)[0])["records"][str(log)] == 1
    assert json.loads(call("log", "redact", "nobody", log)[0])["records"][str(log)] == 0


def test_a_service_may_write_while_its_log_is_redacted(where: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="needs the extra `service`")
    from reparto.service.recorder import Recorder

    log = tmp_path / "log.jsonl"
    recorder = Recorder(log, texts=True)
    request = read_request({"query": "sluice", "candidates": [{"id": "A", "text": "A bronze gate.", "score": 1}]})
    selection = select(request)
    for _ in range(50):
        recorder.write(request, selection)
    stop = threading.Event()

    def serve() -> int:
        written = 0
        while not stop.is_set():
            recorder.write(request, selection)
            written += 1
        return written

    with ThreadPoolExecutor(1) as pool:
        serving = pool.submit(serve)
        for _ in range(12):
            redact_file(log, "A")
        stop.set()
    assert len(log.read_text().splitlines()) == 50 + serving.result()
    redact_file(log, "A")
    assert "bronze" not in log.read_text()


def test_redaction_stops_at_what_is_no_record(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("not json\n")
    with pytest.raises(InputError, match="line 1"):
        call("log", "redact", "A", log)
    assert log.read_text() == "not json\n"
    with pytest.raises(InputError):
        call("log", "redact", "A", tmp_path / "none")
