"""Requests that the OpenAPI document shows; every one of them is sent by a test."""

from __future__ import annotations

from typing import Any

_WIRE = (
    "The river rose above four metres on Tuesday night and the old bridge was closed to traffic, the town hall said."
)
_OWN = "Farmers upstream count their losses: two hundred hectares of orchards under water, and no insurance for most."
_RULE = "What a flood alert means: level one is watch, level two is prepare, level three is leave the ground floor."

CANDIDATES: list[dict[str, Any]] = [
    {
        "id": "wire-1",
        "text": _WIRE,
        "score": 0.92,
        "source": "agency",
        "document": "d1",
        "published": "2026-03-04T07:10:00Z",
    },
    {
        "id": "wire-2",
        "text": _WIRE,
        "score": 0.91,
        "source": "daily",
        "document": "d2",
        "published": "2026-03-04T08:00:00Z",
    },
    {"id": "report", "text": _OWN, "score": 0.74, "source": "weekly", "document": "d3"},
    {"id": "rule", "text": _RULE, "score": 0.66, "source": "civil-defence", "document": "d4"},
]

SELECT: dict[str, Any] = {
    "one_request": {"query": "flood", "query_class": "survey", "k": 3, "candidates": CANDIDATES},
    "candidates_alone": CANDIDATES[:2],
    "a_batch": [
        {"query": "flood", "candidates": CANDIDATES},
        {"query": "bridge", "k": 1, "candidates": CANDIDATES[:2]},
    ],
    "several_ranked_lists": {"query": "flood", "channels": {"dense": CANDIDATES[:3], "lexical": CANDIDATES[2:]}},
    "inline_policy": {
        "k": 2,
        "policy": {"diversity": {"objective": "mmr", "lambda": 0.5}, "quotas": {"source": 1}},
        "candidates": CANDIDATES,
    },
}
SEARCH: dict[str, Any] = {
    "a_question": {"query": "how high did the river rise", "k": 5},
    "with_conditions": {"query": "flood", "query_class": "survey", "k": 5, "pool": 100, "where": {"language": "en"}},
}
COHERE: dict[str, Any] = {
    "cohere": {"model": "survey", "query": "flood", "documents": [_WIRE, _WIRE, _OWN, _RULE], "top_n": 2},
    "jina": {
        "model": "factual",
        "query": "flood",
        "documents": [{"text": _WIRE}, {"text": _OWN, "source": "weekly"}],
        "return_documents": True,
    },
    "voyage": {"model": "survey", "query": "flood", "documents": [_WIRE, _WIRE, _OWN], "top_k": 3},
}
TEI: dict[str, Any] = {
    "tei": {"query": "flood", "texts": [_WIRE, _WIRE, _OWN, _RULE], "return_text": False},
    "vllm": {"model": "survey", "query": "flood", "documents": [_WIRE, _WIRE, _OWN, _RULE]},
}
