"""Versions of a page: what the guard of a corpus keeps apart within one source, and what it does not."""

import pytest

from reparto.corpus.groups import group_documents
from reparto.corpus.guard import agree
from reparto.documents import Document

PAGE = (
    "Make sure that all of your members are updated before the rolling upgrade of the cluster begins. "
    "Patch releases {first} through {last} several potential upgrade blockers of the version store. "
    "A member that was never configured in the old way needs no further action at all from anybody."
)
LINES = "Definitions of the words", "Roles of the parties", "Prohibitions of use", "Transfers of data", "Measures taken"


def numbered(numbers: list[int], mark: str) -> str:
    return "\n".join(mark.format(n=n, line=line) for n, line in zip(numbers, LINES, strict=True))


@pytest.mark.parametrize("one_page", [True, False])
def test_another_version_number_in_other_words_is_another_version(one_page: bool) -> None:
    old = PAGE.format(first="3.5.24", last="[3.5.32](july-patch-release), which came out last of all, fix")
    new = PAGE.format(
        first="3.5.24", last="3.5.26 fix; [3.5.32](july-patch-release), which came out last of all, adds to"
    )
    assert agree(old, old.replace("which came", "that came"), one_page)
    if one_page:
        assert not agree(old, new, one_page)


def test_a_page_that_numbers_its_sections_otherwise_is_another_version() -> None:
    old, new = numbered([1, 2, 3, 4, 5], "{n}. {line}"), numbered([4, 5, 6, 7, 8], "**{n}\\. {line}**")
    assert not agree(old, new, one_page=True)
    assert agree(old, numbered([1, 2, 3, 4, 5], "**{n}\\. {line}**"), one_page=True)
    assert agree(old, "\n".join(LINES), one_page=True), "without numbers it says nothing else"


def test_versions_are_linked_and_not_merged() -> None:
    old = "\n\n".join([PAGE.format(first="3.5.24", last="3.5.32 fix"), numbered([1, 2, 3, 4, 5], "{n}. {line}")])
    rows = group_documents(
        [
            Document("a", old, published="2026-01-01"),
            Document("b", old.replace("4. Tr", "7. Tr").replace("5. M", "8. M"), published="2026-02-01"),
            Document("c", old, published="2026-03-01"),
        ]
    ).columns
    assert rows["relation"] == [None, "revision", "exact"]
    assert rows["revision_of"] == [None, "a", None]
