"""What a rerank request asks for, read leniently in names and strictly in types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.intake.values import kind
from reparto.service.limits import NAMED, text_problem
from reparto.service.rerank.documents import Document, DocumentReader, words_of
from reparto.service.settings import Settings

# Where a model of this name is asked for, documents come back unless the request says no: Jina's default.
ECHOED = "jina-"


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A rerank request. `top_n` None is all; `given` are the documents as they were sent."""

    query: str
    documents: tuple[Document, ...]
    given: tuple[Any, ...]
    top_n: int | None
    model: str | None
    echo: bool
    voyage: bool = False
    tei: bool = False

    @property
    def cut(self) -> int | None:
        """How many results at most; None when all are to come back (`top_n` absent, 0, or at least their number)."""
        return self.top_n if self.top_n and self.top_n < len(self.documents) else None


def read_rerank(raw: Any, settings: Settings, *, tei: bool = False) -> Asked:
    """Check a rerank request; `RequestError` with every problem. Unknown keys are other servers' options and pass."""
    if not isinstance(raw, Mapping):
        raise RequestError(
            Problem("wrong_type", f"the body should be an object, not {kind(raw)}", 'send {"query", "documents"}')
        )
    name = "texts" if tei else "documents"
    problems: list[Problem] = []
    query, listed, model = _words(raw.get("query")), _parts(raw.get(name)), raw.get("model")
    if not isinstance(query, str):
        problems.append(_fault("query", query, "the question as a string"))
    problems += text_problem(query, "query", settings)
    if model is not None and not isinstance(model, str):
        problems.append(_fault("model", model, "a name as a string"))
    counts = {name: _count(raw.get(name), name, problems) for name in ("top_n", "top_k")}
    number = counts["top_n"] if counts["top_n"] is not None else counts["top_k"]
    echo = raw.get("return_text" if tei else "return_documents")
    if echo is not None and not isinstance(echo, bool):
        problems.append(_fault("return_text" if tei else "return_documents", echo, "true or false"))
    rank_fields: Any = raw.get("rank_fields") if raw.get("rank_fields") is not None else []
    if not isinstance(rank_fields, list) or not all(isinstance(one, str) for one in rank_fields):
        problems.append(_fault("rank_fields", rank_fields, "a list of names"))
    problems += _documents(listed, name, settings, tei)
    if problems:
        raise RequestError(problems)
    reader = DocumentReader(rank_fields, settings.metadata_from_texts)
    documents = tuple(map(reader, listed))
    if problems := [
        problem
        for place, one in enumerate(documents)
        for problem in text_problem(one.text, f"{name}[{place}]", settings)
    ]:
        raise RequestError(problems[:NAMED])
    if echo is None:
        echo = (model or "").startswith(ECHOED)
    voyage = "top_k" in raw or "truncation" in raw
    return Asked(str(query), documents, tuple(listed), number, model, echo, voyage=voyage, tei=tei)


def _words(query: Any) -> Any:
    """The words of a query given as an object: Jina's `{"text"}`, vLLM's `{"content": [{"type": "text", "text"}]}`."""
    if not isinstance(query, Mapping):
        return query
    if isinstance(query.get("text"), str):
        return query["text"]
    parts = query.get("content")
    words = words_of(parts) if isinstance(parts, list) else None
    return query if words is None else words


def _parts(documents: Any) -> Any:
    """The other form that vLLM has of several documents: `{"content": [part, …]}`, a document a part."""
    return documents.get("content", documents) if isinstance(documents, Mapping) else documents


def _count(value: Any, field: str, problems: list[Problem]) -> int | None:
    """A whole number, zero or more; 8.0 is 8 in JSON. A problem otherwise."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    message = f"{field} is {str(value)[:40]!r}"
    problems.append(Problem("out_of_range", message, "give a whole number, zero or more", field=field))
    return None


def _documents(listed: Any, name: str, settings: Settings, tei: bool) -> list[Problem]:
    if not isinstance(listed, list):
        return [_fault(name, listed, "a list of texts")]
    if len(listed) > settings.candidates:
        message = f"{len(listed)} documents are more than {settings.candidates}"
        return [Problem("too_many", message, "send the best of them", field=name)]
    problems: list[Problem] = []
    for place, one in enumerate(listed):
        field = f"{name}[{place}]"
        if not isinstance(one, str) and (tei or not isinstance(one, Mapping)):
            problems.append(_fault(field, one, "a text" if tei else "a text, or an object with a text"))
        problems += text_problem(one, field, settings)
    return problems[:NAMED]


def _fault(field: str, value: Any, wanted: str) -> Problem:
    if value is None:
        return Problem("missing", f"{field} is missing", f"give {wanted}", field=field)
    return Problem("wrong_type", f"{field} should be {wanted}, not {kind(value)}", f"give {wanted}", field=field)
