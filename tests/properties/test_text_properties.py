"""What holds of any text: forms settle, sketches are symmetric, nothing crashes, lone surrogates included."""

from hypothesis import given, settings
from hypothesis import strategies as st

from reparto.groupings.boilerplate import shared_edges
from reparto.groupings.mail import new_text, whole_quotations
from reparto.kernels import compare_form, estimate_tokens, facts, figures_agree, fingerprint, from_bytes, overlaps
from reparto.kernels.reference.shingles import forms

# Characters that meet in hostile texts: marks, jamo, kana marks, look-alikes, controls, surrogates, anything.
evil = st.text(
    st.one_of(
        st.sampled_from("aeiouAEIOUxyz0123456789 .,-/'%$€\n\t>"),
        st.sampled_from(
            "\u0301\u0336\u3099\uff9e\u1100\u1161\u11a8\u200b\ufe0f\u2014\u201cабвеокрстхαβο漢かガไท\u093f"
        ),
        st.characters(),
        st.characters(categories=["Cs"]),
    ),
    max_size=40,
)
sentence = st.lists(
    st.sampled_from(
        ["the", "mayor", "Hull", "opened", "12", "new", "piers", "Monday", "not", "May", "5%", "$3", "two", "and"]
    ),
    max_size=14,
).map(" ".join)
texts = st.one_of(evil, sentence)


@settings(max_examples=1000)
@given(evil)
def test_the_form_is_idempotent(text):
    form = compare_form(text)
    assert compare_form(form) == form
    assert form == form.strip()
    assert "  " not in form


@settings(max_examples=300)
@given(st.lists(texts, max_size=8))
def test_batched_forms_are_the_forms(some):
    batch = forms(some)
    assert [batch.text(i) for i in range(len(some))] == [compare_form(text) for text in some]


@settings(max_examples=300)
@given(st.lists(texts, max_size=6))
def test_overlaps_are_within_range_and_symmetric(some):
    ahead, back = (overlaps(fingerprint(list(order)), 1e-6, 1e-6) for order in (some, some[::-1]))
    n = len(some)
    there, again = {}, {}
    leaders = fingerprint(list(some)).leaders()
    for i, j, r, a, b in zip(ahead.i, ahead.j, ahead.resemblance, ahead.contained, ahead.containing, strict=True):
        assert i < j
        assert 0 < r <= min(a, b) <= max(a, b) <= 1
        there[compare_form(some[i]), compare_form(some[j])] = (r, a, b)
    for i, j, r, a, b in zip(back.i, back.j, back.resemblance, back.contained, back.containing, strict=True):
        again[compare_form(some[n - 1 - j]), compare_form(some[n - 1 - i])] = (r, b, a)
    if len(set(leaders.tolist())) == n:
        assert there == again


@settings(max_examples=300)
@given(st.lists(texts, min_size=1, max_size=4))
def test_signatures_survive_storage(some):
    sketches = fingerprint(some)
    again = from_bytes([sketches.to_bytes(i) for i in range(len(some))])
    assert again.hashes.tolist() == sketches.hashes.tolist()


@settings(max_examples=500)
@given(texts, texts)
def test_a_verdict_is_symmetric_in_kind(a, b):
    assert facts(a, b).kind == facts(b, a).kind
    assert figures_agree(a, b) == figures_agree(b, a)
    assert facts(a, a).kind == "copy"
    assert figures_agree(a, a)


@settings(max_examples=300)
@given(sentence, sentence)
def test_a_trimmed_tail_is_no_disagreement(a, tail):
    assert facts(f"{a}. {tail}.", f"{a}.").kind == "copy"


@given(texts)
def test_length_is_positive_for_any_text(text):
    assert (estimate_tokens(text) > 0) == (text != "")
    assert estimate_tokens(text) <= max(1, len(text))


@settings(max_examples=300)
@given(st.lists(texts, max_size=5), st.data())
def test_mail_and_edges_take_any_text(some, data):
    for text in some:
        new, quoted = new_text(text)
        assert quoted or new == text
    assert all(i != j for i, j in whole_quotations(some))
    sources = data.draw(st.lists(st.sampled_from(["a", None]), min_size=len(some), max_size=len(some)))
    for text, left in zip(some, shared_edges(some, sources), strict=True):
        assert bool(left.strip()) == bool(text.strip())
