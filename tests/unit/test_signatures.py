"""Signatures stored at index time stand in for texts at query time."""

import json
from base64 import b64encode

import numpy as np
import pytest

import reparto
from reparto.errors import RequestError
from reparto.kernels import MEASURE, Spec, fingerprint
from reparto.log import record_of
from reparto.verification import verify_record

STORY = (
    "The river rose two metres overnight and the bridge at Alden was closed to all traffic until the engineers came."
)
TEXTS = [STORY, STORY + " Boats are moored.", "Bread prices fell in March as the harvest came in early and dry.", STORY]


def pool(texts=True, sign=lambda i: fingerprint([TEXTS[i]]).to_bytes(0), **more):
    found = []
    for i, text in enumerate(TEXTS):
        one = {"id": f"c{i}", "score": 1 - i / 10, **more, "signature": sign(i)}
        found.append({**one, "text": text} if texts else one)
    return [{name: value for name, value in one.items() if value is not None} for one in found]


def fates(selection):
    return {one.id: (str(one.fate), one.by, str(one.relation) if one.relation else None) for one in selection.decisions}


BY_TEXT = {
    "c0": ("seated", None, None), "c1": ("copy", "c0", "near"), "c2": ("seated", None, None), "c3": ("copy", "c0", "exact"),
}  # fmt: skip


@pytest.mark.parametrize("texts", [True, False])
@pytest.mark.parametrize("encode", [bytes, lambda raw: b64encode(raw).decode()])
def test_a_signature_decides_as_the_text_does(texts, encode):
    signed = pool(texts, lambda i: encode(fingerprint([TEXTS[i]]).to_bytes(0)))
    assert fates(reparto.select(pool(sign=lambda i: None))) == BY_TEXT
    selection = reparto.select(json.loads(json.dumps(signed)) if encode is not bytes else signed)
    assert fates(selection) == BY_TEXT
    assert "signature" not in selection.seats[0].metadata


def test_the_signature_is_believed_and_the_text_not_fingerprinted():
    swapped = pool(sign=lambda i: fingerprint([TEXTS[2 if i == 1 else i]]).to_bytes(0))
    assert fates(reparto.select(swapped))["c2"] == ("copy", "c1", "exact")


def test_some_with_and_some_without():
    for signed in range(16):
        some = pool(sign=lambda i: fingerprint([TEXTS[i]]).to_bytes(0) if signed >> i & 1 else None)  # noqa: B023
        assert fates(reparto.select(some)) == BY_TEXT


def test_without_texts_vectors_or_signatures_tell_what_is_new():
    policy = {"diversity": {"objective": "mmr"}, "collapse": False}
    by_text = reparto.select(pool(sign=lambda i: None), policy=policy)
    by_signature = reparto.select(pool(texts=False), policy=policy)
    assert by_signature.ids == by_text.ids
    assert [one.redundancy for one in by_signature] == [one.redundancy for one in by_text]


def test_a_merged_span_has_a_text_of_its_own():
    first, second = STORY[:60], STORY[40:]
    chunks = [
        {"id": id, "text": text, "score": score, "document": "d", "start": start, "end": start + len(text),
         "signature": fingerprint([text]).to_bytes(0)}
        for id, text, score, start in (("a", first, 0.9, 0), ("b", second, 0.8, 40))
    ]  # fmt: skip
    whole = {"id": "w", "text": STORY, "score": 0.5, "signature": fingerprint([STORY]).to_bytes(0)}
    assert fates(reparto.select([*chunks, whole]))["w"] == ("copy", "a", "exact")


def test_what_was_not_made_alike_is_refused_by_id():
    odd = pool(sign=lambda i: fingerprint([TEXTS[i]], Spec(seed=int(i == 2))).to_bytes(0))
    odd[3]["signature"] = odd[3]["signature"][:-4]
    with pytest.raises(RequestError) as caught:
        reparto.select(odd)
    assert [(one.code, one.id, one.field) for one in caught.value.problems] == [
        ("bad_signature", "c2", "signature"), ("bad_signature", "c3", "signature"),
    ]  # fmt: skip
    with pytest.raises(RequestError, match="shingles of 5 words") as caught:
        reparto.select(pool(sign=lambda i: fingerprint([TEXTS[i]], Spec(MEASURE)).to_bytes(0)))
    assert [one.id for one in caught.value.problems] == ["c0", "c1", "c2", "c3"]


def test_signatures_of_another_seed_are_fine_when_all_have_it():
    some = pool(sign=lambda i: fingerprint([TEXTS[i]], Spec(seed=9)).to_bytes(0) if i else None)
    assert fates(reparto.select(some)) == BY_TEXT


def test_another_thing_by_that_name_is_metadata():
    selection = reparto.select([{"id": "a", "score": 1, "text": "x", "signature": "J. Smith"}])
    assert selection[0].metadata == {"signature": "J. Smith"}


@pytest.mark.parametrize("texts", [True, False])
def test_the_log_verifies(texts):
    vectors = np.eye(4, dtype=np.float32)
    request = [{**one, "vector": vectors[i]} for i, one in enumerate(pool(texts))]
    read = reparto.read_request(request)
    assert list(verify_record(record_of(read, reparto.select(read)))) == []
