"""Fuzz target of the text kernels: `python texts_target.py NAME SECONDS [CORPUS]`; any exception is a find.

Coverage guides the inputs through the Python side; the native module is called with the same texts, and both must
agree. A text may hold lone surrogates, and no call may take longer than two seconds.
"""

import sys
import time

import atheris

with atheris.instrument_imports(include=["reparto.kernels.reference", "reparto.groupings"]):
    from reparto.groupings.boilerplate import shared_edges
    from reparto.groupings.mail import new_text, whole_quotations
    from reparto.kernels import Spec, Window, native
    from reparto.kernels.reference.facts import facts
    from reparto.kernels.reference.figures import figures_agree
    from reparto.kernels.reference.form import compare_form
    from reparto.kernels.reference.length import estimate_tokens
    from reparto.kernels.reference.overlaps import overlaps
    from reparto.kernels.reference.sketch import fingerprint, from_bytes

from reparto.errors import InputError


class SlowError(Exception):
    """A call took too long."""


def forms(data):
    text = data.ConsumeUnicode(400)
    form = compare_form(text)
    assert compare_form(form) == form
    assert estimate_tokens(text) >= 0
    if native() is not None:
        assert native().forms([text])[0].decode("utf-32-le", "surrogatepass") == form


def sketches(data):
    texts = [data.ConsumeUnicode(120) for _ in range(data.ConsumeIntInRange(0, 6))]
    spec = Spec(Window(data.ConsumeIntInRange(1, 6), data.ConsumeIntInRange(1, 9)), 4, data.ConsumeIntInRange(1, 40))
    found = fingerprint(texts, spec)
    overlaps(found, 0.6, 0.8)
    from_bytes([found.to_bytes(i) for i in range(len(texts))])
    if native() is not None:
        window = spec.window
        theirs = native().fingerprint(texts, window.words, window.characters, spec.scale, spec.least, spec.seed)
        assert theirs[0].tolist() == found.hashes.tolist()


def signatures(data):
    try:
        from_bytes([data.ConsumeBytes(200) for _ in range(2)])
    except InputError:
        return


def verdicts(data):
    a = data.ConsumeUnicode(300)
    b = (
        data.ConsumeUnicode(300)
        if data.ConsumeBool()
        else a[: len(a) // 2] + data.ConsumeUnicode(20) + a[len(a) // 2 :]
    )
    verdict = facts(a, b)
    figures_agree(a, b)
    if native() is not None and not any("\ud800" <= char <= "\udfff" for char in a + b):
        theirs = native().disagreements(a, b)
        assert theirs == [(one.a, one.b, one.why) for one in verdict.disagreements]


def mail(data):
    texts = [data.ConsumeUnicode(200) for _ in range(4)]
    for text in texts:
        new_text(text)
    whole_quotations(texts)
    shared_edges(texts, ["s"] * 4)


TARGETS = {target.__name__: target for target in (forms, sketches, signatures, verdicts, mail)}


def main():
    name, seconds, *corpus = sys.argv[1:]

    def once(raw):
        start = time.perf_counter()
        TARGETS[name](atheris.FuzzedDataProvider(raw))
        if time.perf_counter() - start > 2:
            raise SlowError

    atheris.Setup(
        [sys.argv[0], f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-print_final_stats=1", *corpus], once
    )
    atheris.Fuzz()


if __name__ == "__main__":
    main()
