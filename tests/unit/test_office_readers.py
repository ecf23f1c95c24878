"""Word, slides and sheets: what is read of them, and what is passed over."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from reparto.corpus.readers import Inputs, office
from reparto.documents import Document
from reparto.errors import Problem


def only(path: Path) -> Any:
    (found,) = list(Inputs([str(path)]))
    return found


def test_a_word_file_in_order_with_its_headings_and_tables(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx", reason="needs the extra `office`")
    file = tmp_path / "a.docx"
    held = docx.Document()
    held.add_heading("The sluice", 1)
    held.add_paragraph("It opens at low tide.")
    table = held.add_table(rows=2, cols=2)
    for row, values in zip(table.rows, (("gate", "width"), ("north", "4 m")), strict=True):
        for cell, value in zip(row.cells, values, strict=True):
            cell.text = value
    held.add_paragraph("Ñandú after the table.")
    held.save(file)
    found = only(file)
    assert isinstance(found, Document)
    assert found.text == "# The sluice\n\nIt opens at low tide.\n\ngate | width\nnorth | 4 m\n\nÑandú after the table."
    assert (found.id, found.markup) == (file.resolve().as_posix(), "markdown")
    held.core_properties.title = "Sluices of the north"
    held.save(file)
    assert only(file).title == "Sluices of the north"


def test_slides_with_tables_and_notes(tmp_path: Path) -> None:
    pptx = pytest.importorskip("pptx", reason="needs the extra `office`")
    file = tmp_path / "a.pptx"
    held = pptx.Presentation()
    slide = held.slides.add_slide(held.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text = "Ferries", "Every ten minutes"
    slide.notes_slide.notes_text_frame.text = "Say why."
    inch = 914400
    frame = held.slides.add_slide(held.slide_layouts[6]).shapes.add_table(1, 2, inch, inch, inch, inch)
    frame.table.cell(0, 0).text, frame.table.cell(0, 1).text = "pier", "7"
    held.save(file)
    found = only(file)
    assert found.text == "# Ferries\n\nEvery ten minutes\n\nSay why.\n\npier | 7"


def test_sheets_by_name_and_row(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra `office`")
    file = tmp_path / "a.xlsx"
    held = openpyxl.Workbook()
    held.active.title = "Tides"
    held.active.append(["day", "low", None])
    held.active.append([None, None, None])
    held.active.append(["Monday", 1.5, "calm\nsea"])
    held.create_sheet("Empty")
    held.save(file)
    assert only(file).text == "# Tides\n\nday | low\nMonday | 1.5 | calm sea\n\n# Empty"
    assert only(file).title == "Tides"


@pytest.mark.parametrize(("suffix", "module"), [("docx", "docx"), ("pptx", "pptx"), ("xlsx", "openpyxl")])
def test_what_cannot_be_read_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, module: str
) -> None:
    pytest.importorskip(module, reason="needs the extra `office`")
    file = tmp_path / f"a.{suffix}"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as parts:
        parts.writestr("x.xml", "<a/>")
    for raw in (b"", b"PK nonsense", packed.getvalue(), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old"):
        file.write_bytes(raw)
        found = only(file)
        assert isinstance(found, Problem)
        assert str(file) in found.message
    monkeypatch.setattr(office, "UNPACKED", 2)
    file.write_bytes(packed.getvalue())
    assert "unpacks to more" in only(file).message
