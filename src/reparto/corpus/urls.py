"""Canonical URL: one spelling for the address of a page, however it was shared."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

_TRACKING = re.compile(
    r"^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_ga|_gl|ref|ref_src|source|cmpid|ns_\w+|spm|smid|s?cid)$",
    re.I,
)
_PORTS = {"http": ":80", "https": ":443"}


def canonical_url(url: str | None) -> str | None:
    """The address without tracking parameters, fragment, default port and trailing slash, host in lower case, as https.

    What is no http(s) address stays as it is; None stays None.
    """
    if not url:
        return None
    try:
        parts = urlsplit(url.strip())
        scheme, host = parts.scheme.lower(), parts.netloc.lower()
    except ValueError:
        return url
    if scheme not in _PORTS or not host:
        return url
    host = host.removesuffix(_PORTS[scheme])
    query = [
        (name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.match(name)
    ]
    path = re.sub(r"/+$", "", parts.path) or "/"
    return urlunsplit(("https", host, path, urlencode(sorted(query)), ""))
