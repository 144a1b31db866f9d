"""Who is asking: sessions for pages, tokens for programs, and what each may reach."""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from boca.core.errors import BocaError
from boca.core.message import msg
from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text
from boca.live.desk import Desk
from boca.live.passkeys import Passkeys
from boca.live.people import Who
from boca.live.rehearsals import Rehearsals
from boca.live.web.brand import Brand
from boca.live.web.gate import COOKIE
from boca.live.web.limits import Buckets, Limits
from boca.live.web.security import check_form, form_token
from boca.live.web.sheets.apart import SheetRoom

SESSION_DAYS = 14


class NotSignedIn(BocaError):
    """Nobody is signed in, or not any more."""


class NotHere(BocaError):
    """No such thing, or none that the visitor may know of; both look the same."""


@dataclass(frozen=True)
class Site:
    """
    What all pages and calls share.

    Parameters
    ----------
    desk
        The door to the auctions.
    url
        Where people reach the server, without a slash at the end.
    limits, buckets
        How much is taken from whom.
    rehearsals
        Bots that the server starts.
    sheets
        Where uploaded sheets are read.
    has_mail
        Whether people can be told by e-mail.
    brand
        What the operator shows on every page.
    passkeys
        Lets people in by their devices.
    """

    desk: Desk
    url: str
    limits: Limits
    buckets: Buckets
    rehearsals: Rehearsals
    sheets: SheetRoom
    passkeys: Passkeys
    has_mail: bool = False
    brand: Brand = field(default_factory=Brand)


@dataclass(frozen=True)
class Visitor:
    """
    Somebody who is known.

    Parameters
    ----------
    who
        Whose credential it is, and what it is good for.
    token
        The credential itself; never shown, never logged.
    """

    who: Who
    token: str

    @property
    def person(self) -> str:
        return self.who.person

    @property
    def form_token(self) -> str:
        return form_token(self.token)


def site_of(request: Request) -> Site:
    """What the application shares."""
    site: Site = request.app.state.site
    return site


def _known(request: Request, token: str, kind: Literal["session", "api"]) -> Visitor | None:
    """The visitor of a credential, within its limits."""
    site = site_of(request)
    who = site.desk.people.who(token, kind) if token else None
    if who is None:
        return None
    site.buckets.note_good(token)
    request.state.role = who.role
    site.buckets.take("requests", who.access, site.limits.requests)
    return Visitor(who, token)


def visitor_of_page(request: Request) -> Visitor | None:
    """Who looks at a page; a token for programs does not count here."""
    return _known(request, request.cookies.get(COOKIE, ""), "session")


def visitor_of_call(request: Request) -> Visitor | None:
    """
    Who calls the API; None without a token, refused with a wrong one.

    A cookie does not count here, so nobody can be tricked into a call.
    """
    header = request.headers.get("authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    visitor = _known(request, token.strip(), "api") if scheme.lower() == "bearer" else None
    if visitor is None:
        raise NotSignedIn
    # Looking at what a submission would do changes nothing.
    reads = request.method in ("GET", "HEAD") or request.url.path.endswith("/check")
    if visitor.who.scope == "read" and not reads:
        raise Refusal(
            "forbidden",
            msg(
                "This token is for reading alone. Make one that can do everything on the "
                "page Devices."
            ),
        )
    return visitor


def signed_in(request: Request) -> Visitor:
    """The visitor of a page that needs one."""
    visitor = visitor_of_page(request)
    if visitor is None:
        raise NotSignedIn
    return visitor


def last_sign_in(request: Request, who: Who) -> datetime | None:
    """When the person signed in on another occasion; None if never."""
    sign_ins = [
        from_text(row.created_at)
        for row in site_of(request).desk.people.accesses(who)
        if row.kind == "session" and row.id != who.access
    ]
    return max(sign_ins, default=None)


async def form_of(request: Request, visitor: Visitor) -> dict[str, list[str]]:
    """The fields of a form that one of our pages sent; files are not taken."""
    form = await request.form()
    fields: dict[str, list[str]] = {}
    for name, value in form.multi_items():
        if isinstance(value, str):
            fields.setdefault(name, []).append(value)
    token = fields.get("csrf", [""])[0]
    check_form(request, site_of(request).url, visitor.token, token)
    return fields


def set_cookie(response: Response, token: str) -> None:
    """Keeps a session in the browser."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=SESSION_DAYS * 24 * 3600,
        path="/",
        secure=True,
        httponly=True,
        samesite="lax",
    )


def request_key(visitor: Visitor, *parts: str) -> str:
    """The same for the same content of a form, so that a repeated click is one request."""
    text = "\n".join(parts).encode()
    return hmac.new(visitor.token.encode(), text, hashlib.sha256).hexdigest()[:40]
