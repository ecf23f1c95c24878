"""The page's routes. Not in the OpenAPI document: they answer people, and may change with the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from reparto.errors import InputError, LogError, MissingExtraError, Problem
from reparto.service.faults import Refusal
from reparto.service.inspector import views
from reparto.service.inspector.answers import Written, answering_of, sets_of
from reparto.service.inspector.contract_file import contract_toml
from reparto.service.inspector.form import Asked, read_form
from reparto.service.inspector.history import history
from reparto.service.inspector.inspection import Inspection, inspect
from reparto.service.inspector.pages import COOKIE, HEADERS, Pages
from reparto.service.inspector.trial import Sealer, Trial
from reparto.service.inspector.votes import CHOICES, KINDS, VoteBook
from reparto.service.inspector.words import LANGUAGES, Words, choose
from reparto.service.settings import Settings
from reparto.service.state import service_of

router = APIRouter(include_in_schema=False)


class Inspector:
    """What outlives a request of the page, one an application."""

    def __init__(self, settings: Settings) -> None:
        self.pages, self.sealer = Pages(), Sealer()
        self.votes = VoteBook(settings.votes) if settings.votes else None
        self.answering = answering_of(settings)


def inspector_of(request: Request) -> Inspector:
    """The application's inspector, made when it is first asked for."""
    state = request.app.state
    if not hasattr(state, "inspector"):
        state.inspector = Inspector(service_of(request).settings)
    found: Inspector = state.inspector
    return found


@router.get("/")
async def start(request: Request) -> Response:
    """The page with a shipped query, or the one that the address names."""
    return await _page(request, _inspect)


@router.post("/")
async def look(request: Request) -> Response:
    """The page for a form: another request, other settings, another stretch of lambda."""
    return await _page(request, _inspect)


@router.get("/inspector/compare")
async def compare_example(request: Request) -> Response:
    """A blind trial on a shipped query."""
    return await _page(request, _compare)


@router.post("/inspector/compare")
async def compare(request: Request) -> Response:
    """A blind trial on the form's request and settings."""
    return await _page(request, _compare)


@router.get("/inspector/compare/answers")
async def compare_answers_example(request: Request) -> Response:
    """A blind trial of two answers to a shipped query."""
    return await _page(request, _compare_answers)


@router.post("/inspector/compare/answers")
async def compare_answers(request: Request) -> Response:
    """A blind trial of two answers, written from both sets of the form's request."""
    return await _page(request, _compare_answers)


@router.post("/inspector/vote")
async def vote(request: Request) -> Response:
    """An answer to a blind trial; only now the sides are named."""
    return await _page(request, _vote)


@router.get("/inspector/history")
async def over_time(request: Request) -> Response:
    """Duplicate rate over time, from the service's selection log."""
    return await _page(request, _history)


@router.post("/inspector/contract")
async def contract(request: Request) -> Response:
    """The settings as a contract file."""
    return await _page(request, _contract)


@router.get("/inspector/static/{tag}/{name}")
async def static(request: Request, tag: str, name: str) -> Response:
    """Style and script."""
    found = inspector_of(request).pages.asset(name)
    if found is None:
        raise Refusal(404, Problem("http_404", "there is no such file", "load it from the page"))
    return found


@dataclass(frozen=True, slots=True)
class Later:
    """A page that waits for something outside: no thread that selects and no place in the queue is held meanwhile."""

    wait: Callable[[], Awaitable[Written]]
    page: Callable[[Written], Response]


Maker = Callable[["Turned", bytes], Response | Later]


class Turned:
    """One request of the page: the parts it needs, and the form once it was read."""

    def __init__(self, request: Request) -> None:
        self.service, self.inspector = service_of(request), inspector_of(request)
        self.accept = request.headers.get("accept-language", "")
        self.cookie = request.cookies.get(COOKIE)
        self.asked = Asked()

    @property
    def words(self) -> Words:
        """The language of the answer."""
        return choose(self.asked.lang, self.cookie, self.accept)

    def read(self, raw: bytes) -> Asked:
        """Take over the form."""
        self.asked = read_form(raw)
        return self.asked

    def answer(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page with what every page shows."""
        common = {
            "asked": self.asked,
            "settings": self.service.settings,
            "votes": self.inspector.votes is not None,
            "answering": self.inspector.answering is not None,
        }
        response = self.inspector.pages.answer(template, self.words, status, **{**common, **values})
        if self.asked.lang in LANGUAGES:
            response.set_cookie(COOKIE, self.asked.lang, max_age=31_536_000, samesite="strict", httponly=True)
        return response


async def _page(request: Request, make: Maker) -> Response:
    """Run a maker on the form, which a GET has in its address, in a thread and within the service's limits.

    What is refused is said on a page.
    """
    turned = Turned(request)
    service = turned.service
    try:
        body = request.url.query.encode("ascii", "replace") if request.method == "GET" else await request.body()
        async with service.work.turn(service.settings.request_seconds) as turn:
            found = await turn.run(make, turned, body)
        if isinstance(found, Response):
            return found
        waited = await found.wait()
        async with service.work.turn(service.settings.request_seconds) as turn:
            return await turn.run(found.page, waited)
    except Refusal as refusal:
        return _refused(turned, refusal)
    except LogError as error:  # a file of the operator's, not the person's input
        return _refused(turned, Refusal(503, error))
    except InputError as error:
        return _refused(turned, Refusal(422, error))
    except MissingExtraError as error:
        return _refused(turned, Refusal(501, Problem("missing_extra", str(error), "the operator must install it")))


def _refused(turned: Turned, refusal: Refusal) -> Response:
    answer = turned.answer("refused.html", refusal.status, page="inspect", **views.sources(), problems=refusal.problems)
    answer.headers.update(refusal.headers)
    return answer


def _inspect(turned: Turned, raw: bytes) -> Response:
    seen = inspect(turned.service, turned.read(raw))
    classes = turned.service.contract.classes
    shown = views.inspect_view(seen, turned.words)
    return turned.answer("inspect.html", page="inspect", class_names=classes, **views.sources(), **shown)


def _compare(turned: Turned, raw: bytes) -> Response:
    asked = turned.read(raw)
    seen = inspect(turned.service, asked)
    book = turned.inspector.votes
    trial = turned.inspector.sealer.open(seen) if book is not None and _differ(seen) else None
    return _trial_page(turned, asked, seen, trial, of="sets", sides=views.compare_sides(seen, trial))


def _trial_page(turned: Turned, asked: Asked, seen: Inspection, trial: Trial | None, **values: Any) -> Response:
    return turned.answer(
        "compare.html",
        page="compare",
        trial=trial,
        query=views.shown_query(seen),
        carried=views.carried(asked, seen),
        following=views.next_example(asked),
        **values,
    )


def _compare_answers(turned: Turned, raw: bytes) -> Response | Later:
    asked, inspector = turned.read(raw), turned.inspector
    answering = inspector.answering
    if answering is None:
        remedy = "start it with --answer-url URL and --answer-model NAME"
        raise Refusal(404, Problem("no_answering", "this service has no model to write answers", remedy))
    seen = inspect(turned.service, asked)
    sets = sets_of(turned.service, seen)
    if inspector.votes is None or not _differ(seen) or not all(one.seats for one in sets.values()):
        return _trial_page(turned, asked, seen, None, of="answers", sides=[])

    def page(written: Written) -> Response:
        trial = inspector.sealer.open(seen, written) if written.differ else None
        sides = views.answer_sides(written, trial)
        return _trial_page(turned, asked, seen, trial, of="answers", sides=sides)

    return Later(lambda: answering.write(seen.selection.query, sets), page)


def _differ(seen: Inspection) -> bool:
    return [one.id for one in seen.first] != seen.selection.ids


def _vote(turned: Turned, raw: bytes) -> Response:
    turned.read(raw)
    book = turned.inspector.votes
    if book is None:
        raise Refusal(404, Problem("no_votes", "this service keeps no answers", "start it with --votes FILE"))
    given = views.vote_fields(raw)
    if given["choice"] not in CHOICES:
        known = ", ".join(CHOICES)
        raise Refusal(422, Problem("unknown_choice", "no such choice", f"one of: {known}", field="choice"))
    trial = turned.inspector.sealer.read(given["trial"])
    preferred = book.write(trial, given["choice"])
    following = views.next_example(turned.asked)
    return turned.answer(
        "voted.html",
        page="compare",
        trial=trial,
        of=trial.about.get("of", "sets"),
        preferred=preferred,
        tallies=[(of, found) for of in KINDS if (found := book.tallies(of))[0].answers],
        following=following,
    )


def _history(turned: Turned, raw: bytes) -> Response:
    turned.read(raw)
    log = turned.service.settings.log
    return turned.answer("history.html", page="history", log=log is not None, past=history(log) if log else None)


def _contract(turned: Turned, raw: bytes) -> Response:
    asked = turned.read(raw)
    seen = inspect(turned.service, asked)
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in seen.selection.query_class)[:40]
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="reparto-{name}.toml"'}
    return Response(contract_toml(seen).encode("utf-8"), 200, headers, "application/toml; charset=utf-8")
