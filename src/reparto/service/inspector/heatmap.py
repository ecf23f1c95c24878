"""Similarity of the candidates, ordered by group, as squares in a few strengths of one colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reparto.model import Candidate, Entry, Fate, Floats
from reparto.service.inspector.inspection import Inspection
from reparto.service.inspector.rows import Passage, passage
from reparto.similarity import similarity_of

MOST = 64
SIZES = (5, 10, 20, 30, MOST)
CELL, MARGIN = 10, 26
STRENGTHS = (0.05, 0.15, 0.3, 0.45, 0.6, 0.8)  # a square of strength i starts at STRENGTHS[i - 1]
GROUPED = (Fate.COPY, Fate.MERGED, Fate.DEPTH)


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates that stand together, the leader first. `seat` is None where the group has none."""

    seat: int | None
    members: tuple[Passage, ...]
    start: int

    @property
    def size(self) -> int:
        """How many."""
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Heatmap:
    """`paths[i]` draws all squares of strength i + 1; groups lie along the diagonal in the order of their seats."""

    size: int
    paths: tuple[str, ...]
    groups: tuple[Group, ...]
    left_out: int
    compared: str  # `cosine`, `resemblance` or `mixed`

    @property
    def most(self) -> int:
        """The least of the picture's sizes that holds all: how many candidates it is made for."""
        return next(most for most in SIZES if self.size <= most)


def heatmap(seen: Inspection) -> Heatmap:
    """The first candidates by rank (at most 64), grouped under what stands for them."""
    shown = seen.ranking[:MOST]
    leader = {one.id: one.by if one.fate in GROUPED and one.by else one.id for one in seen.selection.decisions}
    seats = {one.id: one.seat for one in seen.selection.decisions if one.fate is Fate.SEATED}
    ranks = {one.id: rank for rank, one in enumerate(seen.ranking)}
    groups: dict[str, list[Candidate]] = {}
    for one in shown:
        groups.setdefault(_root(one.id, leader), []).append(one)
    order = sorted(groups, key=lambda one: (seats.get(one) or len(ranks) + 1, ranks.get(one, len(ranks))))
    ordered = [one for id in order for one in sorted(groups[id], key=lambda one: (one.id != id, ranks[one.id]))]
    matrix = similarity_of([Entry(one, 0.0, one.text, 0) for one in ordered]).matrix()
    found: list[Group] = []
    start = 0
    for id in order:
        members = ordered[start : start + len(groups[id])]
        found.append(Group(seats.get(id), tuple(map(passage, members)), start))
        start += len(members)
    vectors = sum(bool(one.vectors) for one in ordered)
    compared = "cosine" if vectors == len(ordered) else "mixed" if vectors else "resemblance"
    return Heatmap(len(ordered), _paths(matrix), tuple(found), len(seen.ranking) - len(shown), compared)


def _root(id: str, leader: dict[str, str]) -> str:
    seen = {id}
    while leader.get(id, id) not in seen:
        id = leader[id]
        seen.add(id)
    return id


def _paths(matrix: Floats) -> tuple[str, ...]:
    """Runs of equal strength in a row become one rectangle."""
    drawn: list[list[str]] = [[] for _ in STRENGTHS]
    for y, row in enumerate(matrix.tolist()):
        strengths = [_strength(value) for value in row]
        x = 0
        while x < len(strengths):
            end = x
            while end < len(strengths) and strengths[end] == strengths[x]:
                end += 1
            if strengths[x]:
                drawn[strengths[x] - 1].append(f"M{x * CELL} {y * CELL}h{(end - x) * CELL}v{CELL}h{(x - end) * CELL}z")
            x = end
    return tuple("".join(parts) for parts in drawn)


def _strength(value: float) -> int:
    return sum(value >= least for least in STRENGTHS)


def cell_box(groups: Sequence[Group]) -> int:
    """Length of a side of the whole picture, margin included."""
    return MARGIN + CELL * sum(one.size for one in groups)
