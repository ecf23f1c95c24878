"""Merge: overlapping or touching chunks of one document become one span, so that no text is delivered twice.

Offsets decide, and the texts check them: where the overlapping characters differ in more than white space there is
no merge and a warning. An overlap is never guessed from equal letters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from reparto.model import Decision, Entry, Fate, Notice, Pool, Span, Step
from reparto.stages import ranked


@dataclass(frozen=True, slots=True, eq=False)
class Merge:
    """`gap`: up to this many uncovered characters are taken for white space. `max_tokens`: no longer spans.

    `unit` is the request's offset unit, `characters` (code points) or `bytes` (UTF-8); `count` counts a text's tokens.
    O(n log n) plus the length of the texts.
    """

    gap: int
    max_tokens: int
    unit: str
    count: Callable[[str], int]

    def __call__(self, pool: Pool) -> Step:
        """Merge within each document; entries without document or offsets pass through."""
        chunks: dict[tuple[str, str], list[Entry]] = defaultdict(list)
        rest: list[Entry] = []
        for entry in pool.entries:
            one = entry.candidate
            if one.document is not None and one.start is not None and one.end is not None and one.text:
                chunks[one.document, one.version or ""].append(entry)
            else:
                rest.append(entry)
        decisions: list[Decision] = []
        notices: list[Notice] = []
        for document in sorted(chunks):
            for run in self._runs(chunks[document], notices):
                entry = _span(run, self.count)
                rest.append(entry)
                decisions += [
                    Decision(member.id, Fate.MERGED, by=entry.id, evidence={"start": member.start, "end": member.end})
                    for member in entry.absorbed
                    if member.id != entry.id
                ]
        return Step(ranked(rest, pool.query), tuple(decisions), tuple(notices))

    def _runs(self, entries: Sequence[Entry], notices: list[Notice]) -> list[_Run]:
        """Sweep in document order, each chunk onto an earlier run where that holds."""
        done: list[_Run] = []
        open_runs: list[_Run] = []
        for entry in sorted(entries, key=lambda e: (e.candidate.start, -(e.candidate.end or 0), e.id)):
            chunk = _Run.of(entry, self.unit)
            done += [run for run in open_runs if chunk.start - run.end > self.gap]
            open_runs = [run for run in open_runs if chunk.start - run.end <= self.gap]
            for place in reversed(range(len(open_runs))):  # what one run refuses may still belong to another
                joined = self._join(open_runs[place], chunk, notices)
                if joined is not None:
                    open_runs[place] = joined
                    break
            else:
                open_runs.append(chunk)
        return done + open_runs

    def _join(self, run: _Run, chunk: _Run, notices: list[Notice]) -> _Run | None:
        """The run with the chunk put on, or None where it does not fit."""
        overlap = run.end - chunk.start
        tail: str | bytes | None = chunk.units
        if overlap > 0 or not (run.fits and chunk.fits):
            tail = _beyond_overlap(run, chunk, overlap) if run.fits and chunk.fits else None
            if tail is None:
                pair = (run.members[-1].id, chunk.members[0].id)
                how = "overlaps" if overlap > 0 else "follows"
                message = f"{pair[1]!r} {how} {pair[0]!r} by its offsets but not by its text, so they were not merged"
                notices.append(Notice("offsets_disagree", message, tuple(sorted(pair))))
                return None
        gap = max(0, -overlap)
        # A chunker that trims leaves fewer units than it claims: what is missing between two words was white space.
        trimmed = overlap == 0 and not (run.exact and chunk.exact)
        blank = " " * (gap or trimmed) if isinstance(run.units, str) else b" " * (gap or trimmed)
        joined = run.units + blank + tail  # type: ignore[operator]
        if tail and self.count(_text(joined)) > self.max_tokens:
            return None
        exact = run.exact and chunk.exact
        return _Run(run.start, max(run.end, chunk.end), joined, run.members + chunk.members, run.gaps + gap, exact)


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Chunks put together so far; `units` is code points or UTF-8 bytes, as the offsets count.

    `exact`: there are just as many units as the offsets claim (a chunker that trims keeps fewer). `fits`: there are
    not more than they claim, white space aside; what does not fit cannot be what stands there.
    """

    start: int
    end: int
    units: str | bytes
    members: tuple[Entry, ...]
    gaps: int = 0
    exact: bool = True
    fits: bool = True

    @classmethod
    def of(cls, entry: Entry, unit: str) -> _Run:
        """A run of one chunk."""
        start, end, text = entry.candidate.start or 0, entry.candidate.end or 0, entry.candidate.text
        units = text if unit == "characters" else text.encode("utf-8", "surrogatepass")
        fits = len(units) <= end - start or len(_solid(units)) <= end - start
        return cls(start, end, units, (entry,), exact=len(units) == end - start, fits=fits)


def _beyond_overlap(run: _Run, chunk: _Run, overlap: int) -> str | bytes | None:
    """What the chunk adds to the run, once the overlapping texts have been found the same but for white space."""
    shared = min(overlap, chunk.end - chunk.start)
    before = chunk.start - run.start
    if run.exact and chunk.exact:
        same = _solid(run.units[before : before + shared]) == _solid(chunk.units[:shared])
        return chunk.units[shared:] if same else None
    # Units are fewer or more than the offsets claim, by white space if at all: the place may be off by that much.
    claimed = (run.end - run.start - len(run.units), chunk.end - chunk.start - len(chunk.units))
    slack, mine, theirs = abs(claimed[0]) + abs(claimed[1]), _solid(run.units), _solid(chunk.units)
    guess = len(_solid(run.units[:before]))
    last = min(guess + slack, len(mine) - 1)  # offsets may claim anything: no place is looked for beyond the text
    for place in sorted(range(max(0, guess - slack), last + 1), key=lambda at: abs(at - guess)):
        common = min(len(mine) - place, len(theirs))
        if common > 0 and mine[place : place + 1] == theirs[:1] and mine[place : place + common] == theirs[:common]:
            beyond = _after_solid(chunk.units, common) if common < len(theirs) else chunk.units[:0]
            return beyond.lstrip() if run.units[-1:].isspace() else beyond  # the run has that white space already
    return None


def _solid(units: str | bytes) -> str | bytes:
    """All but white space."""
    return "".join(units.split()) if isinstance(units, str) else b"".join(units.split())


def _after_solid(units: str | bytes, count: int) -> str | bytes:
    """What follows the first `count` units that are not white space."""
    for place in range(len(units)):
        if count == 0:
            return units[place:]
        count -= not units[place : place + 1].isspace()
    return units[:0]


def _span(run: _Run, count: Callable[[str], int]) -> Entry:
    """One entry for a run: best score, the document's own text once, members in document order."""
    if len(run.members) == 1:
        return run.members[0]
    best = min(run.members, key=lambda entry: (-entry.relevance, entry.id))
    members = tuple(entry.candidate for entry in run.members)
    text, total = _text(run.units), sum(entry.tokens for entry in run.members)
    span = Span(str(best.candidate.document), run.start, run.end, tuple(one.id for one in members), run.gaps)
    return replace(best, text=text, tokens=count(text), span=span, absorbed=members, member_tokens=total)


def _text(units: str | bytes) -> str:
    return units if isinstance(units, str) else units.decode("utf-8", "surrogatepass")
