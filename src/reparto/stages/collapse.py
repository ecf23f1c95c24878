"""Collapse: copies take one seat that counts them. Star groups in rank order, and facts decide.

The best unassigned entry is the centre and takes only entries verified *against it*: no chains, and no dependence on
input order. Exact copies are taken together first, so that thousands of them cost one comparison.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reparto import registry
from reparto.contract.policy import Collapse as Table
from reparto.groupings import Compared, Grouping, Link, Links
from reparto.model import Decision, Entry, Fate, Notice, Pool, Relation, Step
from reparto.stages import ranked
from reparto.stages.disagreement import Disagreement
from reparto.stages.representative import representative
from reparto.stages.revisions import settle_revisions

ORDER = ("lexical", "quoted", "vector")  # the cheaper proof is the one that the log names


@dataclass(frozen=True, slots=True, eq=False)
class Collapse:
    """Built from the collapse table of a policy. `prefer_gold`: a gold text represents its copies.

    O(n log n) for exact copies, plus the groupings' own cost, plus one look at the facts per link that is needed.
    """

    table: Table
    prefer_gold: bool = False

    def __call__(self, pool: Pool) -> Step:
        """Group, choose representatives, settle revisions."""
        compared = Compared(pool.entries)
        groups = self._exact(compared) if self.table.exact else [_Group(entry) for entry in pool.entries]
        if len(groups) < len(pool):
            place = {entry.id: i for i, entry in enumerate(pool.entries)}
            centres = [group.centre for group in groups]
            compared = Compared(centres, compared.whole.take([place[entry.id] for entry in centres]))
        groups = self._star(groups, compared)
        decisions: list[Decision] = []
        entries: list[Entry] = []
        names: dict[str, str] = {}
        for group in groups:
            entry, copies = self._represent(group)
            names[group.centre.id] = entry.id
            entries.append(entry)
            decisions += copies
        entries, notices = settle_revisions(entries, groups_revisions(groups, names), self.table.revisions)
        notices += _chosen_without_zone(groups, self.table.representative)
        return Step(ranked(entries, pool.query), tuple(decisions), tuple(notices))

    def _exact(self, compared: Compared) -> list[_Group]:
        """Groups of one comparison form, each within the time window of its best."""
        leaders = compared.whole.leaders().tolist()
        open_groups: dict[int, list[_Group]] = defaultdict(list)
        found: list[_Group] = []
        for entry, leader in zip(compared.entries, leaders, strict=True):
            for group in open_groups[leader]:
                if self._in_window(group.centre, entry):
                    group.copies.append(_Copy(entry, Relation.EXACT, {"resemblance": 1.0, "containment": 1.0}))
                    break
            else:
                group = _Group(entry)
                open_groups[leader].append(group)
                found.append(group)
        return found

    def _star(self, groups: list[_Group], compared: Compared) -> list[_Group]:
        """Each unassigned centre in rank order takes what is verified against it."""
        links = self._links(compared)
        bounds = np.searchsorted(links.high, np.arange(len(groups) + 1)).tolist()
        above: dict[int, list[int]] = defaultdict(list)
        for row in np.flatnonzero(links.high > links.low).tolist():
            above[int(links.low[row])].append(int(links.high[row]))
        facts = Disagreement(compared, self.table.revisions == "collapse")
        taken = np.zeros(len(groups), dtype=bool)
        found: list[_Group] = []
        for first in range(len(groups)):
            if taken[first]:
                continue
            i = _climb(first, above, taken, compared, facts)
            group = groups[i]
            taken[i] = True
            group.relevance = max(group.relevance, groups[first].relevance)
            found.append(group)
            if bounds[i] == bounds[i + 1]:
                continue
            rows = np.arange(bounds[i], bounds[i + 1])
            rows = rows[~taken[links.low[rows]] & ~facts.settled(i, links.low[rows])]
            for row in rows.tolist():
                link = links[row]
                differ = facts.between(i, link.low, link.relation is Relation.VECTOR)
                if differ is None:
                    taken[link.low] = True
                    other = groups[link.low]
                    group.take(other, partial(self._relation, link, group.centre), link.evidence())
                elif groups[link.low].revision_of is None:
                    groups[link.low].revision_of = (group, {**link.evidence(), "differ": differ})
        return found

    def _links(self, compared: Compared) -> Links:
        parts: list[Links] = []
        for name in (*ORDER, *(one for one in registry.names("groupings") if one not in ORDER)):
            grouping: Grouping | None = registry.load("groupings", name).of(self.table)
            if grouping is not None:
                parts.append(grouping.links(compared))
        links = Links.joined(parts)
        if self.table.window_days is None:
            return links
        pairs = zip(links.high.tolist(), links.low.tolist(), strict=True)
        entries = compared.entries
        return links.keep(np.array([self._in_window(entries[i], entries[j]) for i, j in pairs], dtype=bool))

    def _in_window(self, a: Entry, b: Entry) -> bool:
        one, other = a.candidate.instant, b.candidate.instant
        if self.table.window_days is None or one is None or other is None:
            return True
        return abs(one - other) <= timedelta(days=self.table.window_days)

    def _relation(self, link: Link, centre: Entry, copy: Entry) -> Relation:
        """Same source is an update, another language a translation; else what the grouping found."""
        one, other = centre.candidate, copy.candidate
        if one.source is not None and one.source == other.source and link.relation is not Relation.CONTAINED:
            return Relation.UPDATE
        if link.relation is Relation.VECTOR and one.language and other.language and one.language != other.language:
            return Relation.TRANSLATION
        return link.relation

    def _represent(self, group: _Group) -> tuple[Entry, list[Decision]]:
        """The group as one entry, and a decision for each copy."""
        if not group.copies and group.relevance == group.centre.relevance:
            return group.centre, []
        members = [group.centre, *(copy.entry for copy in group.copies)]
        chosen = representative(members, self.table, self.prefer_gold)
        others = tuple(member for member in members if member is not chosen)
        decisions = []
        links = {copy.entry.id: copy for copy in group.copies}
        for copy in group.copies:
            entry, proof = copy.entry, copy
            if entry is chosen:  # the centre becomes a copy of it, by what joined them
                entry, proof = group.centre, links.get(str(copy.evidence.get("against")), copy)
            evidence = proof.evidence
            if proof is not copy:
                evidence = {**evidence, "against": proof.entry.id}
            elif chosen is not group.centre and copy.entry is not chosen:
                # It was verified against the centre, which is itself a copy of the representative.
                evidence = {"against": group.centre.id, **evidence}
            decisions.append(Decision(entry.id, Fate.COPY, chosen.id, proof.relation, evidence))
        return replace(chosen, relevance=group.relevance, copies=chosen.copies + others), decisions


def _chosen_without_zone(groups: Iterable[_Group], how: str) -> list[Notice]:
    """A warning that names the times without a zone that took part in choosing the first or last published."""
    if how not in ("earliest", "latest"):
        return []
    ids: list[str] = []
    for group in groups:
        dated = [one for one in (group.centre, *(copy.entry for copy in group.copies)) if one.candidate.instant]
        ids += [one.id for one in dated if one.candidate.zoneless and len(dated) > 1]
    said = f"published without a time zone, taken as UTC in choosing the {how} copy: {', '.join(sorted(ids))}"
    return [Notice("zone_missing", said, tuple(sorted(ids)))] if ids else []


@dataclass(slots=True, eq=False)
class _Copy:
    entry: Entry
    relation: Relation
    evidence: dict[str, Any]


class _Group:
    """A centre and what it took."""

    def __init__(self, centre: Entry) -> None:
        self.centre, self.relevance = centre, centre.relevance
        self.copies: list[_Copy] = []
        self.revision_of: tuple[_Group, dict[str, object]] | None = None

    def take(self, other: _Group, relation: Callable[[Entry], Relation], evidence: dict[str, Any]) -> None:
        """The other group's centre, and with it the exact copies that it had, each in its own relation."""
        self.copies.append(_Copy(other.centre, relation(other.centre), evidence))
        # What was compared by text holds for texts of the same form; a vector is each one's own.
        twin = {"against": other.centre.id}
        self.copies += [
            _Copy(copy.entry, copy.relation, {**copy.evidence, **twin})
            if "cosine" in evidence
            else _Copy(copy.entry, relation(copy.entry), evidence)
            for copy in other.copies
        ]
        self.relevance = max(self.relevance, other.relevance)


def groups_revisions(groups: Iterable[_Group], names: dict[str, str]) -> dict[str, Decision]:
    """Representative's id -> of which entry it is a revision, with the evidence."""
    return {
        names[group.centre.id]: Decision(
            names[group.centre.id],
            Fate.SEATED,
            names[group.revision_of[0].centre.id],
            Relation.REVISION,
            group.revision_of[1],
        )
        for group in groups
        if group.revision_of is not None and group.revision_of[0].centre.id in names
    }


def _climb(
    start: int, above: Mapping[int, Sequence[int]], taken: NDArray[np.bool_], compared: Compared, facts: Disagreement
) -> int:
    """From an entry up to the fullest unassigned text that contains it, if containers may take its place."""
    i, holding = start, set(above.get(start, ()))
    while holding:
        length = len(compared.entries[i].text)
        fuller = [
            j for j in above.get(i, ()) if not taken[j] and j in holding and len(compared.entries[j].text) > length
        ]
        fuller = [j for j in fuller if facts.between(j, i) is None and facts.between(j, start) is None]
        if not fuller:
            break
        i = max(fuller, key=lambda j: (len(compared.entries[j].text), -j))
    return i
