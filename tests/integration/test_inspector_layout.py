"""The page's layout in headless Chromium, at its edges: words without end, few candidates, long settings."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")

from reparto.demo import feed
from reparto.service.testing import in_thread

pytestmark = pytest.mark.slow

LINES = {line["query_id"]: line for line in feed()}
DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}


@pytest.fixture(scope="module")
def opened(chromium):
    """Opens the page of a service, by the state of the browser."""
    with in_thread() as service, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        def at(state: dict):
            page = browser.new_context(base_url=service.url, **state).new_page()
            page.set_default_timeout(20_000)
            page.goto("/")
            return page

        yield at
        browser.close()


LONG = [
    {"id": "x" * 200, "score": 1, "text": "wordwithoutanyend" * 60 + " end. " * 90, "title": "T" * 200, "source": "S" * 200},
    {"id": "b", "score": 0.5, "text": "wordwithoutanyend" * 60, "document": "D" * 200},
]  # fmt: skip


def paste(page, request) -> None:
    page.get_by_text("Paste a request").click()
    page.locator("#request").fill(json.dumps(request))
    with page.expect_navigation():
        page.get_by_role("button", name="Inspect it").click()
    page.locator(".seats").wait_for()


@pytest.mark.parametrize("state", [DESK, PHONE], ids=["desk", "phone"])
def test_words_without_end_stay_in_their_place(opened: Callable, state):
    page = opened(state)
    paste(page, {"query": "q" * 300, "k": 1, "candidates": LONG})
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    width = state["viewport"]["width"]
    assert page.evaluate("document.documentElement.scrollWidth") == width
    out = page.evaluate(
        """(width) => [...document.querySelectorAll("main *")].filter((e) =>
            e.getClientRects().length && e.getBoundingClientRect().right > width && !e.closest(".visually-hidden"))
            .map((e) => e.outerHTML.slice(0, 80))""",
        width,
    )
    assert not out


def test_a_few_candidates_make_a_small_picture(opened: Callable):
    page = opened(DESK)
    paste(page, LONG)
    assert page.locator(".map > svg").bounding_box()["width"] <= 130
    page.select_option("#pick", "what-happened")
    page.get_by_role("heading", name=LINES["what-happened"]["query"]).wait_for()
    assert page.locator(".map > svg").bounding_box()["width"] > 400


def test_what_is_set_can_be_read_on_a_desk(opened: Callable):
    page = opened(DESK)
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".knobs select")].filter((e) => {
            const pen = document.createElement("canvas").getContext("2d");
            pen.font = getComputedStyle(e).font;
            return pen.measureText(e.selectedOptions[0].text).width > e.clientWidth - 36;
        }).map((e) => e.selectedOptions[0].text)"""
    )
    assert not cut


def test_a_reserve_that_was_not_met_is_named(opened: Callable):
    page = opened(DESK)
    paste(page, {**LINES["claim-form"], "policy": {"k": 2, "reserve": [{"field": "source", "distinct": 40}]}})
    assert "field = source, distinct = 40" in page.locator(".warnings").text_content()
