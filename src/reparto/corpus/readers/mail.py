"""Mail: single messages (.eml) and mailboxes (mbox). What a reply quotes is split off; threads are linked.

Messages are parsed by the standard library; new and quoted text are told apart as selection tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from email.utils import parseaddr, parsedate_to_datetime
from typing import Any

from reparto.corpus.readers.base import Source, skipped
from reparto.corpus.readers.markup import plain
from reparto.documents import Document
from reparto.encodable import encodable
from reparto.errors import Problem
from reparto.groupings.mail import new_text

MESSAGE_ID = re.compile(r"<([^<>\s]+)>")


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


def _document(parsed: EmailMessage, fallback: str) -> Document:
    header = {name: str(parsed.get(name, "")) for name in ("Message-ID", "In-Reply-To", "References", "List-Id")}
    ids = {name: MESSAGE_ID.findall(text) for name, text in header.items()}
    own = ids["Message-ID"][0] if ids["Message-ID"] else fallback
    parent = (ids["In-Reply-To"] or ids["References"][-1:] or [None])[0]
    sender = parseaddr(str(parsed.get("From", "")))[1]
    body = _body(parsed).replace("\r\n", "\n")
    new, quoted = new_text(body)
    if not new.strip():
        new, quoted = body, ""
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
    return encodable(text.replace("\0", ""))


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
