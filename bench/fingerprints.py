"""Fingerprints from raw texts against datasketch, gaoya and rensa, and one core's pace beside a plain memory copy.

The same 100 raw texts of 1 kB for every side, in English, Spanish and Japanese letters. datasketch and rensa get the
shingles of the fastest shingler that plain Python offers (three words; six characters where there are no spaces);
gaoya shingles by itself, and its row is the build of its index. Ours starts from the raw text and includes the
comparison form, exact digests and exact shingle sets. Two worst cases end the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import gaoya
import rensa
from datasketch import MinHash

from bench.measuring import Call, machine, peak_above, side_by_side
from bench.raw_texts import texts
from bench.showing import keep, show
from reparto import kernels

COUNT, HASHES = 100, 128


def shingler(language: str) -> Any:
    """Text to the set of its shingles; zip over shifted lists is the fastest that plain Python has."""
    if language == "ja":
        return lambda text: {text[at : at + 6] for at in range(len(text) - 5)}

    def of_words(text: str) -> set[str]:
        words = text.split()
        return set(map(" ".join, zip(words, words[1:], words[2:], strict=False)))

    return of_words


def sides(language: str, some: list[str]) -> dict[str, Call]:
    """What each side does with the raw texts."""
    shingles = shingler(language)

    def datasketch() -> None:
        for text in some:
            MinHash(num_perm=HASHES).update_batch([one.encode() for one in shingles(text)])

    def of_gaoya() -> None:
        analyzer, size = ("char", 6) if language == "ja" else ("word", 3)
        index = gaoya.minhash.MinHashStringIndex(32, 0.6, 25, 5, None, analyzer, True, (size, size), "vec")
        for at, text in enumerate(some):
            index.insert_document(at, text)

    def of_rensa() -> None:
        for text in some:
            rensa.RMinHash(num_perm=HASHES, seed=1).update(list(shingles(text)))

    def copy() -> None:
        for raw in encoded:
            bytearray(raw)

    encoded = [text.encode() for text in some]
    return {
        "reparto": lambda: kernels.fingerprint(some),
        "datasketch": datasketch,
        "gaoya": of_gaoya,
        "rensa": of_rensa,
        "copy": copy,
    }


def row(language: str) -> dict[str, Any]:
    """Medians of 30, milliseconds for all the texts, and how many times as long as ours the others take."""
    some = texts(language, COUNT)
    timings = side_by_side(sides(language, some))
    mine = timings["reparto"].median
    size = sum(len(text.encode()) for text in some)
    memory = peak_above(lambda: kernels.fingerprint(some))
    return {
        "texts": f"{COUNT} x 1 kB {language}",
        "reparto_ms": round(mine * 1e3, 3),
        "datasketch_x": round(timings["datasketch"].median / mine, 1),
        "gaoya_x": round(timings["gaoya"].median / mine, 1),
        "rensa_x": round(timings["rensa"].median / mine, 1),
        "mb_per_s": round(size / mine / 1e6),
        "copy_mb_per_s": round(size / timings["copy"].median / 1e6),
        "memory_kb": None if memory is None else memory // 1024,
    }


def worst_cases() -> list[dict[str, Any]]:
    """3,000 copies of one text, with all their pairs and groups; one text of 10 MB without a space."""
    same = ["The ferry to the north island is cancelled today because of a storm from the west."] * 3000
    endless = ["".join(texts("ja", 1, 3_000)) * 3_334]
    unbroken = ["".join(texts("en", 1, 10_000)).replace(" ", "") * 1_400]

    def grouped() -> None:
        sketches = kernels.fingerprint(same)
        kernels.overlaps(sketches, 0.6, 0.8)
        sketches.leaders()

    cases = {
        ("3,000 copies of one text", 50): grouped,
        (f"{len(endless[0].encode()) / 1e6:.0f} MB of kana and Han, no spaces", 1000): lambda: kernels.fingerprint(
            endless
        ),
        (f"{len(unbroken[0]) / 1e6:.0f} MB, one word", 1000): lambda: kernels.fingerprint(unbroken),
    }
    found = []
    for (name, ceiling), call in cases.items():
        memory = peak_above(call)
        timing = side_by_side({"reparto": call}, repeats=30 if ceiling < 100 else 5)["reparto"]
        found.append(
            {
                "case": name,
                "ms": round(timing.median * 1e3, 2),
                "at_most_ms": ceiling,
                "memory_kb": None if memory is None else memory // 1024,
            }
        )
    return found


def main(argv: Sequence[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench fingerprints", description=__doc__).parse_args(argv)
    rows, worst = [row(language) for language in ("en", "es", "ja")], worst_cases()
    show(
        "fingerprints from raw texts; others: times as long as reparto",
        list(rows[0]),
        [list(one.values()) for one in rows],
    )
    show("worst cases", list(worst[0]), [list(one.values()) for one in worst])
    keep("fingerprints", {"machine": machine(), "rows": rows, "worst": worst}, "datasketch", "gaoya", "rensa")
    return 0
