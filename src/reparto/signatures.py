"""Sketches of the texts that compete: from the signatures stored with them, and from the text where there is none.

A signature is what `Sketches.to_bytes` gave at index time. It stands in for the text: with it nothing is
fingerprinted at query time, and a candidate may come without its text altogether. All signatures of a request must be
of one spec, whose shingles are those that collapse compares; texts without one are then sketched by that spec too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reparto.errors import InputError, Problem
from reparto.kernels import COLLAPSE, Sketches, Spec, fingerprint, from_bytes
from reparto.model import Candidate, Entry


def sketches_of(entries: Sequence[Entry], spec: Spec | None = None) -> Sketches:
    """Sketches of the entries' texts as they are delivered, in order. `spec`: of those that have no signature.

    A merged span has a text of its own, so a signature of its best member is not that of the span.
    """
    stored = [entry.candidate.signature if entry.span is None else None for entry in entries]
    known = [i for i, signature in enumerate(stored) if signature is not None]
    if not known:
        return fingerprint([entry.text for entry in entries], spec)
    read = from_bytes([signature for signature in stored if signature is not None])
    if len(known) == len(entries):
        return read
    rest = [i for i, signature in enumerate(stored) if signature is None]
    made = fingerprint([entries[i].text for i in rest], read.spec)
    return Sketches.joined([read, made]).take(np.argsort([*known, *rest]))


def faults_of(candidates: Sequence[Candidate]) -> list[Problem]:
    """What is wrong with the stored signatures: damaged, or not made alike; each names its candidate. O(hashes)."""
    signed = [one for one in candidates if one.signature is not None]
    if not signed:
        return []
    remedy = "fingerprint the text again, or leave the signature out and give the text"
    try:
        read = from_bytes([one.signature or b"" for one in signed])
    except InputError:
        return _odd_ones(signed, remedy)
    if read.spec.window != COLLAPSE:
        message = f"made of shingles of {read.spec.window.words} words, collapse compares {COLLAPSE.words}"
        return [Problem("bad_signature", message, remedy, id=one.id, field="signature") for one in signed]
    return []


def _odd_ones(signed: Sequence[Candidate], remedy: str) -> list[Problem]:
    """Which signatures are damaged, and which are made otherwise than the first sound one."""
    found: list[Problem] = []
    usual: Spec | None = None
    for one in signed:
        try:
            spec = from_bytes([one.signature or b""]).spec
        except InputError as error:
            message = error.problems[0].message.partition(": ")[2]
        else:
            usual = usual or spec
            if spec == usual:
                continue
            message = "made with other settings than the others (normaliser, window, scale, least or seed)"
        found.append(Problem("bad_signature", message, remedy, id=one.id, field="signature"))
    return found
