"""From the written pieces to candidates: outlets, chunks, pages, versions, mail."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from reparto.demo.prose import Prose, windows

Source = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Piece:
    """A candidate without a score, and the facts it carries."""

    fields: Mapping[str, Any]
    facts: frozenset[str]

    @property
    def id(self) -> str:
        """The candidate's id."""
        return str(self.fields["id"])


def read(name: str) -> Source:
    """One of the source files of this package, `pieces/NAME.toml`."""
    text = files("reparto.demo").joinpath("pieces", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def compose() -> list[Piece]:
    """Every piece of the feed, in the order of the source files."""
    source = {**read("wire"), **read("official")}
    source["piece"] = read("voices")["piece"] + source["piece"]
    return [piece for make in _MAKERS for piece in make(source)]


def _outlets(source: Source) -> Iterator[Piece]:
    for outlet in source["outlet"]:
        prose = Prose.parse(source["wire"][outlet["of"]]["text"]).trimmed(outlet.get("tail", 0))
        prose = prose.swapped(outlet.get("swap", ()), outlet.get("facts", ()))
        if "added" in outlet:
            prose = prose.extended(outlet["added"])
        foot = f"\n\n{outlet['foot']}" if "foot" in outlet else ""
        text = outlet.get("head", "") + prose.render() + foot
        yield _piece(outlet, text, prose.facts, language=outlet["of"])


def _articles(source: Source) -> Iterator[Piece]:
    for article in source["piece"]:
        prose = Prose.parse(article["text"])
        yield _piece(article, prose.render(), prose.facts)


def _chunks(source: Source) -> Iterator[Piece]:
    report = source["report"]
    prose = Prose.parse(report["text"])
    text = prose.render()
    for number, (start, end) in enumerate(windows(text, report["size"], report["overlap"]), 1):
        facts = [name for a, b, names in prose.places() if start <= a and b <= end for name in names]
        yield _piece(
            {**report, "id": f"{report['id']}-{number}"},
            text[start:end],
            facts,
            document=report["id"],
            start=start,
            end=end,
        )


def _pages(source: Source) -> Iterator[Piece]:
    site = source["site"]
    for page in source["page"]:
        prose = Prose.parse(page["text"])
        text = "\n\n".join([site["header"].strip(), prose.render(), site["footer"].strip()])
        yield _piece({"language": "en", **page}, text, prose.facts, source=site["source"])


def _versions(source: Source) -> Iterator[Piece]:
    notice = source["notice"]
    for one in notice["versions"]:
        marked = notice["text"].replace("{date}.", f"{one['date']}. {{{one['fact']}}}")
        prose = Prose.parse(marked)
        fields = {**notice, "id": f"{notice['document']}-v{one['version']}", "published": one["published"]}
        yield _piece(fields, prose.render(), prose.facts, document=notice["document"], version=one["version"])


def _mails(source: Source) -> Iterator[Piece]:
    mails = {mail["id"]: mail for mail in source["mail"]}

    def message(mail: Source) -> tuple[str, tuple[str, ...]]:
        prose = Prose.parse(mail["text"])
        new = prose.render(within="\n")
        if "quotes" not in mail:
            return new, prose.facts
        earlier = mails[mail["quotes"]]
        quoted, facts = message(earlier)
        lines = [f"> {line}".rstrip() for line in quoted.splitlines()]
        text = "\n".join([new, "", f"On 12 March 2025, {earlier['sender']} wrote:", *lines])
        return text, prose.facts + facts

    for mail in source["mail"]:
        yield _piece(mail, *message(mail), language="en")


_MAKERS: tuple[Callable[[Source], Iterator[Piece]], ...] = (
    _outlets,
    _articles,
    _chunks,
    _pages,
    _versions,
    _mails,
)
_CARRIED = (
    "title",
    "source",
    "document",
    "start",
    "end",
    "version",
    "published",
    "tier",
    "concept",
    "language",
)


def _piece(written: Source, text: str, facts: Any, **more: Any) -> Piece:
    """Put the candidate's fields in one order, whatever the source file held besides."""
    known = {**written, **more}
    fields = {"id": known["id"], "text": text}
    fields |= {name: known[name] for name in _CARRIED if name in known}
    fields["url"] = f"https://{_slug(known['source'])}.example/{known.get('url', known['id'])}"
    if "metadata" in known:
        fields["metadata"] = known["metadata"]
    return Piece(fields, frozenset(facts))


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
