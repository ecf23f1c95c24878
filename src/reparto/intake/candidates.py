"""Candidates: form checked field by field, all problems at once; faults of value noted by id."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reparto.errors import Problem, unknown_name
from reparto.finite import DEEPEST, TooDeepError, finite, not_finite
from reparto.intake import values
from reparto.intake.values import Fault
from reparto.model import EMPTY, Candidate, Multiplicity, Notice, Vector

Reader = Callable[[Any], Any]

# What the wire calls a field, and how its value is read. `vector`, `vectors` and `copies` are read apart.
FIELDS: Mapping[str, Reader] = {
    "id": values.required_identifier,
    "score": values.number,
    "text": values.text,
    "document": values.identifier,
    "source": values.identifier,
    "start": values.count,
    "end": values.count,
    "version": values.version,
    "published": values.published,
    "tier": values.one_of("gold", "silver"),
    "concept": values.identifier,
    "tokens": values.count,
    "language": values.text,
    "url": values.text,
    "title": values.text,
    "metadata": values.mapping,
}
COPIES: Mapping[str, Reader] = {
    "count": values.count,
    "ids": values.identifiers,
    "documents": values.identifiers,
    "sources": values.identifiers,
    "first_published": values.published,
    "last_published": values.published,
}
APART = ("vector", "vectors", "copies", "signature")


@dataclass
class Reading:
    """What was found wrong so far: `problems` of form (errors), `faults` of value (per policy) and warnings."""

    problems: list[Problem] = field(default_factory=list)
    faults: list[Problem] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    def problem(self, fault: Fault, id: str | None, path: str) -> None:
        """Note a fault of form."""
        self.problems.append(Problem(fault.code, fault.message, fault.remedy, id=id, field=path))

    def named(self, id: str) -> set[str | None]:
        """Fields of a candidate that already have a problem."""
        return {problem.field for problem in self.problems if problem.id == id}

    def fault(self, code: str, message: str, remedy: str, id: str, path: str) -> None:
        """Note a fault of value."""
        self.faults.append(Problem(code, message, remedy, id=id, field=path))


def read_candidates(raw: Iterable[Any], reading: Reading) -> tuple[Candidate, ...]:
    """Read a list of candidates. Problems go into `reading`; what could not be read is left out."""
    forms: list[Candidate | dict[str, Any]] = []
    for position, one in enumerate(raw):
        if isinstance(one, Candidate):
            forms.append(one)
        elif not isinstance(one, dict | Mapping):
            fault = Fault(
                f"should be an object, not {values.kind(one)}",
                "give each candidate as an object with an id and a score",
            )
            reading.problem(fault, None, f"candidates[{position}]")
        elif (read := _read_form(one, position, reading)) is not None:
            forms.append(read)
    suspect = not _all_usable([one["vectors"] for one in forms if isinstance(one, dict)])
    found = [one if isinstance(one, Candidate) else _with_values(one, suspect, reading) for one in forms]
    _check_lengths(found, reading)
    return tuple(found)


def _read_form(raw: Mapping[str, Any], position: int, reading: Reading) -> dict[str, Any] | None:
    """The fields of one candidate as `Candidate` wants them; None where something is of the wrong form."""
    before, id = len(reading.problems), raw.get("id")
    place = id if type(id) is str and id else _place(raw, position)
    read: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in raw.items():
        if value is None or name in APART:
            continue
        reader = FIELDS.get(name)
        if reader is None:
            unknown[name] = value
            continue
        try:
            read[name] = reader(value)
        except Fault as fault:
            reading.problem(fault, place, name)
    for name, article in (("id", "an"), ("score", "a")):
        if raw.get(name) is None:
            missing = Fault(f"has no {name}", f"give every candidate {article} {name}", f"missing_{name}")
            reading.problem(missing, place, name)
    read["vectors"] = _vectors(raw, place, reading)
    if (signature := raw.get("signature")) is not None:
        try:
            read["signature"] = values.signature(signature)
        except Fault:  # another thing by that name
            unknown["signature"] = signature
    if (copies := raw.get("copies")) is not None:
        read["copies"] = _copies(copies, place, reading)
    if "start" in read or "end" in read:
        _check_offsets(read, place, reading)
    if len(reading.problems) > before:
        return None
    if unknown:
        read["metadata"] = {**unknown, **read.get("metadata", EMPTY)}
    return read


def _place(raw: Mapping[str, Any], position: int) -> str:
    """How a problem names the candidate: by its id, or by its position where that cannot be read."""
    try:
        return values.required_identifier(raw.get("id"))
    except Fault:
        return f"candidates[{position}]"


def _vectors(raw: Mapping[str, Any], place: str, reading: Reading) -> Mapping[str, Any]:
    single, several = raw.get("vector"), raw.get("vectors")
    if single is None and several is None:
        return EMPTY
    given: dict[str, Any] = {}
    if several is not None:
        if isinstance(several, Mapping):
            given.update({str(name): one for name, one in several.items() if one is not None})
        else:
            reading.problem(
                Fault(
                    f"should be an object of field: vector, not {values.kind(several)}",
                    "give {field: [numbers]}, or `vector`",
                ),
                place,
                "vectors",
            )
    if single is not None:
        given["vector"] = single
    read: dict[str, Any] = {}
    for name, one in given.items():
        try:
            read[name] = values.vector(one)
        except Fault as fault:
            reading.problem(fault, place, "vector" if name == "vector" else f"vectors.{name}")
    return read or EMPTY


def _copies(raw: Any, place: str, reading: Reading) -> Multiplicity:
    if not isinstance(raw, Mapping):
        reading.problem(
            Fault(f"should be an object, not {values.kind(raw)}", 'give {"count", "ids", "documents", "sources"}'),
            place,
            "copies",
        )
        return Multiplicity()
    read: dict[str, Any] = {}
    for name, value in raw.items():
        if value is None:
            continue
        if name not in COPIES:
            reading.problems.append(unknown_name("key", str(name), list(COPIES), f"copies.{name}", place))
            continue
        try:
            read[name] = COPIES[name](value)
        except Fault as fault:
            reading.problem(fault, place, f"copies.{name}")
    if read.get("count", 1) < 1:
        reading.problem(
            Fault("is less than 1", "a count includes the candidate itself", "out_of_range"), place, "copies.count"
        )
    read.setdefault("count", max(1, len(read.get("ids", ()))))
    return Multiplicity(**read)


def _check_offsets(read: Mapping[str, Any], place: str, reading: Reading) -> None:
    start, end = read.get("start"), read.get("end")
    for have, lack in (("start", "end"), ("end", "start")):
        if read.get(have) is not None and read.get(lack) is None and lack not in reading.named(place):
            reading.problem(
                Fault(f"{have} is given without {lack}", "give both offsets, or neither", "missing_offset"), place, lack
            )
    if start is not None and end is not None and start > end:
        reading.problem(
            Fault(f"start {start} is after end {end}", "give half-open offsets, start <= end", "out_of_range"),
            place,
            "start",
        )


def _all_usable(some: Sequence[Mapping[str, Vector]]) -> bool:
    """Whether no vector is NaN, infinite, zero or empty: looked at all at once, since they hardly ever are."""
    by_length: dict[int, list[Vector]] = defaultdict(list)
    for vectors in some:
        for one in vectors.values():
            by_length[len(one)].append(one)
    for length, alike in by_length.items():
        rows = np.concatenate(alike).reshape(len(alike), length)
        if not (length and np.isfinite(rows).all() and rows.any(axis=1).all()):
            return False
    return True


def _usable(vectors: Mapping[str, Vector], id: str, reading: Reading) -> Mapping[str, Vector]:
    """The vectors that have a direction; a fault of value for each of the others."""
    kept = {}
    for name, one in vectors.items():
        if one.size and bool(np.isfinite(one).all()) and bool(one.any()):
            kept[name] = one
        else:
            what = "not finite" if one.size and not np.isfinite(one).all() else "all zero"
            reading.fault(
                "vector_unusable",
                f"vector {name!r} is {what}, so it counts as none",
                "embed the text again, or leave the vector out",
                id,
                "vector",
            )
    return kept or EMPTY


def _with_values(read: dict[str, Any], suspect: bool, reading: Reading) -> Candidate:
    """Faults of value: each is warned about by id, or refused where the policy says so.

    `suspect`: some vector of the request may be unusable.
    """
    id, valid = read["id"], True
    if not math.isfinite(read["score"]):
        valid = False
        reading.fault("score_not_finite", f"the score is {read['score']}", "give a finite score", id, "score")
    if suspect:
        read["vectors"] = _usable(read["vectors"], id, reading)
    vectors = read["vectors"]
    if not vectors and is_blank(read.get("text", "")) and read.get("signature") is None:
        valid = False
        reading.fault("no_content", "the text is blank and there is no vector", "give a text or a vector", id, "text")
    if metadata := read.get("metadata"):
        read["metadata"] = _sayable(metadata, id, reading)
    if (given := read.get("published")) is not None:
        if (moment := values.instant(given)) is None:
            reading.fault(
                "published_unreadable",
                f"published {given!r:.60} is no ISO 8601 date, so it counts as absent",
                "give YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ",
                id,
                "published",
            )
        else:
            read["instant"], read["zoneless"] = moment
    return Candidate(**read, valid=valid)


def _sayable(metadata: Mapping[str, Any], id: str, reading: Reading) -> Mapping[str, Any]:
    """Metadata that JSON can say: null for NaN and Infinity, each a fault of value; a fault of form for too deep."""
    try:
        paths = list(not_finite(metadata))
    except TooDeepError:
        fault = Fault(f"is nested in more than {DEEPEST} levels", "flatten it", "too_deep")
        reading.problem(fault, id, "metadata")
        return EMPTY
    for path in paths:
        message = f"metadata {path} is not a finite number, so it is carried as null"
        remedy = "give a finite number, or leave it out"
        reading.fault("metadata_not_finite", message, remedy, id, f"metadata.{path}")
    return finite(metadata) if paths else metadata


def is_blank(text: str) -> bool:
    """True for a text in which there is nothing to see: empty, white space, or invisible characters only."""
    if not text or text.isspace():
        return True
    head = text[:64]
    if head.isprintable() and not head.isspace():
        return False
    return not any(char.isprintable() and not char.isspace() and not 0xFE00 <= ord(char) <= 0xFE0F for char in text)


def _check_lengths(found: list[Candidate], reading: Reading) -> None:
    """Vector lengths must agree within a field; the odd ones out are named."""
    by_field: dict[str, dict[str, int]] = defaultdict(dict)
    for one in found:
        for name, vector in one.vectors.items():
            by_field[name][one.id] = len(vector)
    for name, lengths in sorted(by_field.items()):
        usual = Counter(lengths.values()).most_common()
        if len(usual) > 1:
            agreed = max(usual, key=lambda pair: (pair[1], pair[0]))[0]
            for id, length in lengths.items():
                if length != agreed:
                    what = f"has {length} numbers, others have {agreed}"
                    fault = Fault(what, "embed all candidates with one model", "vector_length")
                    reading.problem(fault, id, "vector" if name == "vector" else f"vectors.{name}")
