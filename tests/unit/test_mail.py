"""Quoted mail and shared edges of pages."""

import pytest

from reparto.groupings.boilerplate import shared_edges
from reparto.groupings.mail import new_text, quotes_whole, whole_quotations

FIRST = "The pump trial starts on Tuesday at the north well."
SECOND = f"Agreed. I will bring the valve.\n\nOn Monday the site office wrote:\n> {FIRST}"
THIRD = "Book the crane.\n\nEl lunes, la obra escribió:\n" + "\n".join(f"> {line}" for line in SECOND.splitlines())


@pytest.mark.parametrize(
    ("text", "new", "quoted"),
    [
        (FIRST, FIRST, ""),
        (SECOND, "Agreed. I will bring the valve.", f"On Monday the site office wrote:\n{FIRST}"),
        ("New\n-----Original Message-----\nFrom: a\nOld", "New", "-----Original Message-----\nFrom: a\nOld"),
        ("Neu\n\nVon: a\nGesendet: heute\nAlt", "Neu", "Von: a\nGesendet: heute\nAlt"),
        ("Nuevo\n\nDe: ana\nPara: bo\nAsunto: x\n\nViejo", "Nuevo", "De: ana\nPara: bo\nAsunto: x\n\nViejo"),
        ("Ja\nOn 3 May 2024 at 10:00, Ann\n<ann@example.com> wrote:\n> Old", "Ja",
         "On 3 May 2024 at 10:00, Ann\n<ann@example.com> wrote:\nOld"),
        (">> a\n> b\nc", "c", "a\nb"),
        ("----- Original Message -----\nFrom: ann\n\n> Old\n\nNew", "New",
         "----- Original Message -----\nFrom: ann\n\nOld"),
        ("New\n----- Original Message -----\nFrom: ann\n\n> Older\nOld", "New",
         "----- Original Message -----\nFrom: ann\n\nOlder\nOld"),
        ("From: ann\nTo: bo\n\nHello", "From: ann\nTo: bo\n\nHello", ""),
        ("He wrote: a letter.\nIt was long.", "He wrote: a letter.\nIt was long.", ""),
    ],
)  # fmt: skip
def test_new_text(text, new, quoted):
    assert new_text(text) == (new, quoted)


def test_a_message_quoted_whole():
    assert quotes_whole(SECOND, FIRST)
    assert quotes_whole(THIRD, FIRST)
    assert quotes_whole(THIRD, SECOND)
    assert not quotes_whole(FIRST, SECOND)
    assert not quotes_whole(SECOND, "The pump trial starts on Wednesday.")
    assert not quotes_whole(SECOND, "pump")
    assert whole_quotations([FIRST, SECOND, THIRD, ""]) == [(1, 0), (2, 0), (2, 1)]


def test_shared_header_and_footer_are_left_out():
    pages = [
        f"Valley Council home\nNews\n{fact}\nCookies and terms" for fact in ("Bins in June.", "Elm Road.", "Swimming.")
    ]
    assert shared_edges(pages, ["v"] * 3) == ["Bins in June.", "Elm Road.", "Swimming."]
    assert shared_edges(pages, ["v", "v", "w"]) == pages
    assert shared_edges(pages, [None] * 3) == pages


def test_nothing_is_left_out_where_nothing_would_remain():
    same = ["Head\nBody\nFoot"] * 4
    assert all(out is text for out, text in zip(shared_edges(same, ["v"] * 4), same, strict=True))
    bare = ["Head\nFoot", "Head\nA\nFoot", "Head\nB\nFoot"]
    assert shared_edges(bare, ["v"] * 3) == ["Head\nFoot", "A", "B"]


def test_single_lines_need_a_long_shared_run():
    short = [f"The harbour fee rises to {n} euros on Monday" for n in "123"]
    assert shared_edges(short, ["v"] * 3) == short
    banner = " ".join(f"menu{n}" for n in range(25))
    long = [f"{banner} {fact} is what it says" for fact in ("one", "two", "three")]
    assert shared_edges(long, ["v"] * 3) == ["one is what it says", "two is what it says", "three is what it says"]
