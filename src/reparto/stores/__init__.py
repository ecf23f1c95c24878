"""Stores of chunks and their groups. One store a file, registered by entry point, held to `reparto.testing.stores`."""
