"""Object stores (`s3://`, `gs://`, `az://`) by pyarrow: small files read and written whole."""

from __future__ import annotations

from typing import Any

from reparto.errors import MissingExtraError


def opened(where: str, what: str, extra: str) -> tuple[Any, str]:
    """The file system of a URI and the path on it; keys, region and endpoint are the environment's.

    Without pyarrow a `MissingExtraError`: `what` could not be done, `extra` brings it.
    """
    try:
        from pyarrow import fs
    except ImportError as error:
        raise MissingExtraError(what, extra) from error
    system, path = fs.FileSystem.from_uri(where)
    return system, path.rstrip("/")


def read_whole(system: Any, path: str) -> bytes | None:
    """The bytes of a file; None where there is none."""
    try:
        with system.open_input_stream(path) as stream:
            return bytes(stream.read())
    except FileNotFoundError:
        return None


def write_whole(system: Any, path: str, content: bytes) -> None:
    """Write a file; on an object store it is there whole or not at all."""
    with system.open_output_stream(path) as stream:
        stream.write(content)
