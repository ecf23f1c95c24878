"""Readers: every format a person may point at, and what happens to what cannot be read."""

import gzip
import json
import mailbox
from pathlib import Path
from typing import Any

import pytest

from reparto.corpus.readers import Inputs
from reparto.documents import Document
from reparto.errors import Problem

PAGE = """<html lang="es"><head><title>El puente cerrado</title><meta property="og:site_name" content="El Faro">
<meta property="article:published_time" content="2026-03-02T08:00:00Z"><link rel="canonical"
href="https://faro.example/puente"></head><body><nav><a href="/">Portada</a><a href="/deportes">Deportes</a></nav>
<article><h1>El puente cerrado</h1>%s</article><footer>Todos los derechos reservados</footer></body></html>"""
PARAGRAPH = (
    "<p>El puente del puerto quedó cerrado el lunes tras el choque de una grúa contra su pilar norte, dijo %s.</p>"
)
FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>El Faro</title><language>es</language>
<item><guid>faro-1</guid><title>Puente &amp; puerto</title><link>https://faro.example/1</link>
<pubDate>Mon, 02 Mar 2026 08:00:00 GMT</pubDate>
<description>&lt;p&gt;Cerrado el &lt;b&gt;puente&lt;/b&gt;.&lt;/p&gt;</description>
</item><item><title>Sin texto propio</title></item></channel></rss>"""
ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Wire</title>
<entry><id>tag:w,1</id><title>T</title><updated>2026-03-02T08:00:00Z</updated><content type="html">&lt;p&gt;One.&lt;/p&gt;
&lt;p&gt;Two.&lt;/p&gt;</content></entry></feed>"""
MAIL = b"""Message-ID: <two@example.org>\r\nIn-Reply-To: <one@example.org>
References: <zero@example.org> <one@example.org>
From: Ana <ana@example.org>\r\nList-Id: Talk <talk.example.org>\r\nSubject: =?utf-8?q?Re=3A_caf=C3=A9?=
Date: Mon, 2 Mar 2026 09:00:00 +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nI agree with this.

On Sun, 1 Mar 2026, Bo wrote:
> Shall we meet?
> Tomorrow?
"""


def read(*paths: Any, **options: Any) -> tuple[list[Document], list[Problem]]:
    found = list(Inputs([str(path) for path in paths], **options))
    documents = [one for one in found if isinstance(one, Document)]
    return documents, [one for one in found if isinstance(one, Problem)]


def test_json_lines_with_bad_ones_among_them(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"id": 1, "text": "one"}\n\nnot json\n{"id": "x"}\n{"id": 2, "text": "\xff"}\n[1]\n{"id": 3, "text": "t"}'
    )
    documents, problems = read(file)
    assert [one.id for one in documents] == ["1", "3"]
    assert [(one.line, one.code) for one in problems] == [
        (3, "not_json"), (4, "document_text"), (5, "not_json"), (6, "document_not_object"),
    ]  # fmt: skip
    assert all(str(file) in one.message for one in problems)


def test_packed_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"id": "1", "text": "one"}\n'))
    assert read(file)[0] == [Document("1", "one")]
    file.write_bytes(gzip.compress(b'{"id": "1", "text": "one"}\n')[:-9])
    assert [one.code for one in read(file)[1]] == ["unreadable"]


def test_json_of_one_or_many(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text('[{"id": 1, "text": "a"}, {"id": 2}]')
    assert ([one.id for one in read(file)[0]], len(read(file)[1])) == (["1"], 1)
    file.write_text('{"id": 1, "text": "a"}')
    assert [one.id for one in read(file)[0]] == ["1"]
    file.write_text("[" * 100_000)
    assert [one.code for one in read(file)[1]] == ["not_json"]


def test_csv_and_tsv(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text('id,text,source,desk\n1,"two\nlines, and a comma",EFE,\n2,,dpa,x\n', encoding="utf-8-sig")
    documents, problems = read(file)
    assert documents == [Document("1", "two\nlines, and a comma", source="EFE")]
    assert [one.field for one in problems] == ["text"]
    (tmp_path / "b.tsv").write_text("id\ttext\n1\ta\n")
    assert read(tmp_path / "b.tsv")[0] == [Document("1", "a")]
    (tmp_path / "c.csv").write_text("name,body\n1,a\n")
    assert "no column id and no text" in read(tmp_path / "c.csv")[1][0].message
    (tmp_path / "d.csv").write_text("id,text\n1," + "x" * 300_000)
    assert len(read(tmp_path / "d.csv")[0][0].text) == 300_000


def test_parquet(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    parquet = pytest.importorskip("pyarrow.parquet", reason="needs the extra `parquet`")
    from datetime import date

    file = tmp_path / "a.parquet"
    rows = [
        {"id": 1, "text": "a", "published": date(2026, 3, 2), "metadata": {"x": 1, "y": None}},
        {"id": 2, "text": None, "published": None, "metadata": None},
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), file)
    documents, problems = read(file)
    assert documents == [Document("1", "a", published="2026-03-02", metadata={"x": 1})]
    assert [one.id for one in problems] == ["2"]
    file.write_bytes(b"PAR1 nonsense PAR1")
    assert [one.code for one in read(file)[1]] == ["unreadable"]


def test_text_and_markdown(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("intro\n\n## The *title* ##\n\nbody")
    (tmp_path / "b.txt").write_bytes("café".encode("cp1252"))
    (tmp_path / "c.txt").write_bytes("café".encode("utf-16"))
    (tmp_path / "d.txt").write_bytes(b"\x00\x01\x02\x00" * 50)
    documents, problems = read(tmp_path, root=tmp_path)
    assert [(one.id, one.title, one.markup) for one in documents][:2] == [
        ("a.md", "The *title*", "markdown"), ("b.txt", None, "plain"),
    ]  # fmt: skip
    assert [one.text for one in documents[1:]] == ["café", "café"]
    assert [one.code for one in problems] == ["binary"]


def test_a_page(tmp_path: Path) -> None:
    pytest.importorskip("trafilatura", reason="needs the extra `html`")
    file = tmp_path / "a.html"
    file.write_text(PAGE % "".join(PARAGRAPH % name for name in ("el alcalde", "la autoridad portuaria", "un testigo")))
    [document], problems = read(file)
    assert not problems
    assert document.text.count("grúa") == 3
    assert "Deportes" not in document.text
    assert (document.title, document.source, document.url) == (
        "El puente cerrado",
        "El Faro",
        "https://faro.example/puente",
    )
    assert (document.published, document.language) == ("2026-03-02", "es")
    file.write_text("<html><body></body></html>")
    assert [one.code for one in read(file)[1]] == ["no_text"]


def pdf(pages: list[str]) -> bytes:
    """A small PDF by hand: one line of text a page."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode()
        number = len(objects) + 1
        kids.append(f"{number} 0 R")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {number + 1} 0 R /Resources << /Font << /F1 << /Type /Font "
            "/Subtype /Type1 /BaseFont /Helvetica >> >> >> /MediaBox [0 0 612 792] >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(pages)} >>".encode()
    body, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table) + trailer


def test_pdf(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="needs the extra `pdf`")
    (tmp_path / "a.pdf").write_bytes(pdf(["First page.", "Second page."]))
    [document], problems = read(tmp_path / "a.pdf")
    assert not problems
    starts = document.metadata["pages"]
    assert [document.text[start : start + 6].strip() for start in starts] == ["First", "Second"]
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.4 nothing")
    (tmp_path / "c.pdf").write_bytes(pdf([""]))
    assert [one.code for one in read(tmp_path / "b.pdf", tmp_path / "c.pdf")[1]] == ["unreadable", "no_text"]


def test_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(MAIL)
    [document], _ = read(tmp_path / "a.eml")
    assert (document.id, document.text.strip(), document.title) == ("two@example.org", "I agree with this.", "Re: café")
    assert (document.source, document.published) == ("talk.example.org", "2026-03-02T09:00:00+01:00")
    assert document.metadata["thread"] == "zero@example.org"
    assert document.metadata["in_reply_to"] == "one@example.org"
    assert "Shall we meet?" in document.metadata["quoted"]


def test_a_mailbox(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "a.mbox")
    for number in range(3):
        message = mailbox.mboxMessage()
        message["Message-ID"] = f"<m{number}@x>"
        message.set_payload(f"From here it is message {number}.\n\nFrom there too.\n")
        box.add(message)
    box.close()
    documents, problems = read(tmp_path / "a.mbox")
    assert not problems
    assert [one.id for one in documents] == ["m0@x", "m1@x", "m2@x"]
    assert documents[1].text.strip() == "From here it is message 1.\n\nFrom there too."


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe\x00", b"Subject: =?utf-8?b?////?=\n\nx", b"From: \x00\nDate: never\n\nhello"]
)
def test_odd_messages_do_not_stop_the_run(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "a.eml").write_bytes(raw)
    documents, problems = read(tmp_path / "a.eml")
    assert len(documents) + len(problems) == 1


def test_a_message_of_nothing_but_quotation_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"Message-ID: <x@y>\n\n> all of it\n> is quoted\n")
    [document], _ = read(tmp_path / "a.eml")
    assert "is quoted" in document.text
    assert "quoted" not in document.metadata


def test_feeds(tmp_path: Path) -> None:
    pytest.importorskip("feedparser", reason="needs the extra `feed`")
    (tmp_path / "a.rss").write_text(FEED)
    (tmp_path / "b.atom").write_text(ATOM)
    (tmp_path / "c.xml").write_text("<nothing/>")
    documents, problems = read(tmp_path, root=tmp_path)
    assert [one.id for one in documents] == ["faro-1", "a.rss#2", "tag:w,1"]
    first = documents[0]
    assert (first.text, first.title, first.source, first.language) == (
        "Cerrado el puente.",
        "Puente & puerto",
        "El Faro",
        "es",
    )
    assert (first.published, first.url) == ("2026-03-02T08:00:00+00:00", "https://faro.example/1")
    assert documents[2].text == "One.\n\nTwo."
    assert [one.code for one in problems] == ["no_feed"]


def test_an_entity_bomb_is_passed_over(tmp_path: Path) -> None:
    pytest.importorskip("feedparser", reason="needs the extra `feed`")
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    item = "<rss><channel><item><title>&l11;</title></item></channel></rss>"
    bomb = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY l0 "boom">{levels}]>{item}'
    (tmp_path / "a.rss").write_text(bomb)
    documents, problems = read(tmp_path / "a.rss")
    assert sum(len(one.text) for one in documents) < 10_000
    assert len(documents) + len(problems) == 1


def test_an_entity_that_names_a_file_is_not_read(tmp_path: Path) -> None:
    pytest.importorskip("feedparser", reason="needs the extra `feed`")
    secret = tmp_path / "secret.txt"
    secret.write_text("do not tell")
    (tmp_path / "a.rss").write_text(
        f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        "<rss><channel><item><title>T &x;</title></item></channel></rss>"
    )
    documents, _ = read(tmp_path / "a.rss")
    assert "do not tell" not in json.dumps([one.to_dict() for one in documents])


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (inside / "own.txt").write_text("own")
    (inside / "link.txt").symlink_to(outside / "secret.txt")
    (inside / "folder").symlink_to(outside)
    (inside / "alias.txt").symlink_to(inside / "own.txt")
    (inside / ".hidden.txt").write_text("hidden")
    documents, problems = read(inside)
    assert {one.text for one in documents} == {"own"}
    assert [one.code for one in problems] == ["link"]


def test_what_is_missing_or_unknown_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.xyz").write_text("?")
    documents, problems = read(tmp_path / "none.jsonl", tmp_path)
    assert documents == []
    assert [one.code for one in problems] == ["unreadable", "unknown_format"]
    assert "none.jsonl" in problems[0].message
    assert read(tmp_path / "a.xyz")[0][0].text == "?", "named by itself, it is taken for text"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    class Input:
        buffer = io.BytesIO(b'{"id": 1, "text": "a"}\n')

    monkeypatch.setattr(sys, "stdin", Input())
    assert read("-")[0] == [Document("1", "a")]


def test_a_missing_extra_is_said_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in ("pypdf", "trafilatura", "feedparser", "pyarrow"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("a.pdf", "b.html", "c.rss", "d.parquet"):
        (tmp_path / name).write_text("x")
    problems = read(tmp_path)[1]
    assert [one.remedy for one in problems] == [
        f"pip install 'reparto[{extra}]'" for extra in ("pdf", "html", "feed", "parquet")
    ]
