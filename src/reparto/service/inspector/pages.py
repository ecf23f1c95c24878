"""Templates to answers: everything escaped, nothing inline, headers that forbid the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from starlette.responses import Response

from reparto.errors import MissingExtraError
from reparto.service.inspector.words import LANGUAGES, Words

try:
    from jinja2 import Environment, FunctionLoader, StrictUndefined
except ImportError as error:
    raise MissingExtraError("the inspector page", "service") from error

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    # `no-referrer` would make browsers send `Origin: null` with this page's own forms.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Vary": "Accept-Language, Cookie",
}
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
COOKIE = "reparto_language"


@dataclass(frozen=True)
class Asset:
    """A file that the page loads. `tag` is a hash of its content, so that it may be kept for ever."""

    name: str
    body: bytes
    kind: str
    tag: str


@dataclass
class Pages:
    """Templates and files of the page, read once an application."""

    root: Traversable = field(default_factory=lambda: files("reparto.service.inspector"))

    @cached_property
    def assets(self) -> Mapping[str, Asset]:
        """Name to file."""
        found = {}
        for one in self.root.joinpath("static").iterdir():
            kind = KINDS.get(one.name.rpartition(".")[2])
            if kind is not None:
                body = one.read_bytes()
                found[one.name] = Asset(one.name, body, kind, hashlib.sha256(body).hexdigest()[:16])
        return found

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=FunctionLoader(self._template),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals["asset"] = lambda name: f"/inspector/static/{self.assets[name].tag}/{name}"
        environment.globals["languages"] = LANGUAGES
        return environment

    def _template(self, name: str) -> str:
        return self.root.joinpath("templates", name).read_text(encoding="utf-8")

    def answer(self, template: str, words: Words, status: int = 200, **values: Any) -> Response:
        """A page. Lone surrogates of a text become a replacement character, so that it can be encoded."""
        text = self._environment.get_template(template).render(t=words, **values)
        headers = {**HEADERS, "Content-Language": words.language}
        return Response(text.encode("utf-8", "replace"), status, headers, "text/html; charset=utf-8")

    def asset(self, name: str) -> Response | None:
        """A file, to be kept by the browser for as long as it likes; None for an unknown name."""
        one = self.assets.get(name)
        if one is None:
            return None
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Content-Security-Policy": POLICY}
        return Response(one.body, 200, headers, one.kind)
