"""Write `feed.jsonl` from the written pieces: `python -m reparto.demo.build`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reparto.demo.compose import Piece, compose, read
from reparto.demo.ranking import SCALES, bm25


def bank() -> list[dict[str, Any]]:
    """Make the bank, a query each: ranked candidates, and the facts that each of them carries."""
    pieces = compose()
    texts = ["\n".join(piece.fields[name] for name in ("title", "source", "text")) for piece in pieces]
    source = read("queries")
    stopwords = frozenset(source["stopwords"].split())
    lines = []
    for query in source["query"]:
        scores, best = bm25(query["query"], texts, stopwords)
        scale = SCALES[query["scale"]]
        lines.append(_line(query, pieces, [scale(score, best) for score in scores]))
    return lines


def _line(query: Mapping[str, Any], pieces: Sequence[Piece], scores: Sequence[float]) -> dict[str, Any]:
    ranked = sorted(zip(scores, pieces, strict=True), key=lambda pair: (-pair[0], pair[1].id))
    kept = ranked[: query["size"]]
    candidates = []
    for score, piece in kept:
        fields = dict(piece.fields)
        candidates.append({"id": fields.pop("id"), "score": round(score, 4), **fields})
    candidates.sort(key=lambda one: (-one["score"], one["id"]))
    carried = {fact for _, piece in kept for fact in piece.facts}
    wanted = query.get("facts", sorted(carried))
    facts = {fact: sorted(piece.id for _, piece in kept if fact in piece.facts) for fact in wanted}
    line = {
        "query_id": query["id"],
        "query": query["query"],
        "query_class": query["query_class"],
        "candidates": candidates,
        "facts": facts,
    }
    if "weights" in query:
        line["weights"] = {fact: query["weights"].get(fact, 1) for fact in facts}
    return line


def main() -> None:
    """Write the bank beside this file."""
    lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in bank()]
    Path(__file__).with_name("feed.jsonl").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
