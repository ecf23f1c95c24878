"""What the service can be told: one table, from which come flags, environment variables and the file's keys.

A setting `body_bytes` is the flag `--body-bytes`, the variable `REPARTO_SERVE_BODY_BYTES` and the key `body_bytes`
of the settings file (TOML). A flag wins over the environment, the environment over the file, the file over the default.
"""

from __future__ import annotations

import dataclasses
import ipaddress
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MIB = 2**20


def _setting(default: Any, doc: str, **extra: Any) -> Any:
    return field(default=default, metadata={"doc": doc, **extra})


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of one service. Sizes are in bytes, times in seconds. Frozen; `dataclasses.replace` makes another."""

    host: str = _setting("127.0.0.1", "Address to listen on; any but loopback needs API keys or --force.")
    port: int = _setting(8642, "Port; 0 takes a free one.", least=0)
    contract: str | None = _setting(None, "Contract file (TOML); the built-in one without it.", metavar="FILE")
    store: str | None = _setting(None, "Store that /v1/search searches.", metavar="DIR")
    log: str | None = _setting(None, "Append one selection record a request to FILE.", metavar="FILE")
    log_texts: bool = _setting(False, "Write queries and passages into the selection log as well.")
    votes: str | None = _setting(
        None, "Append the answers of the page's blind comparisons to FILE; off without it.", metavar="FILE"
    )
    answer_url: str | None = _setting(
        None, "OpenAI-compatible endpoint, up to and with /v1, that writes answers to compare blind.", metavar="URL"
    )
    answer_model: str | None = _setting(None, "The model that writes them.", metavar="NAME")
    answer_key: str | None = _setting(
        None, "File with the endpoint's API key; REPARTO_ANSWER_KEY holds it as well.", metavar="FILE"
    )
    answer_seconds: float = _setting(60.0, "Time for an answer to be written, then 502.", least=0.01)
    api_keys: str | None = _setting(
        None, "File of API keys, one a line; REPARTO_API_KEYS holds keys as well.", metavar="FILE"
    )
    force: bool = _setting(False, "Listen on any address without API keys. Only behind something that checks callers.")
    hosts: str = _setting(
        "", "Host names to answer to, comma-separated; without keys on loopback: loopback names only."
    )
    allow_policy: bool = _setting(True, "Let requests carry an inline `policy`.")
    docs: bool = _setting(True, "Serve the OpenAPI document at /openapi.json.")

    workers: int = _setting(0, "Threads that select; 0 is one a processor.", least=0)
    queue: int = _setting(16, "Requests that may wait for a thread; more are answered 429.", least=0)
    connections: int = _setting(512, "Open connections; more are answered 503.", least=1)
    body_bytes: int = _setting(16 * MIB, "Largest request body.", least=1)
    flight_bytes: int = _setting(64 * MIB, "Bodies held at one time, together; more are answered 429.", least=1)
    body_seconds: float = _setting(10.0, "Time for a body to arrive, then 408.", least=0.01)
    header_seconds: float = _setting(
        10.0, "Time for the head of a request to arrive, then the connection is closed.", least=0.01
    )
    request_seconds: float = _setting(30.0, "Time to answer once the body is there, then 503.", least=0.01)
    stop_seconds: float = _setting(10.0, "Time to finish what was taken when told to stop.", least=0.01)
    candidates: int = _setting(2000, "Candidates of one request.", least=1)
    requests: int = _setting(64, "Requests of one batch.", least=1)
    seats: int = _setting(200, "Largest k.", least=1)
    text_chars: int = _setting(65536, "Characters of one text or query.", least=1)
    dimensions: int = _setting(4096, "Numbers of one vector.", least=1)
    depth: int = _setting(64, "Nesting of the JSON.", least=2)
    containers: int = _setting(250_000, "Objects and lists of one body.", least=1)

    scorer: str = _setting(
        "lexical", "Relevance at the rerank doors: lexical, order (as sent), embedding or embedding:NAME."
    )
    upstream: str | None = _setting(None, "Full URL of a reranker that gives the relevance instead.", metavar="URL")
    upstream_protocol: str = _setting("cohere", "What it speaks: cohere (Jina, vLLM, Infinity), tei or voyage.")
    upstream_model: str | None = _setting(None, "Model to name to it.", metavar="NAME")
    upstream_key: str | None = _setting(
        None, "File with its API key; REPARTO_UPSTREAM_KEY holds it as well.", metavar="FILE"
    )
    upstream_seconds: float = _setting(10.0, "Time for it to answer, retries included.", least=0.01)
    upstream_retries: int = _setting(2, "Further tries after a failure that may pass.", least=0)
    upstream_failures: int = _setting(5, "Failures in a row after which it is left alone for a while.", least=1)
    upstream_rest_seconds: float = _setting(10.0, "How long it is left alone.", least=0.01)
    upstream_fallback: bool = _setting(True, "Score with --scorer while it fails (said in the answer), instead of 503.")
    metadata_from_texts: bool = _setting(
        True, "At the rerank doors read document, source, published… from JSON and YAML texts."
    )

    log_level: str = _setting("info", "Least level of the operational log: debug, info, warning or error.")
    trace: bool = _setting(False, "Emit OpenTelemetry spans (extra `tracing`).")
    trace_texts: bool = _setting(False, "Put queries and passages into the spans.")

    @property
    def threads(self) -> int:
        """Threads that select."""
        return self.workers or max(2, os.cpu_count() or 1)

    @property
    def loopback(self) -> bool:
        """Whether the address is reached from this machine alone."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def fields() -> tuple[dataclasses.Field[Any], ...]:
    """The settings in order, each with its `doc`."""
    return dataclasses.fields(Settings)


def secret(path: str | None, variable: str) -> tuple[str, ...]:
    """Secrets from a file (a line each; blank lines and `#` comments left out) and an environment variable.

    Raises `InputError` when the file cannot be read.
    """
    from reparto.errors import InputError, Problem

    lines: list[str] = []
    if path is not None:
        try:
            lines += Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise InputError(
                Problem("unreadable", f"{path}: {reason}", "name a text file with a key a line")
            ) from error
    lines += os.environ.get(variable, "").replace(",", "\n").split()
    return tuple(line.strip() for line in lines if line.strip() and not line.strip().startswith("#"))
