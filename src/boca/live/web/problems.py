"""Whatever goes wrong, as a sentence: a page for people, problem+json for programs."""

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from boca.core.errors import InputError
from boca.live.auction.refusal import Cause, Refusal
from boca.live.store.database import NoDatabase
from boca.live.web.gate import refusal_page, way_back
from boca.live.web.limits import TooManyRequests
from boca.live.web.render import own_texts, page
from boca.live.web.security import ForeignForm, TooLarge, TooSlow
from boca.live.web.texts import Texts, load
from boca.live.web.visitors import NotHere, NotSignedIn, site_of, visitor_of_page

STATUS: dict[Cause, int] = {
    "wrong-phase": 409,
    "too-late": 409,
    "conflict": 409,
    "mistakes": 422,
    "unconfirmed": 422,
    "proposed": 409,
    "not-found": 404,
    "forbidden": 403,
    "unavailable": 503,
}
TITLES = {
    401: "sign_in",
    403: "forbidden",
    404: "not_found",
    405: "method",
    409: "conflict",
    408: "too_slow",
    413: "too_large",
    422: "invalid",
    429: "too_many",
    503: "unavailable",
}
log = logging.getLogger("boca.server")


def texts_for(request: Request) -> Texts:
    """The visitor's language on pages; programs read English, in the words of their auction."""
    if not request.url.path.startswith("/api/"):
        return own_texts(request)
    auction = request.path_params.get("auction", "")
    return load("en", site_of(request).desk.kind_of(auction))


def answer(
    request: Request,
    status: int,
    sentence: str,
    *,
    phase: str = "",
    errors: list[dict[str, str]] | None = None,
    headers: dict[str, str] | None = None,
    more: dict[str, Any] | None = None,
) -> Response:
    """
    What went wrong, in the form that the caller reads.

    Parameters
    ----------
    request
        What is answered.
    status
        HTTP status.
    sentence
        What happened and what to do.
    phase
        Of the auction, where it matters.
    errors
        Single mistakes: ``where``, ``found``, ``expected``.
    headers
        Further headers.
    more
        Further members for programs.
    """
    is_call = request.url.path.startswith("/api/")
    t = texts_for(request)
    title = t(f"problem.{TITLES.get(status, 'server')}_title")
    if is_call:
        problem: dict[str, Any] = {"title": title, "detail": t.read(sentence), "status": status}
        if phase:
            problem["phase"] = phase
        if errors:
            problem["errors"] = [
                {name: t.read(text) for name, text in error.items()} for error in errors
            ]
        return JSONResponse(
            {**problem, **(more or {})}, status, headers, media_type="application/problem+json"
        )
    sentence = t.read(sentence)
    lines = [
        t("mistake.plain", **{name: t.read(text) for name, text in error.items()})
        for error in errors or ()
    ]
    back = way_back(request.method, request.url.path) if status == 429 else ""
    response = page(
        request, "error.html", t, status, title=title, sentence=sentence, errors=lines,
        home=home_of(request, status), back=back,
        has_passkeys=status == 401 and site_of(request).passkeys.are_offered,
    )  # fmt: skip
    response.headers.update(headers or {})
    return response


def home_of(request: Request, status: int) -> str:
    """Where a visitor can go on."""
    if status in (401, 429) or status >= 500:
        return ""
    try:
        visitor = visitor_of_page(request)
    except TooManyRequests:  # the answer is on its way already
        return ""
    is_bidder = visitor is not None and visitor.who.role == "bidder"
    return f"/a/{visitor.who.auction}/me" if visitor and is_bidder else ""


def install(app: FastAPI) -> None:
    """Gives every kind of failure its answer."""

    @app.exception_handler(Refusal)
    async def refusal(request: Request, error: Refusal) -> Response:
        # What is not there and what is not for the visitor look the same.
        if error.cause == "not-found":
            return await not_here(request, NotHere())
        errors = [
            {"where": m.where, "found": m.found, "expected": m.expected} for m in error.mistakes
        ]
        return answer(
            request, STATUS[error.cause], error.sentence, phase=error.phase, errors=errors
        )

    @app.exception_handler(InputError)
    async def input_error(request: Request, error: InputError) -> Response:
        return answer(request, 422, error.message)

    @app.exception_handler(NotSignedIn)
    async def not_signed_in(request: Request, error: NotSignedIn) -> Response:
        t = texts_for(request)
        headers = {"WWW-Authenticate": "Bearer"} if request.url.path.startswith("/api/") else {}
        return answer(request, 401, t("problem.sign_in"), headers=headers)

    @app.exception_handler(NotHere)
    async def not_here(request: Request, error: NotHere) -> Response:
        t = texts_for(request)
        return answer(request, 404, t("problem.not_found"))

    @app.exception_handler(ForeignForm)
    async def foreign_form(request: Request, error: ForeignForm) -> Response:
        t = texts_for(request)
        return answer(request, 403, t("problem.forbidden"))

    @app.exception_handler(TooManyRequests)
    async def too_many(request: Request, error: TooManyRequests) -> Response:
        t = texts_for(request)
        headers = {"Retry-After": str(error.wait)}
        if "cookie" not in request.headers and "authorization" not in request.headers:
            media_type, text = refusal_page(request.method, request.url.path, error.wait)
            return Response(text, 429, headers, media_type)
        return answer(request, 429, t("problem.too_many", n=error.wait), headers=headers)

    @app.exception_handler(TooLarge)
    async def too_large(request: Request, error: TooLarge) -> Response:
        t = texts_for(request)
        return answer(request, 413, t("problem.too_large", limit=error.most // 1024))

    @app.exception_handler(TooSlow)
    async def too_slow(request: Request, error: TooSlow) -> Response:
        t = texts_for(request)
        # The rest of the request is still on its way, so the connection ends with the answer.
        sentence = t("problem.too_slow", n=f"{error.seconds:g}")
        return answer(request, 408, sentence, headers={"Connection": "close"})

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        t = texts_for(request)
        errors = [mistake_of(detail) for detail in error.errors()]
        return answer(request, 422, t("problem.errors"), errors=errors)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        t = texts_for(request)
        # The framework wraps what goes wrong while it reads a body.
        if isinstance(error.__cause__, TooLarge):
            return await too_large(request, error.__cause__)
        if isinstance(error.__cause__, TooSlow):
            return await too_slow(request, error.__cause__)
        sentences = {404: t("problem.not_found"), 405: t("problem.method")}
        # The framework's 400: a body that is neither JSON nor a form.
        status = 422 if error.status_code == 400 else error.status_code
        sentence = sentences.get(status, t("problem.body"))
        return answer(request, status, sentence, headers=dict(error.headers or {}))

    @app.exception_handler(NoDatabase)
    async def no_database(request: Request, error: NoDatabase) -> Response:
        t = texts_for(request)
        # One line, however many people wait: the writer says what is wrong.
        log.warning("the database does not answer")
        return answer(request, 503, t("problem.no_database"), headers={"Retry-After": "5"})

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        t = texts_for(request)
        # The traceback goes to the server's own log; it names no values of bidders.
        log.error("unexpected error", exc_info=error)
        return answer(request, 500, t("problem.server"))


def mistake_of(detail: dict[str, Any]) -> dict[str, str]:
    """A mistake that the model of a call found."""
    where = ".".join(str(part) for part in detail["loc"])
    found = repr(detail.get("input"))
    shown = found if len(found) <= 80 else f"{found[:77]}..."
    return {"where": where, "found": shown, "expected": str(detail["msg"])}
