"""Frozen vectors of forms, shingles and signatures: what is stored today must be comparable for ever.

A vector changes only together with `NORMALISER` or the format number in the header, and with a written reason.
"""

import pytest

from reparto.kernels import COLLAPSE, MEASURE, Spec, compare_form, fingerprint, from_bytes
from reparto.kernels.reference.form import NORMALISER

FORMS = [
    (
        "The  Caf\xe9\u2019s \u201cbest\u201d menu \u2014 1\xbd \u20ac5\u2026",
        'the cafe\'s "best" menu - 1 1/2 \u20ac5...',
    ),
    ("\uff26\uff55\uff4c\uff4c \uff57\uff49\uff44\uff54\uff48 \ufb01ne", "full width fine"),
    ("\u0412ank \u043ef p\u0430per", "bank of paper"),
    ("h\u0336e\u0336y\u0336", "hey"),
    ("\u304b\u3099\uff9e\uff76\uff9e\uac00\uac01", "\u304c\u3099\u30ac\uac00\uac01"),
    ("10\xb2 \u22125 \xbd", "10^2 -5 1/2"),
    ("a\u200bb\ud800", "ab\ud800"),
    (
        "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e01\u0e33\u0e25\u0e31\u0e07\u0e43\u0e08 \u0643\u064e",
        "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e01\u0e4d\u0e32\u0e25\u0e31\u0e07\u0e43\u0e08 \u0643\u064e",
    ),
    ("\u1100\u1161\u11a8", "\uac01"),
    ("\u0141\xf3d\u017a Stra\xdfe \u039f\u0394\u039f\u03a3 \u0130\u0131", "lodz strasse o\u03b4o\u03c3 ii"),
]
HASHES = [
    (
        "north pier opens at nine daily",
        "collapse",
        0,
        [11178366534694639107, 7127809840715069526],
        [5964014789551692816, 7849609717584272927, 13702661789675250528, 16030888050965445321],
    ),
    (
        "north pier opens at nine daily",
        "measure",
        42,
        [11178366534694639107, 7127809840715069526],
        [15572380757953831965, 17887245594762669283],
    ),
    (
        "Balance: -500, 1/2 of 1,000.5",
        "collapse",
        0,
        [4043678366842164263, 3867299283298164325],
        [11322248303526505534, 14047514843552224876, 17852010052784328629],
    ),
    (
        "Balance: -500, 1/2 of 1,000.5",
        "measure",
        42,
        [4043678366842164263, 3867299283298164325],
        [16772605756723452447],
    ),
    (
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u306fabc 12\u6708",
        "collapse",
        0,
        [3342453233387529151, 156161270566158197],
        [
            322707658542641102,
            705487348975405575,
            4400402215151342046,
            10036451413955339907,
            12169826088698530781,
            13514847843598985173,
            13940810334632135845,
            16838334348587556322,
            16989928821025786352,
        ],
    ),
    (
        "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u306fabc 12\u6708",
        "measure",
        42,
        [3342453233387529151, 156161270566158197],
        [3294028556874719112, 8644470766936296834, 9131792108683378772, 9283433388057449833, 15770641537001681313],
    ),
    ("yes", "collapse", 0, [1086938039550577833, 4047277346539525010], [8991905002670667830]),
    ("yes", "measure", 42, [1086938039550577833, 4047277346539525010], [4033449692818034553]),
    ("?!", "collapse", 0, [15661921618751342176, 9595270036247270794], [2644005107726441329]),
    ("?!", "measure", 42, [15661921618751342176, 9595270036247270794], [1717912779523854779]),
    (
        "\u0e01\u0e32\u0e41\u0e1f \u0e01\u0e32\u0e41\u0e1f \u0e01\u0e32\u0e41\u0e1f",
        "collapse",
        0,
        [8119238243869515319, 11985192999333360891],
        [887808545615088866, 3757336553405664009, 4199383112885050486, 16339348234351393026],
    ),
    (
        "\u0e01\u0e32\u0e41\u0e1f \u0e01\u0e32\u0e41\u0e1f \u0e01\u0e32\u0e41\u0e1f",
        "measure",
        42,
        [8119238243869515319, 11985192999333360891],
        [395318313677244554, 4749590831948917361, 7492844853091910313, 9505191804051204745],
    ),
    ("a\ud800b c d", "collapse", 0, [3921928824232413613, 241899845089879022], [2770550830787098665]),
    ("a\ud800b c d", "measure", 42, [3921928824232413613, 241899845089879022], [2269376419990831697]),
]
SIGNATURE = "5250534b0100010003000600100000040000050000000000000031000000000000000700000000000000ffffffffffffffffc47df0bcb37fa42fb16f2308d5bfdc7a0700000000000000cf531ac4d1e43d0e5bca8a292e4f1128bd88119c0f9cd16553fb9cbcad34349fcc5f50b09b019fb7c2b3a78e28ec4ad66e790fcb3e9443e7"
SAMPLED = [1024, 2998, 6268825485611873827, 7255578653648913, 8695195604209483, 6268825485611873827]


def test_the_version_is_the_one_of_these_vectors():
    assert NORMALISER == 1


@pytest.mark.parametrize(("text", "form"), FORMS)
def test_forms(text, form):
    assert compare_form(text) == form


@pytest.mark.parametrize(("text", "window", "seed", "digest", "hashes"), HASHES)
def test_hashes(text, window, seed, digest, hashes):
    sketches = fingerprint([text], Spec({"collapse": COLLAPSE, "measure": MEASURE}[window], seed=seed))
    assert sketches.hashes.tolist() == hashes
    assert sketches.digests[0].tolist() == digest


def test_a_stored_signature():
    text = "The ferry to the north island is cancelled today."
    assert fingerprint([text], Spec(seed=5)).to_bytes(0).hex() == SIGNATURE
    again = from_bytes([bytes.fromhex(SIGNATURE)])
    assert again.hashes.tolist() == fingerprint([text], Spec(seed=5)).hashes.tolist()


def test_a_sampled_text():
    text = " ".join(str(n * n) for n in range(3000))
    sketches = fingerprint([text])
    assert [len(sketches.hashes), int(sketches.sizes[0]), int(sketches.limits[0])] == SAMPLED[:3]
    assert sketches.hashes[[0, 1, -1]].tolist() == SAMPLED[3:]
