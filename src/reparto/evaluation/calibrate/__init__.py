"""Choosing a contract's numbers on data, and knowing when to leave things off."""
