"""The comparison form: what is folded, and what must not be."""

import pytest

from reparto.kernels import compare_form

SAME = [
    ("The café in Mülheim", "The cafe\u0301 in Mu\u0308lheim", "composed and decomposed"),
    ("MARKET Day", "market day", "case"),
    ("straße", "STRASSE", "full case folding"),
    ("ΟΔΟΣ", "οδος", "final sigma"),
    ("a\u200bb\u00adc\ufeffd\u2060e", "abcde", "zero width and soft hyphen"),
    ("plain\U000e0041\U000e0042", "plain", "tag characters"),
    ("heart\ufe0f", "heart", "variation selector"),
    ("\u202eabc\u202c", "abc", "bidirectional controls"),
    ("“it’s” – ‘done’ — finally…", "\"it's\" - 'done' - finally...", "quotes, dashes, ellipsis"),
    ("  a\t\tb\n\nc\u00a0d\u3000e ", "a b c d e", "white space"),
    ("ｆｕｌｌ　ｗｉｄｔｈ １２", "full width 12", "full width"),
    ("ﬁne ﬂow", "fine flow", "ligatures"),
    ("ｶﾞｽ", "ガス", "half-width kana with its mark"),
    ("か\u3099", "が", "kana mark"),
    ("Vаult оf pаper", "vault of paper", "Cyrillic look-alikes"),
    ("Вank", "bank", "a capital that passes for another"),
    ("h\u0336e\u0336l\u0336l\u0336o\u0336", "hello", "overlays"),
    ("Łódź đø", "lodz do", "strokes"),
    ("−5 ‒ ‐", "-5 - -", "minus and hyphens"),
    ("½ cup", "1/2 cup", "vulgar fraction"),
]
DIFFERENT = [
    ("Balance: -500", "Balance: 500", "sign"),
    ("1/2", "12", "slash"),
    ("1.5", "15", "point"),
    ("1½", "11/2", "one and a half, eleven halves"),
    ("10²", "102", "power"),
    ("$5", "€5", "currency"),
    ("5%", "5", "percent"),
    ("x = 1", "x ≠ 1", "not equal"),
    ("👍", "👎", "emoji"),
    ("कि", "की", "vowel signs of Devanagari"),
    ("กา", "กี", "vowel signs of Thai"),
    ("كَ", "كُ", "vowel signs of Arabic"),
    ("が", "か", "voiced kana"),
    ("?!", "...", "nothing but punctuation"),
    ("はい", "いいえ", "kana"),
    ("нет", "да", "Cyrillic words"),
]


@pytest.mark.parametrize(("a", "b", "what"), SAME, ids=[what for *_, what in SAME])
def test_equal_for_a_reader(a, b, what):
    assert compare_form(a) == compare_form(b)


@pytest.mark.parametrize(("a", "b", "what"), DIFFERENT, ids=[what for *_, what in DIFFERENT])
def test_different_for_a_reader(a, b, what):
    assert compare_form(a) != compare_form(b)


@pytest.mark.parametrize("text", ["", " \t\n", "\u200b\u200d", "\x00\x01", "\ufe0f"])
def test_nothing_to_see_is_empty(text):
    assert compare_form(text) == ""


def test_lone_surrogates_stay():
    assert compare_form("a\ud800B") == "a\ud800b"
    assert compare_form("é\udfff") == "e\udfff"


def test_words_of_one_script_keep_their_letters():
    assert compare_form("метро") != compare_form("metro")
    assert compare_form("вор") != compare_form("bop")
