"""A corpus of one's own: read, chunked, fingerprinted, grouped with multiplicity kept; on one machine or an engine."""
