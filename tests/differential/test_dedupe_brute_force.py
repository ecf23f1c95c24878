"""Against definitions: leaders by comparing everything with everything, and native kernels against the reference."""

import numpy as np
import pytest
from bench.corpus_generator import corpus

from reparto import kernels
from reparto.corpus import bands, candidates, sentences, verify
from reparto.corpus.groups import group_documents
from reparto.corpus.guard import agree
from reparto.corpus.settings import Settings
from reparto.documents import document_from
from reparto.kernels import COLLAPSE, Spec, fingerprint


def _by_definition(documents):
    """Each document in order of priority joins the first leader that verifies it; all leaders are asked."""
    sets = fingerprint([one.text for one in documents], Spec(COLLAPSE, scale=1))
    order = sorted(
        range(len(documents)),
        key=lambda i: (documents[i].published, -int(sets.characters[i]), documents[i].id),
    )
    leaders, leader = [], {}
    for i in order:
        own = sets.of(i)
        for head in leaders:
            other = sets.of(head)
            shared = len(np.intersect1d(own, other, assume_unique=True))
            resembles = shared / (len(own) + len(other) - shared) >= 0.6 or shared / len(own) >= 0.8
            one, two = documents[head], documents[i]
            if (sets.digests[i] == sets.digests[head]).all() or (
                resembles and agree(one.text, two.text, one.source == two.source)
            ):
                leader[two.id] = one.id
                break
        else:
            leaders.append(i)
            leader[documents[i].id] = documents[i].id
    return leader


def test_leaders_are_those_of_the_definition():
    documents = [document_from(one) for one, _ in corpus(600, seed=3)]
    rows = group_documents(documents)
    found = dict(zip(rows.columns["doc_id"], rows.columns["leader_id"], strict=True))
    expected = _by_definition(documents)
    different = [id for id in expected if found[id] != expected[id]]
    assert len(different) <= 2, different  # bands miss a pair in about three hundred


def test_planted_copies_are_found_and_nothing_else():
    pairs = list(corpus(2000, seed=5))
    text = {one["id"]: one["text"] for one, _ in pairs}
    truth = {fact["id"]: fact for _, fact in pairs if fact}
    grouped = group_documents([document_from(one) for one, _ in pairs])
    rows = {row["doc_id"]: row for row in grouped.rows()}

    def family(id):
        while id in truth:
            id = truth[id]["of"]
        return id

    assert all(family(id) == family(row["leader_id"]) for id, row in rows.items())
    led = [f for f in truth.values() if rows[f["of"]]["leader_id"] == f["of"]]
    near = [
        f for f in led if f["kind"] == "near" and kernels.resemblance(text[f["id"]], text[f["of"]], COLLAPSE) >= 0.6
    ]
    assert sum(rows[f["id"]]["leader_id"] == rows[f["of"]]["leader_id"] for f in near) >= 0.99 * len(near) > 50
    revised = [f for f in truth.values() if f["kind"] == "revision"]
    assert not any(rows[f["id"]]["leader_id"] == rows[f["of"]]["leader_id"] for f in revised)


@pytest.fixture
def reference(monkeypatch):
    """The numpy path of the corpus kernels."""
    if kernels.native() is None:
        pytest.skip("the native module is not built here: there is nothing to compare")

    def use():
        for module in (bands, candidates, sentences, verify):
            monkeypatch.setattr(module, "native", lambda: None)

    return use


TEXTS = [
    "", "?!", "a", "One. Two! Three? Four… “Five.” Six.", "No. 12 and 007, 3.14 or 1,000.\nwrapped line\n\nNew paragraph here.",
    "A line of more than fifty characters that was wrapped at\nCapitals, and goes on here until it ends at last.",
    "新闻报道。这是一句足够长的中文句子，用来检验三十二个字符以上的句子是否会得到一个键值，应该会的！", "x" * 5000,
    "Ünïcödé “quotes” — dashes\u2028and \u0085breaks\r\nof every\vkind which go on long enough to be counted as one.",
]  # fmt: skip


def test_sentence_keys_native_and_reference(reference):
    texts = TEXTS + [one["text"] for one, _ in corpus(60, seed=9)]
    native = sentences.sentence_keys(texts, 12345)
    reference()
    plain = sentences.sentence_keys(texts, 12345)
    for name in ("keys", "offsets", "figures"):
        np.testing.assert_array_equal(getattr(native, name), getattr(plain, name))


def test_band_keys_and_shared_counts_native_and_reference(reference):
    found = fingerprint(TEXTS + [one["text"] for one, _ in corpus(60, seed=9)], Spec(COLLAPSE, scale=1))
    offsets = found.offsets.astype(np.int64)
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, len(found), (2, 300))
    native = [bands.band_keys(found.hashes, offsets, n, r, 7) for n, r in ((40, 4), (7, 3), (1, 1))]
    counts = verify.shared_counts(found.hashes, offsets, a, b)
    reference()
    for keys, (n, r) in zip(native, ((40, 4), (7, 3), (1, 1)), strict=True):
        np.testing.assert_array_equal(keys, bands.band_keys(found.hashes, offsets, n, r, 7))
    np.testing.assert_array_equal(counts, verify.shared_counts(found.hashes, offsets, a, b))


@pytest.mark.parametrize("bucket", [1, 3, 16])
def test_band_pairs_native_and_reference(reference, bucket):
    rng = np.random.default_rng(4)
    keys, figures = rng.integers(0, 60, 900).astype(np.uint64), rng.integers(0, 4, 900).astype(np.uint64)
    ranks = rng.permutation(2000)[:900].astype(np.int64)
    native = candidates.band_pairs(keys, ranks, figures, bucket)
    reference()
    np.testing.assert_array_equal(native, candidates.band_pairs(keys, ranks, figures, bucket))


def test_bands_propose_what_theory_says():
    rng = np.random.default_rng(8)
    settings, found = Settings(), 0
    for _ in range(400):
        shared = rng.integers(0, 2**63, 120, dtype=np.uint64)
        own, other = (
            np.unique(np.concatenate([shared, rng.integers(0, 2**63, 40, dtype=np.uint64)])) for _ in range(2)
        )
        hashes, offsets = np.concatenate([own, other]) * np.uint64(2), np.array([0, len(own), len(own) + len(other)])
        one, two = bands.band_keys(hashes, offsets, settings.bands, settings.rows)
        found += bool((one == two).any())
    assert found >= 0.985 * 400  # Jaccard .6: 1 - (1 - .6^4)^40 = .996
