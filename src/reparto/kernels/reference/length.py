"""An estimate of a text's length in tokens, for budgets where no length is given."""

from __future__ import annotations

import numpy as np

from reparto.kernels.reference.folding import UNSPACED, folding

_ASCII, _LETTER, _CHARACTER = 0.25, 0.5, 1.0


def estimate_tokens(text: str) -> int:
    """Roughly what a sub-word tokeniser would count; never by splitting on spaces. At least 1 for any text.

    A quarter of a token for an ASCII character, a half for other letters, one for a character of a script without
    spaces: common multilingual vocabularies come within about a third of it. O(characters).
    """
    if text.isascii():
        return -(-len(text) // 4)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    unspaced = int((folding().kinds[codes] == UNSPACED).sum())
    ascii_ = int((codes < 128).sum())
    return int(np.ceil(_ASCII * ascii_ + _CHARACTER * unspaced + _LETTER * (len(codes) - ascii_ - unspaced)))
