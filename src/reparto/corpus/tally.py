"""The figures of a result for the account of a run."""

from __future__ import annotations

from collections import Counter

from reparto.corpus.job import Account
from reparto.corpus.outcome import Grouped


def tally(account: Account, rows: Grouped, texts: int) -> None:
    """Figures of a result for the account."""
    relations = Counter(rows.columns["relation"])
    account.documents, account.texts = len(rows), texts
    account.revisions = relations["revision"]
    account.groups = relations[None] + relations["revision"]
    account.copies = account.documents - account.groups
    account.largest_group = max(rows.columns["copies"], default=0)
