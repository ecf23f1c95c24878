"""A blind trial: two sets or two answers, their sides drawn by a secret, and a sealed note of what was compared."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reparto.errors import Problem, RequestError
from reparto.log import digest
from reparto.service.inspector.answers import Written
from reparto.service.inspector.inspection import Inspection

SETS = ("selection", "top-k")


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """One question to one person. `about` names what was compared, by digests; `token` is it, sealed."""

    id: str
    about: Mapping[str, Any]
    token: str
    sides: tuple[str, str]  # which of SETS is shown first, and which second


class Sealer:
    """Draws sides and seals notes with a secret of this process.

    The side follows from the secret and the trial's id, so the page carries no trace of it; the seal keeps an answer
    from being given to another question. A restart voids open trials.
    """

    def __init__(self, secret: bytes | None = None) -> None:
        self._secret = secret or secrets.token_bytes(32)

    def open(self, seen: Inspection, written: Written | None = None) -> Trial:
        """A new trial on an inspection: of its two sets, or of what was written from them."""
        selection = seen.selection
        about = {
            "trial": secrets.token_hex(12),
            "of": "sets" if written is None else "answers",
            "query_class": selection.query_class,
            "k": seen.policy.k,
            "contract": selection.contract["digest"],
            "policy": digest(dict(selection.policy)),
            "seats": digest(selection.ids),
            "first": digest([one.id for one in seen.first]),
        }
        if written is not None:
            about["model"] = written.model
            about["answers"] = {name: digest(one.text) for name, one in written.answers.items()}
        return self._trial(about)

    def read(self, token: str) -> Trial:
        """The trial behind a token. Raises `RequestError` for one that this process did not seal."""
        try:
            body, _, seal = token.partition(".")
            raw = base64.urlsafe_b64decode(body.encode("ascii"))
            if hmac.compare_digest(seal.encode("utf-8"), self._mac(b"seal", raw).encode("ascii")):
                return self._trial(json.loads(raw))
        except (ValueError, UnicodeError, binascii.Error):
            pass
        problem = Problem("stale_trial", "this comparison is not open any more", "compare again", field="trial")
        raise RequestError(problem)

    def _trial(self, about: Mapping[str, Any]) -> Trial:
        raw = json.dumps(about, sort_keys=True, separators=(",", ":")).encode("ascii")
        token = base64.urlsafe_b64encode(raw).decode("ascii") + "." + self._mac(b"seal", raw)
        first = int(self._mac(b"side", str(about["trial"]).encode("ascii"))[0], 16) % 2
        return Trial(str(about["trial"]), about, token, (SETS[first], SETS[1 - first]))

    def _mac(self, purpose: bytes, data: bytes) -> str:
        return hmac.new(self._secret, purpose + b"\0" + data, hashlib.sha256).hexdigest()
