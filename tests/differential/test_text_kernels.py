"""Native text kernels against the reference: the same numbers and the same words, on texts that nobody would write."""

import random

import numpy as np
import pytest

from reparto.errors import InputError
from reparto.kernels import Spec, Window
from reparto.kernels.reference import facts as reference_facts
from reparto.kernels.reference import figures as reference_figures
from reparto.kernels.reference import overlaps as reference_overlaps
from reparto.kernels.reference import sketch as reference_sketch
from reparto.kernels.reference.form import compare_form

native = pytest.importorskip("reparto.kernels._native", reason="the native kernels are not built here")

BLOCKS = [
    (0x20, 0x7F), (0, 0x20), (0x80, 0x250), (0x300, 0x370), (0x370, 0x600), (0x600, 0x700), (0x900, 0xA00),
    (0xE00, 0xE80), (0x1100, 0x1200), (0x13A0, 0x1400), (0x1E00, 0x2000), (0x2000, 0x2100), (0x3040, 0x3100),
    (0x4E00, 0x4E40), (0xAC00, 0xAC40), (0xD800, 0xE000), (0xFB00, 0xFF00), (0xFF00, 0xFFF0), (0x1D400, 0x1D500),
    (0, 0x110000),
]  # fmt: skip
PIECES = [*"aeoAEO019 .,-/'%$#&_<>=\n\t`é", "\u0301", "\u0336", "\u3099", "漢", "が", "ガ", " ", "the ", "Вank", "α"]
_TEXT = (
    "the mayor of Hull opened 12 new piers on Monday not in May 5% $3 two and before after Smith Jones Ann Lee Orlov said isn't 1,000 "
    "1.000 1.5 million (Reuters) - LONDON, March By Jane Updated 10:43 km 5km fee rises to from El puente no está cerrado "
    "lunes. open. closed! yes no A1 B2 十 二 漢 は \n \n\n twenty five hundred per cent A.B. https://x.org/a?b=1 *note*"
)
WORDS = _TEXT.split(" ")


def evil(rng, longest):
    return "".join(
        rng.choice(PIECES) if rng.random() < 0.6 else chr(rng.randrange(*rng.choice(BLOCKS)))
        for _ in range(rng.randint(0, longest))
    )


def edited(rng, text):
    words = text.split(" ")
    for _ in range(rng.randint(1, 3)):
        at, what = rng.randrange(len(words)), rng.random()
        if what < 0.4:
            words[at] = rng.choice(WORDS)
        elif what < 0.6 and len(words) > 1:
            del words[at]
        elif what < 0.8:
            words.insert(at, rng.choice(WORDS))
        else:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return " ".join(words)


def pairs_of_texts(seed, count):
    rng = random.Random(seed)
    for i in range(count):
        a = evil(rng, 60) if i % 4 == 0 else " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 40)))
        yield a, evil(rng, 20) if i % 9 == 0 else edited(rng, a)


def encodable(text):
    return not any("\ud800" <= char <= "\udfff" for char in text)


def same_forms(seed, count):
    rng = random.Random(seed)
    texts = [evil(rng, 30) for _ in range(count)]
    for text, form in zip(texts, native.forms(texts), strict=True):
        assert compare_form(text) == form.decode("utf-32-le", "surrogatepass"), ascii(text)
    return texts


@pytest.mark.slow
def test_forms_and_sketches_of_a_hundred_thousand_texts():
    texts = same_forms(11, 100_000)
    for spec in (
        Spec(),
        Spec(Window(5, 9), 2, 3, 99),
        Spec(Window(2, 4), 4, 1, 7),
        Spec(Window(1, 1), 3, 2, 2**64 - 1),
    ):
        same_sketches(texts, spec, threads=2)


def same_sketches(texts, spec, threads=1):
    want = reference_sketch.fingerprint(texts, spec)
    window = spec.window
    got = native.fingerprint(texts, window.words, window.characters, spec.scale, spec.least, spec.seed, threads=threads)
    columns = (want.hashes, want.offsets, want.sizes, want.limits, want.digests.reshape(-1), want.characters)
    for name, mine, theirs in zip(
        ("hashes", "offsets", "sizes", "limits", "digests", "characters"), columns, got, strict=True
    ):
        assert np.array_equal(mine, theirs), name


@pytest.mark.parametrize(
    "texts", [[], [""], ["", "a", ""], ["x" * 100_000], ["é " * 50_000], ["漢" * 40_000, "a\ud800b"]]
)
def test_sketches_of_odd_batches(texts):
    same_sketches(texts, Spec())
    same_sketches(texts, Spec(least=5, scale=3, seed=1))


def same_verdicts(seed, count):
    for a, b in pairs_of_texts(seed, count):
        if encodable(a) and encodable(b):
            want = [(one.a, one.b, one.why) for one in reference_facts.facts(a, b).disagreements]
            assert native.disagreements(a, b) == want, (ascii(a), ascii(b))
            assert native.figures_agree(a, b) == reference_figures.figures_agree(a, b), (ascii(a), ascii(b))


@pytest.mark.slow
def test_verdicts_are_the_same():
    same_verdicts(5, 4_000)


@pytest.mark.long
def test_verdicts_of_a_hundred_thousand_pairs_are_the_same():
    same_verdicts(6, 100_000)


FIGURES = [
    "1",
    "2",
    "12",
    "345",
    "000",
    "0",
    "05",
    "2024",
    " ",
    " - ",
    "-",
    ":",
    " : ",
    ".",
    ",",
    "/",
    "\u202f",
    "h",
    "pm",
    "p.m.",
]
FIGURES += [
    "a m",
    "No. ",
    "n.\u00ba ",
    "$",
    "\u20ac1.5 m",
    "m",
    "May ",
    "May 3 - ",
    "2024-05-03",
    "03/05/2024",
    "16h30",
    "\u00bd",
    "\u0663",
]


def test_spellings_of_figures_are_the_same():
    rng = random.Random(5)
    for _ in range(3_000):
        a, b = ("".join(rng.choice(FIGURES) for _ in range(rng.randint(1, 9))) for _ in range(2))
        b = a.replace(rng.choice(FIGURES), rng.choice(FIGURES)) if rng.random() < 0.6 else b
        want = [(one.a, one.b, one.why) for one in reference_facts.facts(a, b).disagreements]
        assert native.disagreements(a, b) == want, (ascii(a), ascii(b))
        assert native.figures_agree(a, b) == reference_figures.figures_agree(a, b), (ascii(a), ascii(b))


def test_long_sentences_are_aligned_alike():
    rng = random.Random(8)
    for size in (150, 300, 900):
        words = [rng.choice(WORDS[:20] + [f"w{n}" for n in range(size)]) for _ in range(size)]
        other = [word for word in words if rng.random() > 0.2]
        rng.shuffle(other[: size // 3])
        a, b = " ".join(words), " ".join(other)
        want = [(one.a, one.b, one.why) for one in reference_facts.facts(a, b).disagreements]
        assert native.disagreements(a, b) == want


def test_pairs_and_stars_are_the_same(monkeypatch):
    rng = random.Random(3)
    for round_ in range(400):
        words = [f"w{n}" for n in range(rng.choice([5, 30, 200]))]
        texts = [" ".join(rng.choice(words) for _ in range(rng.randint(0, 40))) for _ in range(rng.randint(0, 30))]
        texts += [text + " tail" for text in texts[:10]] + [text[: len(text) // 2] for text in texts[:10]]
        rng.shuffle(texts)
        sketches = reference_sketch.fingerprint(texts, Spec(Window(2, 4), 4, rng.choice([1, 5, 1000]), round_))
        asked = rng.choice([(0.3, None), (None, 0.6), (0.6, 0.8), (0.01, 0.01), (1.0, 1.0), (None, None)])
        monkeypatch.setattr(reference_overlaps, "_DENSE", rng.choice([0, 40_000_000]))
        want = reference_overlaps.overlaps(sketches, *asked)
        got = native.overlaps(
            sketches.hashes,
            sketches.offsets,
            sketches.limits,
            sketches.digests.reshape(-1),
            sketches.characters,
            *asked,
        )
        columns = (want.i, want.j, want.resemblance, want.contained, want.containing)
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(columns, got, strict=True)), (round_, asked)
        centres = reference_overlaps.star(len(texts), zip(want.i.tolist(), want.j.tolist(), strict=True))
        assert np.array_equal(centres, native.star(len(texts), want.i, want.j))


def test_the_native_door_refuses_what_does_not_fit():
    empty, one = np.zeros(0, np.uint64), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        native.overlaps(empty, one, np.zeros(1, np.uint64), empty, one, 0.5, 0.5)
    with pytest.raises(ValueError, match="positive"):
        native.fingerprint(["a"], 0, 6, 16, 8, 0)
    with pytest.raises(ValueError, match="pairs must be"):
        native.star(2, np.array([1]), np.array([0]))
    with pytest.raises(ValueError, match="surrogates"):
        native.disagreements("\ud800", "a")
    with pytest.raises(TypeError):
        native.fingerprint([b"bytes"], 3, 6, 16, 8, 0)


def test_stored_signatures_are_read_alike_and_odd_ones_refused():
    rng = random.Random(12)
    header = Spec().header()
    for _ in range(300):
        spec = Spec(scale=rng.choice([1, 4]), least=rng.choice([2, 1000]), seed=rng.randrange(2))
        texts = [" ".join(rng.choices(WORDS, k=rng.randint(0, 30))) for _ in range(rng.randint(1, 6))]
        made = reference_sketch.fingerprint(texts, spec)
        stored = [made.to_bytes(i) for i in range(len(texts))]
        odd = bytearray(stored[-1])
        odd[rng.randrange(len(odd))] ^= 1 << rng.randrange(8)
        for some in (stored, [*stored[:-1], bytes(odd)], [*stored, reference_sketch.fingerprint(["a"]).to_bytes(0)]):
            got = native.read_signatures(some, header[:8])
            try:
                wanted = reference_sketch.from_bytes(some)
            except InputError:
                assert got is None
                continue
            columns = (wanted.hashes, wanted.offsets, wanted.sizes, wanted.limits, wanted.digests, wanted.characters)
            if max(wanted.sizes.max(), wanted.characters.max()) >= 0:  # numbers beyond 63 bits are refused here
                assert [one.tolist() for one in got] == [one.ravel().tolist() for one in columns]
    for raw in (b"", b"RPSK", header, stored[0][:-1], stored[0] + b"\0"):
        assert native.read_signatures([raw], header[:8]) is None
    assert native.read_signatures([], header[:8]) is None
