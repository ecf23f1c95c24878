"""The wire format as JSON Schema, for the OpenAPI document. `null` is the same as absent, in requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reparto.intake.values import LARGEST

Schema = dict[str, Any]

REASONS = {
    400: "Not a request of HTTP",
    401: "No valid API key",
    403: "Sent by another site's page",
    404: "Not found",
    408: "The body did not arrive in time",
    413: "Too large",
    415: "Not JSON in UTF-8, or compressed",
    421: "A host name that is not answered to",
    422: "Faults of the request, all of them at once",
    429: "All places are taken; see `Retry-After`",
    431: "Headers too large",
    501: "Needs an extra that is not installed",
    503: "Not in time, stopping, or not to be recorded; see `Retry-After`",
}
BUSY = (400, 401, 403, 408, 413, 415, 421, 422, 429, 431, 503)


def ref(name: str) -> Schema:
    """A reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def answers(schema: Schema, *refusals: int, error: str = "Errors") -> dict[int | str, dict[str, Any]]:
    """Responses of a route: 200 with `schema`, and refusals in the error shape."""
    found: dict[int | str, dict[str, Any]] = {
        200: {"description": "Done", "content": {"application/json": {"schema": schema}}}
    }
    for status in refusals:
        content = {"application/json": {"schema": ref(error)}, "text/plain": {"schema": {"type": "string"}}}
        found[status] = {"description": REASONS[status], "content": content}
        if status in (429, 503):
            found[status]["headers"] = {"Retry-After": {"description": "Seconds", "schema": {"type": "integer"}}}
    return found


def body(schema: Schema, examples: Mapping[str, Any]) -> dict[str, Any]:
    """A required JSON body with named examples, as `openapi_extra`."""
    named = {name: {"summary": name.replace("_", " "), "value": value} for name, value in examples.items()}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema, "examples": named}}}}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _object(required: tuple[str, ...], extra: bool, **properties: Schema) -> Schema:
    return {"type": "object", "required": list(required), "additionalProperties": extra, "properties": properties}


_text: Schema = {"type": "string"}
_number: Schema = {"type": "number"}
_count: Schema = {"type": "integer", "minimum": 0}
_size: Schema = {**_count, "maximum": LARGEST}
_id: Schema = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}
_name: Schema = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
_names: Schema = {"type": "array", "items": _name}
_strings: Schema = {"type": "array", "items": _text}
_vector: Schema = {"type": "array", "items": _number, "maxItems": 4096}
_free: Schema = {"type": "object"}
_k: Schema = {"type": "integer", "minimum": 1, "maximum": 200}

_copies = _object(
    (),
    False,
    count=_maybe({"type": "integer", "minimum": 1, "maximum": LARGEST}),
    ids=_maybe(_names),
    documents=_maybe(_names),
    sources=_maybe(_names),
    first_published=_maybe(_text),
    last_published=_maybe(_text),
)
_candidate = _object(
    ("id", "score"),
    True,
    id=_id,
    score=_number,
    text=_maybe(_text),
    vector=_maybe(_vector),
    vectors=_maybe({"type": "object", "additionalProperties": _maybe(_vector)}),
    document=_maybe(_name),
    source=_maybe(_name),
    start=_maybe(_size),
    end=_maybe(_size),
    version=_maybe({"anyOf": [_text, _number]}),
    published=_maybe(_text),
    tier=_maybe({"enum": ["gold", "silver"]}),
    concept=_maybe(_name),
    tokens=_maybe(_size),
    copies=_maybe(_copies),
    language=_maybe(_text),
    url=_maybe(_text),
    title=_maybe(_text),
    metadata=_maybe(_free),
    # Base64 text of what `Sketches.to_bytes` gave; any other value by that name is metadata.
    signature={"description": "A signature stored at index time, base64; stands in for the text"},
)
# In a ranked list the order counts: a score may be there or not.
_ranked: Schema = {
    **_candidate,
    "required": ["id"],
    "properties": {**_candidate["properties"], "score": _maybe(_number)},
}
_aspect = _object(("id",), False, id=_id, text=_maybe(_text), weight=_maybe(_number), ratings=_maybe(_free))
_keys: Schema = {
    "query": _maybe(_text),
    "query_class": _maybe(_text),
    "k": _maybe(_k),
    "policy": _maybe(_free),
    "offset_unit": _maybe({"enum": ["characters", "bytes"]}),
    "aspects": _maybe({"type": "array", "items": _aspect}),
}
_candidates: Schema = {"type": "array", "items": ref("Candidate"), "maxItems": 2000}
_channels: Schema = {"type": "object", "additionalProperties": {"type": "array", "items": ref("RankedCandidate")}}
_seat = _object(
    ("seat", "id", "text", "score", "relevance", "redundancy", "value", "copies", "because"),
    True,
    seat={"type": "integer", "minimum": 1},
    id=_text,
    text=_text,
    score=_number,
    relevance=_number,
    redundancy=_number,
    value=_number,
    document=_maybe(_text),
    source=_maybe(_text),
    published=_maybe(_text),
    tokens=_count,
    span=_maybe(_free),
    copies=_free,
    depth=_strings,
    filled={"type": "boolean"},
    because=_text,
    metadata=_free,
)
_fates = ["seated", "copy", "merged", "depth", "outranked", "over_budget", "invalid"]
_decision = _object(
    ("id", "fate"),
    True,
    id=_text,
    fate={"enum": _fates},
    by=_maybe(_text),
    relation=_maybe(_text),
    evidence=_free,
    seat=_maybe(_count),
)
_problem = _object(
    ("code", "message", "remedy"),
    False,
    code=_text,
    id=_maybe(_text),
    field=_maybe(_text),
    line=_maybe({"type": "integer"}),
    message=_text,
    remedy=_text,
)
_rank = _object(
    ("index", "relevance_score"), True, index=_count, relevance_score={"type": "number", "minimum": 0, "maximum": 1}
)

_documents: Schema = {"type": "array", "maxItems": 2000, "items": {"anyOf": [_text, _free]}}
# A query as an object: Jina's, and vLLM's of several parts.
_words: Schema = {
    "anyOf": [
        _object(("text",), True, text=_text),
        _object(("content",), True, content={"type": "array", "items": _free, "minItems": 1}),
    ]
}

COMPONENTS: dict[str, Schema] = {
    "Candidate": _candidate,
    "RankedCandidate": _ranked,
    "Request": {
        "anyOf": [
            {**_object(("candidates",), False, candidates=_candidates, **_keys), "title": "Request"},
            {**_object(("channels",), False, channels=_channels, **_keys), "title": "Request of several ranked lists"},
            {**_candidates, "title": "Candidates alone"},
        ]
    },
    "SelectBody": {
        "anyOf": [ref("Request"), {"type": "array", "items": ref("Request"), "maxItems": 64, "title": "Batch"}]
    },
    "SearchBody": _object(
        ("query",),
        False,
        query={"type": "string"},
        query_class=_maybe(_text),
        k=_maybe(_k),
        pool=_maybe({"type": "integer", "minimum": 1, "maximum": 2000}),
        where=_maybe(_free),
        since=_maybe(_text),
        until=_maybe(_text),
        policy=_maybe(_free),
    ),
    "Selection": _object(
        ("query", "query_class", "class_from", "contract", "seats", "decisions", "report", "warnings"),
        True,
        query=_text,
        query_class=_text,
        class_from={"enum": ["request", "router", "default"]},
        contract=_free,
        seats={"type": "array", "items": _seat},
        decisions={"type": "array", "items": _decision},
        report=_free,
        warnings={"type": "array", "items": _free},
    ),
    "SelectAnswer": {
        "anyOf": [ref("Selection"), {"type": "array", "items": {"anyOf": [ref("Selection"), ref("Errors")]}}]
    },
    "Errors": _object(("errors",), True, errors={"type": "array", "items": _problem, "minItems": 1}, message=_text),
    "Contract": _object(
        ("version", "digest", "default_class", "classes"),
        True,
        version=_count,
        digest=_text,
        default_class=_text,
        classes=_free,
    ),
    "Health": _object(
        ("status", "version", "kernels"), True, status={"const": "ok"}, version=_text, kernels=_free, contract=_free
    ),
    "Readiness": _object(("ready", "because"), True, ready={"type": "boolean"}, because=_strings, upstream=_text),
    "CohereBody": _object(
        ("query", "documents"),
        True,
        query={"anyOf": [_text, _words]},
        model=_maybe(_text),
        documents={"anyOf": [_documents, _object(("content",), True, content=_documents)]},
        top_n=_maybe(_count),
        top_k=_maybe(_count),
        return_documents=_maybe({"type": "boolean"}),
        rank_fields=_maybe(_strings),
    ),
    "TEIBody": _object(
        ("query", "texts"),
        True,
        query={"anyOf": [_text, _words]},
        texts={"type": "array", "maxItems": 2000, "items": _text},
        return_text=_maybe({"type": "boolean"}),
    ),
    "CohereAnswer": _object(
        ("id", "model", "results", "meta", "usage"),
        True,
        id=_text,
        object=_text,
        model=_text,
        results={"type": "array", "items": _rank},
        data={"type": "array", "items": _rank},
        meta=_free,
        usage=_free,
    ),
    "TEIAnswer": {
        "type": "array",
        "items": _object(
            ("index", "score"), False, index=_count, score={"type": "number", "minimum": 0, "maximum": 1}, text=_text
        ),
    },
    "PlainError": {"anyOf": [ref("Errors"), ref("TEIError")]},
    "TEIError": _object(("error", "error_type"), True, error=_text, error_type=_text),
}
