"""Names where the script has neither spaces nor capitals to tell them by: Han characters and katakana."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reparto.kernels.reference.alignment import Change
from reparto.kernels.reference.lexicon import Lexicon
from reparto.kernels.reference.wording import Token

_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]+")
_HAN_OR_KATAKANA = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\u30a1-\u30fa\u30fc]+")


def unspaced_names(
    old: Sequence[Token], new: Sequence[Token], change: Change, a: Sequence[Token], b: Sequence[Token], words: Lexicon
) -> str:
    """One Han character in place of another; more where they look like names; katakana, which write names."""
    mine, yours = ("".join(one.key for one in side) for side in (old, new))
    if not (_HAN_OR_KATAKANA.fullmatch(mine) and _HAN_OR_KATAKANA.fullmatch(yours)):
        return ""
    if any(one.key in words.idle for one in (*old, *new)):
        return ""
    if not _HAN.fullmatch(mine + yours):
        return "name"
    if len(mine) == len(yours) == 1:
        return "name"
    titled = [some[end].key if end < len(some) else "" for some, end in ((a, change.end_a), (b, change.end_b))]
    named = (
        all(_is(key, "suffix", words) for key in titled)
        or all(_is(side, "place", words) for side in (mine, yours))
        or (len(mine) == len(yours) and all(_is(side[0], "surname", words) for side in (mine, yours)))
    )
    return "name" if named else ""


def _is(word: str, kind: str, words: Lexicon) -> bool:
    return any(name == kind for name, _ in words.classes.get(word, ()))
