"""`reparto serve`: selection over HTTP, for callers of its own API and for clients of reranking APIs."""

from __future__ import annotations

import tomllib
from dataclasses import Field
from pathlib import Path
from typing import Any

import click

from reparto.errors import InputError, Problem, unknown_name
from reparto.service.settings import Settings, fields

PREFIX = "REPARTO_SERVE_"
KINDS: dict[str, Any] = {"int": int, "float": float, "bool": bool}


def _option(field: Field[Any]) -> click.Option:
    name = field.name.replace("_", "-")
    word = str(field.type).removesuffix(" | None")
    kind: Any = KINDS.get(word, str)
    least = field.metadata.get("least")
    if least is not None:
        kind = click.IntRange(min=least) if kind is int else click.FloatRange(min=least)
    flag = f"--{name}/--no-{name}" if kind is bool else f"--{name}"
    return click.Option(
        [flag, field.name],
        type=kind,
        default=field.default,
        envvar=PREFIX + field.name.upper(),
        show_default=field.default is not None,
        help=field.metadata["doc"],
        metavar=field.metadata.get("metavar"),
    )


def _read_file(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    try:
        table = tomllib.loads(Path(value).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            Problem("unreadable", f"{value}: {error.strerror}", "name a TOML file with settings")
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(Problem("not_toml", f"{value}: {error}", "mend the TOML")) from error
    known = {field.name: field for field in fields()}
    problems = [unknown_name("setting", name, list(known), name) for name in table if name not in known]
    for name, one in table.items():
        if name in known and isinstance(one, dict | list):
            problems.append(Problem("wrong_type", f"{name} should be a single value", "write key = value", field=name))
    if problems:
        raise InputError(problems)
    ctx.default_map = {**(ctx.default_map or {}), **table}


@click.command(
    params=[
        click.Option(
            ["--settings"],
            metavar="FILE",
            is_eager=True,
            expose_value=False,
            callback=_read_file,
            envvar=PREFIX + "SETTINGS",
            help="TOML file with any of these settings, by their names with underscores.",
        ),
        *map(_option, fields()),
    ],
    epilog="Every setting is also an environment variable: --body-bytes is REPARTO_SERVE_BODY_BYTES. Keys come from "
    "files or from REPARTO_API_KEYS and REPARTO_UPSTREAM_KEY, never from flags.",
)
def command(**given: Any) -> None:
    """Answer over HTTP: /v1/select, /v1/search, /v2/rerank, /v1/rerank, /rerank, /healthz, /readyz, /metrics.

    Stops on SIGTERM or SIGINT after finishing what it took.
    """
    from reparto.service.app import create_app  # noqa: F401 - says which extra is missing before anything else
    from reparto.service.logs import configure
    from reparto.service.server import serve

    settings = Settings(**given)
    if settings.log_level not in ("debug", "info", "warning", "error"):
        raise InputError(unknown_name("level", settings.log_level, ["debug", "info", "warning", "error"], "log_level"))
    configure(settings.log_level)
    serve(settings)
