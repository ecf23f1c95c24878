"""Set-aware selection for retrieval."""
