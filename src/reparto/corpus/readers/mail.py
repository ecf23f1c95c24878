"""Mail: single messages (.eml) and mailboxes (mbox). What a reply quotes is split off; threads are linked.

Standard library for the messages, quotequail (extra `mail`) for the many ways in which programs mark a
quotation; without it, lines that begin with `>` and the line of attribution above them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from reparto.corpus.documents import Document
from reparto.corpus.readers.base import Source, skipped
from reparto.corpus.readers.markup import plain
from reparto.errors import Problem

MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
ATTRIBUTION = re.compile(r"(?:\n|^)[^\n>]{0,200}(?::|wrote|escribió|schrieb|écrit)[^\n]{0,20}\n\s*$")
DEEPEST = 50


class Mail:
    """One document a message: its new text. `metadata` has the thread, the parent and the quoted part."""

    suffixes: tuple[str, ...] = (".eml",)

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The message."""
        yield from message(source, source.read(), source.identity)


class Mailbox:
    """A file of messages, each after a line that begins with `From `. Streamed message by message."""

    suffixes = (".mbox", ".mbx")

    def __call__(self, source: Source) -> Iterator[Document | Problem]:
        """The messages; one that cannot be read is skipped."""
        for number, raw in enumerate(_messages(source), 1):
            yield from message(source, raw, f"{source.identity}#{number}")


def message(source: Source, raw: bytes, fallback: str) -> Iterator[Document | Problem]:
    """One message as a document; its id is the Message-ID, else `fallback`."""
    try:
        parsed = BytesParser(policy=policy.default).parsebytes(raw)
        document = _document(parsed, fallback)
    # The parser of the standard library fails on malformed headers in ways that it does not name.
    except Exception as error:
        yield skipped(source, f"{fallback}: {type(error).__name__}: {error}")
        return
    if document.text.strip():
        yield document
    else:
        yield skipped(source, f"{fallback} has no text of its own", code="no_text")


def split(text: str) -> tuple[str, str]:
    """New text and quoted text of a reply."""
    try:
        from quotequail import quote
    except ImportError:
        parts = _by_mark(text)
    else:
        parts = quote(text)
    new = "\n".join(part for is_new, part in parts if is_new).strip("\n")
    quoted = "\n".join(part for is_new, part in parts if not is_new).strip("\n")
    return _inline(new, quoted) if new.strip() else (text, "")


def _inline(new: str, quoted: str) -> tuple[str, str]:
    """Quotations between the lines of an answer, which the split above leaves where they are."""
    parts = _by_mark(new)
    kept = "\n".join(part for is_new, part in parts if is_new).strip("\n")
    cited = "\n".join(part for is_new, part in parts if not is_new)
    return (kept, "\n".join(part for part in (cited, quoted) if part)) if kept.strip() else (new, quoted)


def _by_mark(text: str) -> list[tuple[bool, str]]:
    parts: list[tuple[bool, list[str]]] = []
    for line in text.split("\n"):
        is_new = not line.lstrip().startswith((">", "|>"))
        if not parts or parts[-1][0] != is_new:
            parts.append((is_new, []))
        parts[-1][1].append(line)
    joined = [(is_new, "\n".join(lines)) for is_new, lines in parts]
    for place in range(len(joined) - 1):
        if joined[place][0] and (found := ATTRIBUTION.search(joined[place][1] + "\n")):
            joined[place] = (True, joined[place][1][: found.start()])
    return joined


def _document(parsed: EmailMessage, fallback: str) -> Document:
    header = {name: str(parsed.get(name, "")) for name in ("Message-ID", "In-Reply-To", "References", "List-Id")}
    ids = {name: MESSAGE_ID.findall(text) for name, text in header.items()}
    own = ids["Message-ID"][0] if ids["Message-ID"] else fallback
    parent = (ids["In-Reply-To"] or ids["References"][-1:] or [None])[0]
    sender = parseaddr(str(parsed.get("From", "")))[1]
    new, quoted = split(_body(parsed).replace("\r\n", "\n"))
    about: dict[str, Any] = {
        "message_id": own,
        "thread": (ids["References"] or ids["In-Reply-To"] or [own])[0],
        "in_reply_to": parent,
        "from": sender or None,
        "quoted": quoted or None,
    }
    return Document(
        id=_clean(own),
        text=_clean(new),
        title=_clean(str(parsed.get("Subject", ""))) or None,
        source=_clean(ids["List-Id"][0] if ids["List-Id"] else sender) or None,
        published=_date(str(parsed.get("Date", ""))),
        metadata={name: _clean(value) for name, value in about.items() if value},
        markup="mail",
    )


def _body(parsed: EmailMessage) -> str:
    """The plain text, else the text of the HTML part; attachments are not read."""
    for kind in ("plain", "html"):
        part = parsed.get_body(preferencelist=(kind,))
        if part is not None:
            content = part.get_content()
            return plain(content) if kind == "html" else str(content)
    return ""


def _date(header: str) -> str | None:
    try:
        return parsedate_to_datetime(header).isoformat()
    except (ValueError, TypeError):
        return None


def _clean(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _messages(source: Source) -> Iterator[bytes]:
    lines: list[bytes] = []
    size, blank = 0, True
    with source.open() as stream:
        while line := stream.readline(source.limits.line):
            if blank and line.startswith(b"From "):
                if any(one.strip() for one in lines):
                    yield b"".join(lines)
                lines, size = [], 0
            elif size <= source.limits.line:
                lines.append(line[1:] if line.startswith(b">From ") else line)
                size += len(line)
            blank = not line.strip()
    if any(one.strip() for one in lines):
        yield b"".join(lines)
