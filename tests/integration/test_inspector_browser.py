"""The page in a real browser: headless Chromium, driven by Playwright, looked over by axe-core.

With REPARTO_SCREENSHOTS=write the pictures of docs/inspector.md are made anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

for module in ("fastapi", "uvicorn", "httpx", "prometheus_client", "jinja2", "tomli_w"):
    pytest.importorskip(module, reason="the inspector needs the extra `service`")
playwright = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")

from reparto import Contract, read_request, select
from reparto.demo import documents, feed
from reparto.log import record_of
from reparto.service.settings import Settings
from reparto.service.testing import in_thread

pytestmark = pytest.mark.slow

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
LINES = {line["query_id"]: line for line in feed()}
DESK = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
HOSTILE = "<script>window.ran=1</script><img src=x onerror='window.ran=2'><svg onload='window.ran=3'>"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service with a store, a selection log of three weeks, and a file of answers."""
    from reparto.corpus.readers import Inputs
    from reparto.corpus.setup import Wanted, prepared

    folder = tmp_path_factory.mktemp("browser")
    file, where = folder / "documents.jsonl", str(folder / "store")
    file.write_text("".join(json.dumps(one) + "\n" for one in documents()))
    with prepared(Wanted(where, kind="sqlite", chunker="paragraphs", embedder="none")) as indexer:
        indexer.index(Inputs((str(file),), None, None, False))
    log = folder / "log.jsonl"
    with log.open("w") as out:
        for day in range(21):
            for place, line in enumerate(feed()):
                if (day * 7 + place * 3) % 5 < 2:
                    continue
                shown = {**line, "candidates": [one for i, one in enumerate(line["candidates"]) if (i + day) % 6]}
                at = datetime(2025, 3, 3, 9, tzinfo=UTC) + timedelta(days=day, hours=place)
                out.write(json.dumps(record_of(read_request(shown), select(shown), at=at, texts=False)) + "\n")
    settings = Settings(store=where, log=str(log), votes=str(folder / "votes.jsonl"))
    with in_thread(settings) as running:
        yield running


@pytest.fixture(scope="module")
def browser(chromium):
    with playwright.sync_playwright() as driver:
        one = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield one
        one.close()


@contextmanager
def opened(browser, service, path: str = "/", quiet: bool = True, **options) -> Iterator:
    """A page in a fresh context. Anything on the console or any script error fails the test."""
    context = browser.new_context(base_url=service.url, **{**DESK, **options})
    page = context.new_page()
    page.set_default_timeout(20_000)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    try:
        page.goto(path)
        yield page
        if quiet:
            assert not said
    finally:
        context.close()


@contextmanager
def renewed(page) -> Iterator[None]:
    """Wait until what is done inside has put a new result in place."""
    page.evaluate("document.getElementById('result').dataset.old = '1'")
    yield
    page.wait_for_function("() => { const r = document.getElementById('result'); return r && !r.dataset.old; }")


def seats_of(page) -> list[str]:
    return page.locator(".seats article > .meta code").all_text_contents()


def test_choosing_an_example_renews_the_page_in_place(browser, service):
    with opened(browser, service) as page:
        page.evaluate("window.same = true")
        with renewed(page):
            page.select_option("#pick", "consecuencias")
        assert page.locator("h1").text_content() == LINES["consecuencias"]["query"]
        assert seats_of(page) == select(LINES["consecuencias"]).ids
        assert page.evaluate("window.same")


def test_pasting_a_request(browser, service):
    with opened(browser, service) as page:
        page.get_by_text("Paste a request").click()
        page.get_by_label("Request in JSON").fill(json.dumps(LINES["how-many-homes"]))
        page.get_by_role("button", name="Inspect it").click()
        page.wait_for_url("/")
        assert page.locator("h1").text_content() == LINES["how-many-homes"]["query"]
        assert seats_of(page) == select(LINES["how-many-homes"]).ids


def test_a_mistake_in_the_paste_is_explained_and_can_be_mended(browser, service):
    with opened(browser, service, quiet=False) as page:
        page.get_by_text("Paste a request").click()
        page.locator("#request").fill('{"candidates": [{"id": "a"}]}')
        page.get_by_role("button", name="Inspect it").click()
        page.get_by_role("alert").wait_for()
        assert "score" in page.get_by_role("alert").text_content()
        assert page.locator("#request").input_value() == '{"candidates": [{"id": "a"}]}'
        page.locator("#request").fill('[{"id": "a", "score": 1, "text": "something to read"}]')
        page.get_by_role("button", name="Inspect it").click()
        page.locator(".seats").wait_for()
        assert seats_of(page) == ["a"]


def test_searching_the_store(browser, service):
    with opened(browser, service) as page:
        with renewed(page):
            page.get_by_label("Search the store").fill("When did the lights come back?")
            page.keyboard.press("Enter")
        assert page.locator("h1").text_content() == "When did the lights come back?"
        assert seats_of(page)
        with renewed(page):
            page.fill("#k", "2")
            page.keyboard.press("Enter")
        assert page.locator("h1").text_content() == "When did the lights come back?"
        assert len(seats_of(page)) == 2


@pytest.mark.parametrize("objective", ["mmr", "coverage"])
def test_the_slider_by_keyboard_walks_the_exact_stretches(browser, service, objective):
    with opened(browser, service) as page:
        with renewed(page):
            page.select_option("#objective", objective)
        slider = page.locator("#step")
        slider.focus()
        seen = []
        for key in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
            before = slider.input_value()
            with renewed(page):
                page.keyboard.press(key)
            assert slider.input_value() != before
            assert page.evaluate("document.activeElement.id") == "step"
            assert f"step {int(slider.input_value()) + 1} of" in page.locator("#lambda-now").text_content()
            assert f"step {int(slider.input_value()) + 1} of" in slider.get_attribute("aria-valuetext")
            lam = float(page.locator("input[name=lambda]").input_value())
            policy = {"diversity": {"objective": objective, "lambda": lam}}
            assert seats_of(page) == select(LINES["what-happened"], policy=policy).ids
            seen.append(tuple(seats_of(page)))
        assert len(set(seen)) >= 3


def test_settings_change_the_selection_and_the_download_says_so(browser, service, tmp_path):
    with opened(browser, service) as page:
        with renewed(page):
            page.select_option("#quota_source", "1")
        with renewed(page):
            page.fill("#k", "5")
            page.keyboard.press("Enter")
        assert len(seats_of(page)) == 5
        with page.expect_download() as waiting:
            page.get_by_role("button", name="Download as contract").click()
        file = tmp_path / "contract.toml"
        waiting.value.save_as(file)
        assert waiting.value.suggested_filename == "reparto-survey.toml"
        assert select(LINES["what-happened"], Contract.load(file)).ids == seats_of(page)


def test_everything_is_reached_by_keyboard_in_reading_order_with_a_visible_focus(browser, service):
    with opened(browser, service) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        page.evaluate("document.activeElement.blur()")
        reached, places = [], []
        for _ in range(120):
            page.keyboard.press("Tab")
            one = page.evaluate(
                """() => {
                    const e = document.activeElement;
                    if (!e || e === document.body) return null;
                    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
                    return {key: e.id || e.name || e.textContent.trim().slice(0, 40), top: box.top + scrollY,
                            main: !!e.closest("main"), left: !!e.closest(".ranked, .curve, .map, .sources, .settings, .seats"),
                            outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2};
                }"""
            )
            if one is None:
                break
            assert one["outline"], one
            reached.append(one["key"])
            if one["main"] and not one["left"]:
                places.append(one["top"])
        for key in ("pick", "search", "class", "k", "objective", "quota_document", "apply", "step"):
            assert key in reached, reached
        assert places == sorted(places)  # down the page, but for what stands side by side
        assert any("Copies" in key for key in reached)


def test_a_whole_look_by_keyboard_alone(browser, service):
    with opened(browser, service) as page:
        page.locator("#pick").focus()
        with renewed(page):
            page.keyboard.type("How many")
        assert page.evaluate("document.activeElement.id") == "pick"
        assert page.locator("h1").text_content() == LINES["how-many-homes"]["query"]
        page.locator(".losers summary").first.focus()
        was = page.evaluate("document.activeElement.parentElement.open")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.parentElement.open") is not was


def test_without_scripts_it_is_a_plain_form(browser, service):
    with opened(browser, service, java_script_enabled=False) as page:
        page.select_option("#objective", "mmr")
        page.get_by_role("button", name="Apply").click()
        page.locator("#step").focus()
        page.keyboard.press("End")
        page.get_by_role("button", name="Apply").click()
        policy = {"diversity": {"objective": "mmr", "lambda": 1.0}}
        assert seats_of(page) == select(LINES["what-happened"], policy=policy).ids
        page.select_option("#pick", "claim-form")
        page.get_by_role("button", name="Show").click()
        assert page.locator("h1").text_content() == LINES["claim-form"]["query"]
        page.get_by_role("button", name="Español").click()
        assert page.locator("html").get_attribute("lang") == "es"
        assert page.locator("h1").text_content() == LINES["claim-form"]["query"]


def test_spanish_by_the_browsers_wish_and_by_the_switch(browser, service):
    with opened(browser, service, locale="es-ES") as page:
        assert page.locator("html").get_attribute("lang") == "es"
        assert page.get_by_role("heading", name="La selección").is_visible()
        page.get_by_role("button", name="English").click()
        page.get_by_role("heading", name="The selection").wait_for()
        page.goto("/inspector/history")
        assert page.locator("html").get_attribute("lang") == "en"


def test_the_phone_needs_no_sideways_scrolling_and_no_magnifying_glass(browser, service):
    for path in ("/", "/inspector/compare", "/inspector/history"):
        with opened(browser, service, path, **PHONE) as page:
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            small = page.evaluate(
                """() => [...document.querySelectorAll("main *")].filter((e) =>
                    [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) && e.getClientRects().length
                    && !e.closest("svg, .visually-hidden") && parseFloat(getComputedStyle(e).fontSize) < 12)
                    .map((e) => e.outerHTML.slice(0, 80))"""
            )
            assert not small
            low = page.evaluate(
                """() => [...document.querySelectorAll("button:not(.visually-hidden), select, input:not([type=hidden]), summary")]
                    .filter((e) => e.getClientRects().length && e.getBoundingClientRect().height < 23.5)
                    .map((e) => e.outerHTML.slice(0, 80))"""
            )
            assert not low


def test_dark_follows_the_system(browser, service):
    lightness = "() => getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)"
    with opened(browser, service, color_scheme="dark") as page:
        assert max(page.evaluate(lightness)) < 50
    with opened(browser, service, color_scheme="light") as page:
        assert min(page.evaluate(lightness)) > 230


def test_scripts_in_texts_are_shown_and_do_not_run(browser, service):
    request = {
        "query": HOSTILE,
        "candidates": [
            {
                "id": HOSTILE,
                "score": 1,
                "text": HOSTILE,
                "title": HOSTILE,
                "source": HOSTILE,
                "url": "javascript:window.ran=4",
            },
            {
                "id": "b",
                "score": 0.5,
                "text": HOSTILE + " and more",
                "source": "</textarea><script>window.ran=5</script>",
            },
        ],
    }
    with opened(browser, service) as page:
        page.get_by_text("Paste a request").click()
        page.locator("#request").fill(json.dumps(request))
        page.get_by_role("button", name="Inspect it").click()
        page.wait_for_function("document.querySelector('h1').textContent.includes('<script>')")
        with renewed(page):
            page.select_option("#objective", "mmr")  # the same through the script's own path
        assert page.locator("h1").text_content() == HOSTILE
        assert page.locator("main img, main script").count() == 0
        assert page.locator("a[href^='javascript']").count() == 0
        assert page.evaluate("window.ran") is None


def test_the_policy_stops_what_escaping_would_let_through(browser, service):
    with opened(browser, service, quiet=False) as page:
        with pytest.raises(playwright.Error):
            page.add_script_tag(content="window.ran = 1")
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran=2\"><b id=styled style=\"color:red\">x</b>')"
        )
        page.wait_for_timeout(300)
        assert page.evaluate("window.ran") is None
        assert page.evaluate("getComputedStyle(document.getElementById('styled')).color") != "rgb(255, 0, 0)"
        assert page.evaluate("fetch('https://elsewhere.example/').then(() => 'out', () => 'stopped')") == "stopped"


def test_a_blind_answer_in_the_browser(browser, service):
    with opened(browser, service, "/inspector/compare?pick=consecuencias") as page:
        assert page.get_by_role("heading", name="First set").is_visible()
        page.get_by_role("button", name="The second").click()
        page.get_by_role("heading", name="Your answer is kept").wait_for()
        assert page.locator(".tally tbody tr").count() >= 2
        page.get_by_role("link", name="Next question").click()
        assert page.locator("h1").text_content() == LINES["how-many-homes"]["query"]


STATES = {"light": {}, "dark": {"color_scheme": "dark"}, "phone": PHONE, "spanish": {"locale": "es-ES"}}
PATHS = ("/", "/?pick=how-many-homes&objective=mmr", "/?pick=nonsense", "/inspector/compare", "/inspector/history")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_no_fault(browser, service, path, state):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    with opened(browser, service, path, quiet=path != "/?pick=nonsense", **STATES[state]) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = axe.Axe().run(page)
    faults = [
        f"{one['impact']}: {one['id']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])})"
        for one in found.response["violations"]
    ]
    assert not faults, "\n".join(faults)


PICTURES = {
    "inspector-page": ("/", {}, (0, 0, 1280, 1500)),
    "inspector-figures": ("/", {}, ".figures"),
    "inspector-mmr": ("/?objective=mmr&lambda=0.6", {}, (0, 440, 1280, 1480)),
    "inspector-dark-es": ("/?pick=consecuencias", {"color_scheme": "dark", "locale": "es-ES"}, (0, 0, 1280, 1100)),
    "inspector-phone": ("/", PHONE, (0, 0, 390, 1500)),
    "inspector-blind": ("/inspector/compare", {}, None),
    "inspector-history": ("/inspector/history", {}, None),
}


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_of_the_docs(browser, service, tmp_path, name):
    path, options, part = PICTURES[name]
    writing = os.environ.get("REPARTO_SCREENSHOTS") == "write"
    file = (IMAGES if writing else tmp_path) / f"{name}.png"
    with opened(browser, service, path, **options) as page:
        if isinstance(part, str):
            page.locator(part).screenshot(path=file)
        elif part is None:
            page.screenshot(path=file)
        else:
            x, y, width, height = part
            page.screenshot(path=file, full_page=True, clip={"x": x, "y": y, "width": width, "height": height})
    assert file.stat().st_size > 10_000
    assert (IMAGES / f"{name}.png").is_file(), "make it: REPARTO_SCREENSHOTS=write"
