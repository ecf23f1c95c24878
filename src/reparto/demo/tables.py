"""The funnel for a person: two lists side by side, what became of the rest, and the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console, ConsoleRenderable, Group
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from reparto.demo.funnel import Behind, Shown
from reparto.demo.stored import Stored

WIDTH: Final = 110  # of plain text, where there is no terminal to ask

LABELS: Final = {
    "StRecall": "share of the judged facts delivered",
    "Sources": "distinct sources",
}
FATES: Final = {
    "copy": "copies",
    "merged": "merged",
    "depth": "variants of a synthesis",
    "over_budget": "over the budget",
}


def tables(shown: Sequence[Shown], index: Stored | str) -> ConsoleRenderable:
    """Lay out everything for a rich console; `index` is a search in the indexed feed, or why it is absent."""
    parts: list[ConsoleRenderable] = [
        Text(
            f"An evening without light in the fictional city of Orvelia: {_candidates(shown)} passages, "
            f"{len(shown)} queries. Left, what the ranker alone delivers (= 2: the text of row 2 again); "
            "right, the seats shared out."
        )
    ]
    for number, one in enumerate(shown, 1):
        parts += [Text(), one_query(one, number, len(shown))]
    return Group(*parts, Text(), *_indexed(index), Text(), _total(shown))


def plain(shown: Sequence[Shown], index: Stored | str) -> str:
    """Make the same as plain text, 110 wide."""
    console = Console(width=WIDTH, color_system=None, force_terminal=False, highlight=False, record=False)
    with console.capture() as capture:
        console.print(tables(shown, index))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def one_query(one: Shown, number: int, of: int) -> ConsoleRenderable:
    """Lay out one query: the two lists, what became of the rest, the figures, the facts won and lost."""
    return Group(*_query(one, number, of))


def _query(one: Shown, number: int, of: int) -> Iterator[ConsoleRenderable]:
    selection = one.selection
    seats = f"{one.k} seat{'s' if one.k > 1 else ''}"
    yield Rule(f"{number} of {of}: {selection.query}", align="left", style="cyan")
    yield Text(f"{selection.query_class}, {seats}, {len(one.pool)} candidates", style="dim")
    yield side_by_side(one)
    for line in lines(one):
        yield Text(line)
    yield _figures(one)
    if one.won:
        yield Text(f"Only in the selection: {_names(one.won)}", style="green")
    if one.lost:
        yield Text(f"Only in the ranker's first {one.k}: {_names(one.lost)}", style="yellow")


def side_by_side(one: Shown) -> Table:
    """Lay out the ranker's first k, repeats marked, beside the seats and what stands behind them."""
    grid = Table(header_style="bold", expand=True, pad_edge=False)
    grid.add_column("#", justify="right", width=2)
    grid.add_column(f"the ranker's first {one.k}", ratio=1)
    grid.add_column("the selection", ratio=1)
    behind = {part.id: part for part in one.behind}
    for place in range(max(len(one.top), len(one.selection.seats))):
        left = right = Text("")
        if place < len(one.top):
            id = one.top[place]
            left = _passage(one, id)
            earlier = _repeats(one, place)
            if earlier is not None:
                left.stylize("dim")
                left.append(f" = {earlier}", style="red")
        if place < len(one.selection.seats):
            seat = one.selection.seats[place]
            right = _passage(one, seat.id)
            right.append(_mark(behind[seat.id]), style="green")
        grid.add_row(str(place + 1), left, right)
    return grid


def lines(one: Shown) -> Iterator[str]:
    """Say what became of the candidates that have no seat of their own, a sentence each."""
    fates = one.selection.report.get("fates", {})
    yield f"{len(one.pool)} candidates: " + ", ".join(
        f"{count} {FATES.get(fate, fate)}" for fate, count in fates.items() if count
    )
    for part in one.behind:
        if part.copies:
            kinds = ", ".join(f"{count} {relation}" for relation, count in part.copies.items())
            total = sum(part.copies.values())
            carried = f"; carried by {len(part.sources)} outlets" if len(part.sources) > 1 else ""
            yield f"Seat {part.seat} stands for {total} more: {kinds}{carried}."
        if part.merged:
            names = ", ".join(part.merged)
            yield f"Seat {part.seat} is {len(part.merged)} overlapping chunks of one text: {names}."
        if part.depth:
            yield f"Seat {part.seat} is a synthesis; its variants wait as depth: {', '.join(part.depth)}."
    for revision in one.revisions:
        here, there = (*revision.differ, "", "")[:2]
        yield f"{revision.id} is no copy of {revision.of}: {there!r} against {here!r} ({revision.fate})."


def _passage(one: Shown, id: str) -> Text:
    known = one.pool[id]
    return Text.assemble((f"{known['source']}: ", "bold"), str(known["title"]))


def _repeats(one: Shown, place: int) -> int | None:
    """Find the earlier row of the first k that is the same text, by the selection's log; None if new."""
    stories = [_story(one, id) for id in one.top[: place + 1]]
    earlier = stories.index(stories[-1])
    return earlier + 1 if earlier < place else None


def _story(one: Shown, id: str) -> str:
    own = one.selection.decision(id)
    return own.by if str(own.fate) in ("copy", "merged") and own.by else id


def _mark(part: Behind) -> str:
    marks = []
    if len(part.sources) > 1:
        marks.append(f"carried by {len(part.sources)} outlets")
    elif part.copies:
        marks.append(f"and {sum(part.copies.values())} within it")
    if part.merged:
        marks.append(f"{len(part.merged)} chunks")
    if part.depth:
        marks.append(f"over {len(part.depth)} drafts")
    return f" [{', '.join(marks)}]" if marks else ""


def _figures(one: Shown) -> Table:
    grid = Table(box=None, pad_edge=False, header_style="dim")
    grid.add_column("")
    grid.add_column(f"first {one.k}", justify="right")
    grid.add_column("selection", justify="right")
    for name, (before, after) in one.measures.items():
        family = name.partition("@")[0]
        if family in LABELS:
            whole = family == "Sources"
            grid.add_row(LABELS[family], _number(before, whole), _number(after, whole))
    report = one.selection.report
    rates = [f"{report[f'duplicate_rate_{when}']:.2f}" for when in ("before", "after")]
    grid.add_row("share of passages that repeat another", *rates)
    grid.add_row("tokens delivered", str(one.tokens_of_top), str(report["tokens"]))
    grid.add_row("tokens saved: copies, overlaps, variants", "", str(report["tokens_saved"]))
    return grid


def _indexed(index: Stored | str) -> Iterator[ConsoleRenderable]:
    yield Rule("The same feed, indexed and searched", align="left", style="cyan")
    if isinstance(index, str):
        yield Text(f"Left out: {index}")
        return
    selection = index.selection
    yield Text(
        f"{index.summary['read']} documents went into a temporary store ({index.kind}); the words of "
        f"{selection.query!r} found {index.pool} passages, shared out over {len(selection.seats)} seats:"
    )
    for seat in selection.seats:
        outlets = len(seat.copies.sources)
        marks = f" [carried by {outlets} outlets]" if outlets > 1 else ""
        yield Text.assemble(f"{seat.seat:2} ", (f"{seat.source}: ", "bold"), f"{seat.title}", (marks, "green"))


def _total(shown: Sequence[Shown]) -> Text:
    before = sum(_counted(one, 0) for one in shown)
    after = sum(_counted(one, 1) for one in shown)
    saved = sum(int(one.selection.report["tokens_saved"]) for one in shown)
    return Text(
        f"Facts delivered over all queries: {before} by the ranker alone, {after} by the selection. "
        f"Tokens of copies, overlaps and drafts that nobody has to read: {saved}.",
        style="bold",
    )


def _counted(one: Shown, side: int) -> int:
    share = one.measures[f"StRecall@{one.k}"][side] or 0.0
    return round(share * one.facts)


def _candidates(shown: Sequence[Shown]) -> int:
    return len({id for one in shown for id in one.pool})


def _names(facts: Sequence[str]) -> str:
    return ", ".join(fact.replace("_", " ") for fact in facts)


def _number(value: float | None, whole: bool) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if whole else f"{value:.2f}"
