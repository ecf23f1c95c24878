"""Blocks of JSON lines: the native reader gives the part that the reader of Python gives, or leaves the block to it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reparto.corpus import lines as reading
from reparto.corpus.asking import Walk
from reparto.corpus.leaders import assign
from reparto.corpus.lines import write_lines
from reparto.corpus.parts import Part
from reparto.corpus.readers.base import Source
from reparto.corpus.readers.lines import Lines, blocks
from reparto.corpus.settings import Settings
from reparto.corpus.verify import Verified
from reparto.kernels import native

needs_native = pytest.mark.skipif(
    not hasattr(native(), "document_lines"), reason="the native kernels are not built here"
)
words = st.sampled_from(
    ["the", "Bank", "raised", "rates.", "By", "12", "Ñandú", "(Reuters)", "wrote:", "> no", "\n", "東京。"]
)
texts = st.one_of(st.lists(words, max_size=30).map(" ".join), st.text(st.characters(codec="utf-8"), max_size=40))
fields = st.fixed_dictionaries(
    {"id": texts.filter(bool), "text": texts},
    optional={
        "source": st.sampled_from([None, "a", "ÉFE"]), "published": st.sampled_from(["2026-03-01", "soon", None]),
        "url": texts, "tier": st.sampled_from(["gold", "silver"]), "title": texts,
        "metadata": st.dictionaries(texts, st.lists(st.floats(allow_nan=False) | st.none() | texts)), "rank": st.integers(),
    },
)  # fmt: skip
odd = st.sampled_from(
    ['{"id": 7, "text": "x"}', '{"id": "a"}', "nonsense", '{"id": "a", "text": "\\ud800"}', '{"id": "", "text": ""}',
     '{"id": "a", "id": "b", "text": "x"}', '{"id": "a", "text": "x", "n": NaN}', '{"id": "a", "text": "x"} 1', "\ufeff{}",
     '{"id": "a", "text": null}', '{"i\\u0064": "a", "text": "x"}', '{"id": "a", "text": "x", "metadata": 1}', "[]",
     '{"id": "a", "text": "x", "n": 01}', '{"id": "a", "text": "a\tb"}', '{"id": "a", "text": "\\q"}']
)  # fmt: skip


def columns(part: Part) -> dict[str, object]:
    found = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in part.columns().items()}
    for name in ("hashes", "bands", "sentences"):
        found[name] = part.array(name).tolist()
    found["text"] = (part.folder / "text.bin").read_bytes()
    return {**found, **part.meta}


@needs_native
@given(st.lists(fields, max_size=6), st.booleans(), st.none() | odd)
@settings(max_examples=60, deadline=None)
def test_both_readers_write_the_same_part(records, escaped, other):
    written = [json.dumps(one, ensure_ascii=escaped) for one in records]
    written += [] if other is None else [other]
    raw = "\n \n".join(written).encode("utf-8", "surrogatepass")
    block = Lines(Source("some.jsonl"), 1, raw)
    assert native().document_lines(raw) is None or other is None or other.startswith(('{"id": "a", "text": "x", "n"',))
    with tempfile.TemporaryDirectory() as name:
        quick = columns(write_lines(Path(name) / "quick", block, Settings(seed=3)))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(reading, "native", lambda: None)
            slow = columns(write_lines(Path(name) / "slow", block, Settings(seed=3)))
    assert quick == slow


@needs_native
def test_plain_lines_are_read_natively():
    line = b'{"id": "a", "text": "caf\\u00e9 \\ud83d\\ude00 \\"x\\"\\/", "tier": "gold", "n": [1.5e3, {"b": null}], "metadata": {}}'
    fields, gold = native().document_lines(line + b"\r\n\n" + line.replace(b'"a"', b'"b"'))
    assert [bytes(values) for values, _, _ in fields][:2] == [b"ab", 'café 😀 "x"/'.encode() * 2]
    assert [absent.tolist() for _, _, absent in fields] == [[False] * 2] * 2 + [[True] * 2] * 3
    assert gold.tolist() == [True, True]


def test_blocks_are_whole_lines_and_skip_what_was_read(tmp_path, monkeypatch):
    monkeypatch.setattr("reparto.corpus.readers.lines.BLOCK", 30)
    file = tmp_path / "some.jsonl"
    file.write_text("".join(f'{{"id": "{i}", "text": "t"}}\n\n' for i in range(9)))
    some = list(blocks(Source(str(file), path=file)))
    assert len(some) > 3
    assert b"".join(one.raw for one in some) == file.read_bytes()
    assert [document.id for one in some for document in one] == [str(i) for i in range(9)]
    whole = Lines(some[0].source, 1, file.read_bytes())
    for done in range(10):
        rest = whole.after(done)
        assert [document.id for document in rest] == [str(i) for i in range(done, 9)]
        assert not rest.raw or rest.raw.startswith(f'{{"id": "{done}"'.encode())
        assert not rest.raw or rest.number == 1 + 2 * done


@given(
    st.sets(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda two: two[0] > two[1]), max_size=40),
    st.data(),
)
@settings(max_examples=100, deadline=None)
def test_the_walk_asks_of_the_pairs_that_decide(pairs, data):
    later, earlier = (np.array([one[side] for one in sorted(pairs)], dtype=np.int64) for side in range(2))
    some = Verified(later, earlier, np.ones(len(later)), np.ones(len(later)))
    agreeing = data.draw(st.sets(st.sampled_from(sorted(pairs)))) if pairs else set()
    asked: list[tuple[int, int]] = []

    def agree(earlier: int, later: int) -> bool:
        asked.append((later, earlier))
        return (later, earlier) in agreeing

    assign(13, some, agree)
    walk, foreseen = Walk(some), []
    while len((due := walk.due())[0]):
        foreseen += list(zip(due[0].tolist(), due[1].tolist(), strict=True))
        walk.answer(np.array([one in agreeing for one in foreseen[-len(due[0]) :]]))
    assert sorted(foreseen) == sorted(asked)
