"""Every registered store passes the one suite."""

from pathlib import Path

import pytest

from reparto import registry
from reparto.errors import MissingExtraError
from reparto.testing.stores import check_store


@pytest.mark.parametrize("kind", registry.names("stores"))
def test_store(kind: str, tmp_path: Path) -> None:
    store = registry.load("stores", kind)
    try:
        check_store(store, tmp_path, kind, lasting=kind != "memory")
    except MissingExtraError as error:
        pytest.skip(f"not installed: {error}")
