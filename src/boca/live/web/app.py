"""The application: pages, calls and stream around one desk."""

import time
from collections.abc import Callable
from urllib.parse import urlsplit

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import Response

import boca
from boca.core.errors import InputError
from boca.live.desk import Desk
from boca.live.passkeys import Passkeys
from boca.live.rehearsals import Rehearsals
from boca.live.web import problems
from boca.live.web.api import auctioneer, bidder, everybody
from boca.live.web.api.shared import describe
from boca.live.web.brand import Brand
from boca.live.web.gate import Gate
from boca.live.web.journal import Journal
from boca.live.web.limits import Buckets, Limits
from boca.live.web.pages import (
    award,
    checking,
    courses,
    demands,
    documents,
    entrance,
    inquiries,
    late,
    passkeys,
    public,
    questions,
    reports,
    sheet,
    told,
)
from boca.live.web.pages.staff import STAFF_PAGES
from boca.live.web.security import Guard
from boca.live.web.sheets.apart import SheetRoom
from boca.live.web.stream import changes
from boca.live.web.visitors import Site, visitor_of_page

LOCAL = ("localhost", "127.0.0.1", "::1")


def check_url(url: str) -> str:
    """The address of the server without a slash at the end; http only for this machine."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and parts.path in ("", "/")
        is_good = is_good and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good:
        raise InputError(
            f"The address {url!a} cannot be used; expected one such as "
            "https://auction.example.org without a path."
        )
    if parts.scheme == "http" and parts.hostname not in LOCAL:
        raise InputError(
            f"The address '{url}' is not encrypted; expected https, since links and sessions "
            "would travel in the clear. Put a proxy with TLS in front of the server."
        )
    return f"{parts.scheme}://{parts.netloc}"


stream_router = APIRouter(include_in_schema=False)


@stream_router.get("/a/{auction}/events")
async def page_events(request: Request, auction: str) -> Response:
    """The stream of changes for pages."""
    visitor = visitor_of_page(request)
    is_own = visitor is not None and visitor.who.auction in (None, auction)
    request.app.state.site.desk.public(auction, visitor.who if visitor else None)
    return await changes(request, auction, visitor if is_own else None)


def build(
    desk: Desk,
    url: str,
    limits: Limits | None = None,
    proxies: tuple[str, ...] = (),
    local_url: str | None = None,
    journal: Callable[[str], object] | None = None,
    has_mail: bool = False,
    brand: Brand | None = None,
) -> FastAPI:
    """
    The application.

    Parameters
    ----------
    desk
        The door to the auctions; whoever opened it closes it.
    url
        Where people reach the server.
    limits
        How much is taken from whom; the documented limits unless given.
    proxies
        Addresses of proxies whose ``X-Forwarded-For`` is believed.
    local_url
        Where programs on this machine reach the server; ``url`` unless given.
    journal
        Takes one line of JSON per request; None for none.
    has_mail
        Whether a postman works beside it, so that pages offer to tell people by e-mail.
    brand
        What the operator shows on every page; nothing unless given.
    """
    limits = limits or Limits()

    app = FastAPI(
        title="boca live auctions",
        version=boca.__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        # Unknown addresses and a slash too many are the same 404 for everybody.
        redirect_slashes=False,
    )
    rehearsals = Rehearsals(desk, local_url or check_url(url))
    buckets = Buckets(time.monotonic)
    app.state.site = Site(
        desk,
        check_url(url),
        limits,
        buckets,
        rehearsals,
        SheetRoom(),
        Passkeys(desk.people, check_url(url)),
        has_mail,
        brand or Brand(),
    )
    problems.install(app)
    pages = (
        entrance,
        passkeys,
        questions,
        demands,
        sheet,
        checking,
        reports,
        courses,
        documents,
        award,
        inquiries,
        late,
        public,
        told,
    )
    for module in pages:
        app.include_router(module.router)
    for staff_module in STAFF_PAGES:
        app.include_router(staff_module.router)
    for calls in (everybody, bidder, auctioneer):
        app.include_router(calls.router)
    app.include_router(stream_router)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    app.add_middleware(Gate, buckets=buckets, limits=limits, desk=desk)
    app.add_middleware(
        Guard,
        most_bytes=limits.body,
        most_upload=limits.upload,
        proxies=proxies,
        seconds=limits.body_seconds,
    )
    if journal is not None:
        app.add_middleware(Journal, write=journal, clock=desk.clock)
    return app
