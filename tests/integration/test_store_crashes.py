"""Kills, corruption, two writers and readers beside one: what a store must survive."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from reparto.corpus.setup import Wanted, prepared
from reparto.errors import RepartoError
from reparto.retrieval.searching import Search
from reparto.stores.check import check_store_directory
from reparto.stores.filters import Filters
from reparto.stores.opening import open_store

KINDS = ["sqlite", *(["lancedb"] if find_spec("lancedb") else [])]
INDEX = "from reparto.cli.index import command; command(standalone_mode=False)"
BODY = "The harbour bridge was closed on the {day} after a crane struck pillar {pillar}, said the {who} in the evening."


def feed(file: Path, number: int, version: int = 1) -> None:
    """Documents of which every third is a copy, some of two chunks; later versions change some of them."""
    with file.open("w", encoding="utf-8") as out:
        for n in range(number):
            story = n - n % 3
            text = BODY.format(day=f"{story}rd", pillar=story * 7, who=f"mayor of district {story}")
            if n % 5 == 0:
                text += "\n\n" + " ".join(f"Word{n}x{i} follows word{n}y{i} and so on it goes." for i in range(60))
            if version > 1 and n % 7 == 0:
                text = f"Version {version} of {n}. " + text
            line = {"id": f"d{n:05}", "text": text, "source": f"s{n % 11}", "published": f"2026-01-{n % 28 + 1:02}"}
            out.write(json.dumps(line) + "\n")


def start(file: Path, store: Path, kind: str) -> subprocess.Popen[bytes]:
    arguments = [str(file), "--store", str(store), "--kind", kind, "--embedder", "none", "--chunker", "paragraphs"]
    return subprocess.Popen([sys.executable, "-c", INDEX, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(file: Path, store: Path, kind: str) -> dict[str, Any]:
    out, err = start(file, store, kind).communicate(timeout=240)
    assert out, err.decode()
    summary: dict[str, Any] = json.loads(out)
    return summary


def state(where: Path) -> dict[str, Any]:
    """Everything that a store says, by id: texts, fields, groups."""
    store = open_store(str(where))
    try:
        rows = {
            row.chunk.id: (row.chunk.text, row.chunk.document, row.membership, dict(row.fields)) for row in store.rows()
        }
        halves = {one.id for one in store.unfinished()}
        places = {"rows": rows, "standings": store.standings(), "counts": store.counts()}
        return {"stamps": store.stamps(), **places, "halves": halves}
    finally:
        store.close()


def kills(tmp_path: Path, kind: str, times: int, number: int, seed: int) -> None:
    rng = random.Random(seed)
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    feed(old, number)
    feed(new, number + number // 4, version=2)
    base = tmp_path / "base"
    run(old, base, kind)
    held = state(base)["stamps"]
    whole = tmp_path / "whole"
    shutil.copytree(base, whole)
    began = time.monotonic()
    run(new, whole, kind)
    seconds = time.monotonic() - began
    wanted = state(whole)
    cut = 0
    for attempt in range(3 * times):
        if cut == times:
            break
        where = tmp_path / f"killed{attempt}"
        shutil.copytree(base, where)
        child = start(new, where, kind)
        began = time.monotonic()
        try:
            child.wait(timeout=rng.uniform(0.2, 1.0) * seconds)
            seconds = min(seconds, time.monotonic() - began)  # it takes less than it took on a busier machine
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
        child.communicate()
        cut += child.returncode == -signal.SIGKILL
        between = state(where)
        lost = held.keys() - between["stamps"].keys() - between["halves"]
        assert not lost, f"seed {seed}, kill {attempt}: a document that was held is gone: {sorted(lost)[:5]}"
        known = {id for id in held if wanted["stamps"].get(id) == held[id]}
        assert known <= between["stamps"].keys(), f"seed {seed}, kill {attempt}: an untouched document is gone"
        run(new, where, kind)
        assert state(where) == wanted, f"seed {seed}, kill {attempt}: a re-run ends elsewhere than an uncut run"
        assert check_store_directory(str(where), deep=True)[1] == [], f"seed {seed}, kill {attempt}"
        shutil.rmtree(where)
    print(f"{kind}: {cut} runs cut of {attempt + 1} begun, seed {seed}")
    assert cut > times // 2, "the kills came too late to prove anything"


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_kill_at_any_moment(tmp_path: Path, kind: str) -> None:
    kills(tmp_path, kind, 2, 700, seed=random.SystemRandom().randrange(10**6))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_kills_in_full(tmp_path: Path, kind: str) -> None:
    kills(tmp_path, kind, 20, 4000, seed=random.SystemRandom().randrange(10**6))


WRITER = """
import sys
from reparto.documents import Document
from reparto.corpus.setup import Wanted, prepared
where, who, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
for n in range(rounds):
    with prepared(Wanted(where, embedder="none")) as indexer:
        indexer.index([Document(f"key{i}", f"text {i} as {who} wrote it in round {n}") for i in range(20)])
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_writers_take_turns_and_readers_do_not_wait(tmp_path: Path, kind: str) -> None:
    where = tmp_path / "store"
    file = tmp_path / "first.jsonl"
    feed(file, 9)
    run(file, where, kind)
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(where), f"w{n}", "4"]) for n in range(3)]
    reads = 0
    while any(writer.poll() is None for writer in writers):
        store = open_store(str(where))
        ids = [row.chunk.id for row in store.rows()]
        assert len(ids) == len(set(ids)), "no chunk is held twice at any moment"
        assert len({hit.id for hit in store.lexical("harbour bridge", 50, Filters())}) >= 3
        store.close()
        reads += 1
        time.sleep(0.1)
    for writer in writers:
        assert writer.wait() == 0
    assert reads
    final = state(where)
    assert len(final["stamps"]) == 29
    assert len(final["rows"]) == len({row[1] for row in final["rows"].values()}) + sum(
        "#2" in id for id in final["rows"]
    )
    rounds = {final["rows"][f"key{i}"][0].split("as ")[1] for i in range(20)}
    assert len(rounds) == 1, "one writer's round stands whole"
    assert check_store_directory(str(where), deep=True)[1] == []


def mutate(rng: random.Random, folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock" and path.stat().st_size)
    path = rng.choice(files)
    raw = bytearray(path.read_bytes())
    how = rng.choice(["flip", "truncate", "zero", "delete"])
    at = rng.randrange(len(raw))
    if how == "flip":
        raw[at] ^= 1 << rng.randrange(8)
    elif how == "truncate":
        del raw[at:]
    elif how == "zero":
        raw[at : at + 512] = bytes(len(raw[at : at + 512]))
    path.unlink()
    if how != "delete":
        path.write_bytes(bytes(raw))
    return f"{how} {path.relative_to(folder)} at {at}"


def corruption(tmp_path: Path, kind: str, times: int, seed: int) -> None:
    """No crash, no hang, no wrong text without a word: every damage is said, or it changed nothing that is read."""
    rng = random.Random(seed)
    file, base = tmp_path / "a.jsonl", tmp_path / "base"
    feed(file, 60)
    run(file, base, kind)
    wanted = state(base)
    silent = []
    for attempt in range(times):
        where = tmp_path / f"damaged{attempt}"
        shutil.copytree(base, where)
        what = f"seed {seed}: {mutate(rng, where)}"
        problems = check_store_directory(str(where), deep=True)[1]
        try:
            store = open_store(str(where))
            Search(store)("harbour bridge", query_class="survey", k=3)
            store.close()
            same = state(where) == wanted
        except RepartoError:
            assert problems, f"{what}: `doctor --deep` did not see what a search stumbled over"
            same = True
        if not same and not problems:
            silent.append(what)
        shutil.rmtree(where)
    assert silent == []


@pytest.mark.slow
def test_damage_is_seen(tmp_path: Path) -> None:
    # Other damage each time, but for the runs that decide: what they find should not hang on the draw.
    corruption(tmp_path, "sqlite", 60, seed=11 if os.environ.get("CI") else random.SystemRandom().randrange(10**6))


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_damage_is_seen_in_full(tmp_path: Path, kind: str) -> None:
    corruption(tmp_path, kind, 1000 if kind == "sqlite" else 200, seed=random.SystemRandom().randrange(10**6))


def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path) -> None:
    """The file may grow no further: the run fails with a named error, the store stays as it was."""
    import resource

    where, file = tmp_path / "store", tmp_path / "a.jsonl"
    feed(file, 30)
    run(file, where, "sqlite")
    before = state(where)
    feed(file, 3000, version=2)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    child = subprocess.run(
        [sys.executable, "-m", "reparto", "index", str(file), "--store", str(where)],
        capture_output=True, preexec_fn=limit, timeout=120, check=False, env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert child.returncode == 2, child.stderr.decode()
    assert b"disk_" in child.stderr
    assert b"Traceback" not in child.stderr
    assert state(where)["stamps"].items() >= before["stamps"].items() or state(where)["stamps"]
    assert check_store_directory(str(where), deep=True)[1][-1].startswith("pending")
    run(file, where, "sqlite")
    assert check_store_directory(str(where), deep=True)[1] == []


def test_a_damaged_marker_is_refused(tmp_path: Path) -> None:
    with prepared(Wanted(str(tmp_path / "s"), kind="sqlite", embedder="none")) as indexer:
        indexer.index([])
    marker = tmp_path / "s" / "reparto-store.json"
    marker.write_text(marker.read_text().replace("paragraphs", "other").replace("semantic", "other"))
    with pytest.raises(RepartoError, match="damaged"):
        open_store(str(tmp_path / "s"))
