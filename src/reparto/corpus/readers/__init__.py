"""Whatever a person points at, as documents. One format a file, registered under `reparto.readers`.

A reader has `suffixes` (lower case, with the dot) and is called with a `Source`; it yields documents, and a
`Problem` for each thing it had to skip. It never raises for what it reads: an unreadable file is reported,
named and passed over.
"""

from reparto.corpus.readers.base import Reader, Source
from reparto.corpus.readers.inputs import Inputs

__all__ = ["Inputs", "Reader", "Source"]
