"""Banks, runs, qrels, nuggets and pairs: what is read, and how faults are named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reparto.errors import BankError
from reparto.evaluation.bank import read_bank
from reparto.evaluation.load import load_bank
from reparto.evaluation.nuggets import read_nuggets
from reparto.evaluation.pairs import read_pairs
from reparto.evaluation.trec import qrels_lines, read_qrels, read_run, run_lines

LINE: dict[str, Any] = {
    "query_id": "q1",
    "query": "ferries",
    "query_class": "survey",
    "candidates": [
        {"id": "a", "text": "Ferries stop at nine.", "score": 0.5},
        {"id": 7, "text": "Trams.", "score": 0.5},
    ],
    "facts": {"f1": ["a", "elsewhere"], "f2": [7]},
    "weights": {"f1": 2},
    "part": "a field of the bank's own",
}


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def problems(read: Any, *args: Any) -> list[Any]:
    with pytest.raises(BankError) as caught:
        read(*args)
    return list(caught.value.problems)


def test_a_line_is_read_with_judged_ids_outside_the_pool(tmp_path: Path) -> None:
    bank = read_bank(write(tmp_path / "b.jsonl", LINE))
    query = bank.queries[0]
    assert [one.id for one in query.pool] == ["7", "a"], "equal scores go by id; an integer id is its decimal string"
    assert query.judgments.judged == {"a", "elsewhere", "7"}
    assert query.judgments.level().weights == (2.0, 1.0)
    assert (bank.name, query.query_class, query.line) == ("b", "survey", 1)


def test_a_line_with_a_ranking_may_do_without_candidates(tmp_path: Path) -> None:
    path = write(tmp_path / "b.jsonl", {"query_id": 1, "facts": {"f": ["a"]}, "ranking": ["x", "a"]})
    query = read_bank(path).queries[0]
    assert (query.id, query.pool, query.ranking) == ("1", (), ("x", "a"))


def test_gzip_blank_lines_and_a_byte_order_mark_are_no_matter(tmp_path: Path) -> None:
    path = tmp_path / "b.jsonl.gz"
    path.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(LINE).encode() + b"\n\n"))
    assert len(read_bank(path)) == 1


def test_vectors_beside_the_bank_are_attached_and_own_ones_kept(tmp_path: Path) -> None:
    own = {**LINE, "candidates": [*LINE["candidates"], {"id": "own", "text": "x", "score": 0.1, "vector": [0.0, 1.0]}]}
    path = write(tmp_path / "b.jsonl", own)
    rows = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float16)
    np.savez(
        tmp_path / "b.vectors.npz",
        ids=np.array(["a", "7", "own"]),
        vectors=rows,
        query_ids=np.array(["q1"]),
        query_vectors=rows[:1],
    )
    query = read_bank(path).queries[0]
    assert {one.id: one.vectors["vector"].tolist() for one in query.pool} == {"a": [1, 0], "7": [0, 1], "own": [0, 1]}
    assert query.vector is not None
    assert query.vector.tolist() == [1, 0]


def test_a_candidate_of_which_only_the_vector_is_known_is_valid(tmp_path: Path) -> None:
    path = write(
        tmp_path / "b.jsonl", {"query_id": "q", "candidates": [{"id": "a", "score": 1.0}], "facts": {"f": ["a"]}}
    )
    assert read_bank(path).queries[0].pool == ()
    np.savez(tmp_path / "b.vectors.npz", ids=np.array(["a"]), vectors=np.ones((1, 2), dtype=np.float32))
    assert [one.id for one in read_bank(path).queries[0].pool] == ["a"]


def test_every_fault_of_every_line_is_named_with_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    lines = [
        json.dumps({**LINE, "query_id": None}),
        "{not json",
        json.dumps({**LINE, "facts": {"f1": "a"}, "weights": {"f9": 1}, "facts_total": -1}),
        json.dumps({**LINE, "candidates": [{"id": "a", "text": "x"}, {"id": "b", "score": "high"}]}),
        json.dumps({**LINE, "ranking": ["a", {}]}),
        json.dumps({**LINE, "query_id": "twice"}),
        json.dumps({**LINE, "query_id": "twice"}),
        json.dumps([1]),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = {(one.line, one.field) for one in problems(read_bank, path)}
    assert found >= {
        (1, "query_id"), (2, None), (3, "facts.f1"), (3, "weights.f9"), (3, "facts_total"), (4, "score"), (5, "ranking[1]"),
        (7, "query_id"), (8, None),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["absent.jsonl", "broken.jsonl.gz", "latin.jsonl", "empty.jsonl"])
def test_files_that_cannot_be_read_are_bad_input(tmp_path: Path, name: str) -> None:
    (tmp_path / "broken.jsonl.gz").write_bytes(b"\x1f\x8bnothing")
    (tmp_path / "latin.jsonl").write_bytes('{"query_id": "ñ"}'.encode("latin-1"))
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    assert problems(read_bank, tmp_path / name)


def test_vectors_of_the_wrong_shape_are_bad_input(tmp_path: Path) -> None:
    path = write(tmp_path / "b.jsonl", LINE)
    np.savez(tmp_path / "b.vectors.npz", ids=np.array(["a", "7"]), vectors=np.ones((3, 2), dtype=np.float32))
    assert problems(read_bank, path)[0].field == "vectors"
    (tmp_path / "b.vectors.npz").write_bytes(b"no archive")
    assert problems(read_bank, path)[0].field == "vectors"


def test_what_is_odd_but_readable_is_a_warning(tmp_path: Path) -> None:
    odd = {**LINE, "ranking": ["a", "a", "stranger"], "facst": {}, "facts": {}, "weights": None}
    warnings = " ".join(read_bank(write(tmp_path / "b.jsonl", odd)).warnings)
    for word in ("repeats", "stranger", "'facts'", "no fact is judged"):
        assert word in warnings


def test_a_run_with_qrels_is_a_bank_of_ids(tmp_path: Path) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("t1 Q0 b 1 0.5 x\nt1 Q0 a 2 0.9 x\nt9 Q0 a 1 1 x\n", encoding="utf-8")
    qrels.write_text("t1 s1 a 1\nt1 s2 c 0\nt2 s1 a 2\n", encoding="utf-8")
    bank = load_bank(run, qrels=qrels)
    assert {one.id: one.ranking for one in bank} == {"t1": ("a", "b"), "t2": ()}
    assert any("t2" in warning for warning in bank.warnings)
    assert problems(load_bank, run)[0].field == "qrels"


def test_runs_and_qrels_are_written_so_that_they_read_back(tmp_path: Path) -> None:
    path = tmp_path / "run"
    rankings = {"t1": ["z", "a", "m"], "t2": ["q"]}
    path.write_text("\n".join(run_lines(rankings)), encoding="utf-8")
    assert {topic: [doc for doc, _ in ranked] for topic, ranked in read_run(path).items()} == rankings
    path.write_text("t1 s1 a 1\nt1 s1 b 0\n", encoding="utf-8")
    judged = read_qrels(path)
    assert list(qrels_lines(judged)) == ["t1 s1 a 1", "t1 s1 b 0"]


def test_faulty_runs_and_qrels_name_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("t Q0 a 1 nan x\nt Q0 b 1\nt Q0 c 1 1 x\nt Q0 c 2 0 x\n", encoding="utf-8")
    assert [one.line for one in problems(read_run, path)] == [1, 2, 4]
    path.write_text("t s a one\nt s\n", encoding="utf-8")
    assert [one.line for one in problems(read_qrels, path)] == [1, 2]


def test_nuggets_are_facts_with_weights_and_only_full_support_carries(tmp_path: Path) -> None:
    nuggets = [
        {"text": "Ferries stop at nine", "importance": "vital", "docs": ["a"]},
        {
            "_id": "n",
            "text": "…",
            "importance": "okay",
            "relevant_corpus_ids": {"b": "partial_support", "c": "support"},
        },
    ]
    judged = read_nuggets(write(tmp_path / "n.jsonl", {"qid": "q1", "nuggets": nuggets}))["q1"]
    assert judged.level().names == ("n1", "n")
    assert judged.level().weights == (1.0, 0.5)
    assert judged.level().carried["c"] == (1,)
    assert judged.level().carried["b"] == ()


def test_faulty_nuggets_name_line_and_field(tmp_path: Path) -> None:
    bad = [{"text": "no docs"}, {"docs": ["a"], "importance": "huge"}, {"docs": {"a": "maybe"}}]
    found = problems(
        read_nuggets,
        write(tmp_path / "n.jsonl", {"qid": "q", "nuggets": bad}, {"nuggets": []}, {"qid": "q", "nuggets": 3}),
    )
    assert {(one.line, one.field) for one in found} == {
        (1, "nuggets[0]"), (1, "nuggets[1].importance"), (1, "nuggets[2]"), (2, "query_id"), (3, "nuggets"),
    }  # fmt: skip


def test_qrels_replace_the_facts_and_leave_out_the_unjudged(tmp_path: Path) -> None:
    bank = write(tmp_path / "b.jsonl", LINE, {**LINE, "query_id": "q2"})
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 s 7 1\n", encoding="utf-8")
    found = load_bank(bank, qrels=qrels)
    assert [one.id for one in found] == ["q1"]
    assert found.queries[0].judgments.level().names == ("s",)
    qrels.write_text("other s 7 1\n", encoding="utf-8")
    assert problems(load_bank, bank, qrels)[0].code == "unjudged"


def test_pairs_are_read_and_their_faults_named(tmp_path: Path) -> None:
    good = {"a": {"id": 1, "text": "x", "vector": [1, 0]}, "b": {"id": "2", "text": "y"}, "label": "revision"}
    pair = read_pairs(write(tmp_path / "p.jsonl", good))[0]
    assert (pair.a.id, pair.b.vector, pair.label) == ("1", None, "revision")
    bad = [
        {**good, "label": "copie"},
        {**good, "b": None},
        {**good, "a": {"id": "", "text": 3}},
        {**good, "b": {"id": "2", "text": "y", "vector": [1, 2, 3]}},
        {**good, "b": {"id": "2", "text": "y", "vector": "far"}},
    ]
    found = problems(read_pairs, write(tmp_path / "p.jsonl", *bad))
    assert {(one.line, one.field) for one in found} == {
        (1, "label"), (2, "b"), (3, "a.id"), (3, "a.text"), (4, "b.vector"), (5, "b.vector"),
    }  # fmt: skip
    assert "did you mean 'copy'" in next(one.remedy for one in found if one.line == 1)


def test_the_survey_banks_are_read_as_their_readme_counts_them(shared_data: Path) -> None:
    counts = {"ambient": (22, 2200, 178), "argkp": (13, 1300, 100), "trec_ts": (24, 2400, 501)}
    for name, expected in counts.items():
        bank = read_bank(shared_data / "banks" / f"{name}.jsonl")
        listed = sum(len(one.judgments.level().names) for one in bank)
        candidates = [one for query in bank for one in query.request.candidates]
        assert (len(bank), len(candidates), listed) == expected
        assert all(one.vectors for one in candidates)
