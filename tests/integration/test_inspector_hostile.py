"""Hostile and mistaken input at the page: shown as text, explained, bounded."""

from __future__ import annotations

import html
import json
from urllib.parse import urlencode

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")

import httpx

from reparto.service.inspector.testing import Reading
from reparto.service.settings import Settings
from reparto.service.testing import in_thread

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">{{ 7*7 }}"\'>'


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    with in_thread(Settings(votes=str(folder / "votes.jsonl"), body_bytes=400_000)) as one:
        yield one


@pytest.fixture
def client(running):
    with httpx.Client(base_url=running.url, timeout=30, trust_env=False) as client:
        yield client


def paste(client, value, **fields):
    text = value if isinstance(value, str) else json.dumps(value)
    return client.post("/", data={"source": "paste", "request": text, **fields})


HIDDEN_PLACES = {
    "query": lambda text: {"query": text},
    "id": lambda text: {"candidates": [{"id": text, "score": 1, "text": "something to read"}]},
    "text": lambda text: {"candidates": [{"id": "a", "score": 1, "text": text}]},
    "title": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "title": text}]},
    "source": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "source": text}]},
    "published": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "published": text}]},
    "language": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "language": text}]},
    "url": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "url": "javascript:" + text}]},
    "copies": lambda text: {"candidates": [{"id": "a", "score": 1, "text": "something", "copies": {"count": 3, "sources": [text, "b", "c"]}}]},
    "metadata": lambda text: {"policy": {"quotas": {"metadata.x": 1}}, "candidates": [{"id": "a", "score": 1, "text": "one", "metadata": {"x": text}}, {"id": "b", "score": 0.5, "text": "two", "metadata": {"x": text}}]},
    "unknown key": lambda text: {text: 1},
    "class": lambda text: {"query_class": text},
    "facts": lambda text: {"facts": {text: ["a"]}},
}  # fmt: skip


@pytest.mark.parametrize("place", HIDDEN_PLACES)
@pytest.mark.parametrize("path", ["/", "/inspector/compare"])
def test_scripts_in_a_request_are_shown_and_are_no_markup(client, place, path):
    request = {
        "query": "q",
        "candidates": [{"id": "a", "score": 1, "text": "something to read"}],
        **HIDDEN_PLACES[place](HOSTILE),
    }
    page = client.post(path, data={"source": "paste", "request": json.dumps(request)})
    assert page.status_code in (200, 422)
    read = Reading(page.text)
    assert not read.named("img")
    assert [one.get("src", "").endswith("/page.js") for one in read.named("script")] == [True]
    for tag, attrs in read.tags:
        assert not any(name.startswith("on") or name == "style" for name in attrs), (tag, attrs)
        assert not (attrs.get("href") or "").lower().startswith("javascript")
    assert "{{ 7*7 }}" in html.unescape(page.text)


@pytest.mark.parametrize(
    "field",
    [
        "k",
        "lambda",
        "objective",
        "class",
        "quota_document",
        "quota_source",
        "pick",
        "step",
        "at",
        "key",
        "search",
        "lang",
    ],
)
def test_scripts_in_a_field_of_the_form_are_no_markup(client, field):
    page = client.post("/", data={"source": "pick", field: HOSTILE})
    assert page.status_code in (200, 422)
    read = Reading(page.text)
    assert not read.named("img")
    assert len(read.named("script")) == 1


@pytest.mark.parametrize("path", ["/", "/?pick=nonsense", "/inspector/compare", "/inspector/history"])
def test_nothing_is_inline_and_nothing_else_is_allowed(client, path):
    page = client.get(path)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["referrer-policy"] == "same-origin"
    read = Reading(page.text)
    assert not read.named("style")
    assert not any("style" in attrs for _, attrs in read.tags)
    for one in [*read.named("script"), *read.named("link")]:
        address = one.get("src") or one.get("href")
        answer = client.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]


def test_lone_surrogates_and_invisible_characters_are_shown_as_far_as_they_can_be(client):
    page = paste(
        client, '{"candidates": [{"id": "a", "score": 1, "text": "before \\ud800 after \\u202eevil\\u200b end"}]}'
    )
    assert page.status_code == 200
    assert "\u202e" not in page.text[page.text.index('class="seats"') :]
    assert "invisible characters left out" in page.text


BAD = {
    "nothing": ("", "nothing was pasted"),
    "not JSON": ("{", "at line 1"),
    "no candidates": ("{}", "has no candidates"),
    "no id": ('[{"score": 1, "text": "x"}]', "id"),
    "bad facts": ('{"candidates": [{"id": "a", "score": 1, "text": "x"}], "facts": {"f": 1}}', "must be a list of ids"),
    "too many candidates": (json.dumps([{"id": str(i), "score": 1, "text": "x"} for i in range(2001)]), "more than 2000"),
    "too many seats": ('{"k": 500, "candidates": [{"id": "a", "score": 1, "text": "x"}]}', "above 200"),
    "too deep": ("[" * 80 + "]" * 80, "nested"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_explained_on_the_page_and_kept_for_mending(client, name):
    text, expected = BAD[name]
    page = paste(client, text)
    assert page.status_code == 422
    read = Reading(page.text)
    assert expected in read.words
    assert any(attrs.get("role") == "alert" for _, attrs in read.tags)
    assert read.named("textarea")[0]["aria-invalid"] == "true"
    assert text[:50] in html.unescape(page.text)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"k": "0"}, "k is"),
        ({"k": "201"}, "above 200"),
        ({"lambda": "7"}, "lambda is"),
        ({"objective": "nonsense"}, "unknown objective"),
        ({"class": "nonsense"}, "unknown query_class"),
        ({"quota_source": "-1"}, "quotas.source"),
        ({"pick": "nonsense"}, "unknown example"),
        ({"source": "search", "search": "x"}, "no store"),
    ],
)
def test_a_bad_setting_is_explained(client, fields, expected):
    page = client.post("/", data={"source": "pick", **fields})
    assert page.status_code in (404, 422)
    assert expected in Reading(page.text).words


def test_bodies_above_the_limit_are_refused(client):
    page = client.post("/", data={"source": "paste", "request": "x" * 500_000})
    assert page.status_code == 413
    assert "larger than" in page.text
    many = client.post(
        "/", content=urlencode([("a", "b")] * 100), headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert many.status_code == 422
    not_utf8 = client.post(
        "/", content=b"source=paste&request=%ff", headers={"content-type": "application/x-www-form-urlencoded"}
    )
    assert not_utf8.status_code == 422


def test_a_form_from_another_site_is_refused(client):
    assert client.post("/", data={"source": "pick"}, headers={"origin": "https://elsewhere.example"}).status_code == 403
    assert client.post("/inspector/vote", data={}, headers={"sec-fetch-site": "cross-site"}).status_code == 403
