"""Coming in by a link, the devices of a person, and going out."""

from asyncio import wrap_future
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.hours import zones
from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text, to_text
from boca.live.people import Scope, Who
from boca.live.web.gate import COOKIE
from boca.live.web.render import (
    LANGUAGE_COOKIE,
    ZONE_COOKIE,
    language_of,
    own_texts,
    page,
    zone_of,
)
from boca.live.web.seats import seat_of, seat_page
from boca.live.web.security import check_same_origin
from boca.live.web.texts import Texts, languages, load
from boca.live.web.visitors import (
    SESSION_DAYS,
    NotHere,
    Visitor,
    form_of,
    set_cookie,
    signed_in,
    site_of,
    visitor_of_page,
)

# A language is not a secret, and nobody wants to choose it twice.
LANGUAGE_DAYS = 365
router = APIRouter(include_in_schema=False)


@router.get("/enter/{token}")
async def invitation(request: Request, token: str) -> Response:
    """Shows who is invited; nothing is used up, since mail scanners open links."""
    count_wrong_links(request, token)
    return invitation_page(request, token)


def count_wrong_links(request: Request, token: str) -> None:
    """Counts only links that do not work: a room full of people can come in together."""
    site = site_of(request)
    offer = site.desk.people.invitation(token)
    if offer is None or not offer.is_valid:
        site.buckets.take("enter", request.state.address, site.limits.enter)


def invitation_page(request: Request, token: str) -> Response:
    """The page of a link, or why it does not work."""
    offer = site_of(request).desk.people.invitation(token)
    if offer is None:
        return refused_link(request, own_texts(request), "unknown", 404)
    t = load(language_of(request) or offer.language, offer.kind)
    if offer.used_at is not None:
        return refused_link(request, t, "used", 410, t.moment(from_text(offer.used_at)))
    if not offer.is_valid:
        return refused_link(request, t, "expired", 410)
    if offer.bidder_name:
        who = t.who(offer.person, offer.bidder_name)
    else:
        role = t(f"role.{offer.role}")
        is_named = offer.person not in (role, offer.role)
        who = t("enter.as_role", person=offer.person, role=role) if is_named else role
    name = offer.auction_name or t("enter.server")
    # An auctioneer of one auction is told of the auction, one of all of the server.
    role_key = "auctioneer_one" if offer.role == "auctioneer" and offer.auction else offer.role
    return page(request, "enter.html", t, who=who, auction_name=name, role=role_key)


def refused_link(request: Request, t: Texts, why: str, status: int, time: str = "") -> Response:
    """The page of a link that does not work, with what to do."""
    title, sentence = t(f"enter.{why}_title"), t(f"enter.{why}", time=time)
    return page(
        request, "error.html", t, status, title=title, sentence=sentence, home="", back="",
        has_passkeys=site_of(request).passkeys.are_offered,
    )  # fmt: skip


@router.post("/enter/{token}")
async def enter(request: Request, token: str) -> Response:
    """Uses the link up and signs this device in, with a new session."""
    site = site_of(request)
    count_wrong_links(request, token)
    check_same_origin(request, site.url)
    try:
        entered = await wrap_future(site.desk.people.enter(token))
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        return invitation_page(request, token)
    answer = RedirectResponse(first_page(entered.who), 303)
    set_cookie(answer, entered.token)
    return answer


def first_page(who: Who) -> str:
    """Where somebody who has come in begins."""
    if who.auction is None:
        return "/"
    return f"/a/{who.auction}/{'me' if who.role == 'bidder' else 'run'}"


@router.get("/sessions")
async def staff_sessions(request: Request) -> Response:
    """Devices of somebody who is not a bidder."""
    return sessions_page(request, signed_in(request))


@router.get("/a/{auction}/sessions")
async def sessions(request: Request, auction: str) -> Response:
    """Devices and programs of a bidder's person."""
    visitor = signed_in(request)
    check_place(visitor, auction)
    return sessions_page(request, visitor)


def check_place(visitor: Visitor, auction: str | None) -> None:
    """Raises NotHere unless the visitor is a bidder of the auction in the address."""
    if auction is not None and (visitor.who.role, visitor.who.auction) != ("bidder", auction):
        raise NotHere


def here(visitor: Visitor) -> str:
    """Where the visitor's page of devices is."""
    who = visitor.who
    return f"/a/{who.auction}/sessions" if who.role == "bidder" else "/sessions"


def sessions_page(request: Request, visitor: Visitor, link: str = "", token: str = "") -> Response:
    """The page of devices, perhaps with a secret that is shown this once."""
    desk, who = site_of(request).desk, visitor.who
    now = to_text(desk.now())
    tokens = desk.people.tokens(who)
    names = {id_: row.name for id_, row in (tokens | desk.people.passkeys(who)).items()}
    rows = [
        {
            "id": row.id,
            "kind": row.kind,
            "created_at": from_text(row.created_at),
            "last_seen_at": from_text(row.last_seen_at) if row.last_seen_at else None,
            "expires_at": from_text(row.expires_at),
            "is_this": row.id == who.access,
            "name": names.get(row.id, ""),
            "scope": tokens[row.id].scope if row.id in tokens else "all",
        }
        for row in desk.people.accesses(who)
        if row.revoked_at is None and row.used_at is None and row.expires_at > now
    ]
    zone = zone_of(request)
    values: dict[str, Any] = {
        "here": here(visitor),
        "rows": rows,
        "link": link,
        "token": token,
        "zones": ("UTC", *sorted(zones() - {"UTC"})),
        "zone_name": zone.key if zone else "UTC",
        "has_passkeys": site_of(request).passkeys.are_offered,
    }
    if who.role == "bidder":
        seat = seat_of(request, who.auction or "", visitor)
        return seat_page(request, seat, "sessions", **values)
    form_token = visitor.form_token
    return page(request, "sessions.html", visitor=visitor, csrf_token=form_token, **values)


async def acting(request: Request, auction: str | None) -> tuple[Visitor, dict[str, list[str]]]:
    """Who sent a form of this page, and its fields."""
    visitor = signed_in(request)
    check_place(visitor, auction)
    return visitor, await form_of(request, visitor)


@router.post("/sessions/link")
@router.post("/a/{auction}/sessions/link")
async def make_link(request: Request, auction: str | None = None) -> Response:
    """A link for another device of the same person."""
    visitor, _ = await acting(request, auction)
    site = site_of(request)
    link = await wrap_future(site.desk.people.other_device(visitor.who))
    return sessions_page(request, visitor, link=f"{site.url}/enter/{link.token}")


@router.post("/sessions/token")
@router.post("/a/{auction}/sessions/token")
async def make_token(request: Request, auction: str | None = None) -> Response:
    """A token for a program that acts for the person."""
    visitor, fields = await acting(request, auction)
    scope: Scope = "read" if fields.get("scope") == ["read"] else "all"
    name = fields.get("name", [""])[0]
    link = await wrap_future(site_of(request).desk.people.api_token(visitor.who, name, scope))
    return sessions_page(request, visitor, token=link.token)


@router.post("/sessions/revoke")
@router.post("/a/{auction}/sessions/revoke")
async def revoke(request: Request, auction: str | None = None) -> Response:
    """Ends a session, a link or a token of the same person."""
    visitor, fields = await acting(request, auction)
    wanted = fields.get("id", [""])[0]
    await wrap_future(site_of(request).desk.people.revoke_own(visitor.who, wanted))
    return RedirectResponse(here(visitor), 303)


@router.post("/sessions/zone")
@router.post("/a/{auction}/sessions/zone")
async def choose_zone(request: Request, auction: str | None = None) -> Response:
    """Remembers the time zone in the browser."""
    visitor, fields = await acting(request, auction)
    answer = RedirectResponse(here(visitor), 303)
    name = fields.get("zone", [""])[0]
    if name in zones():
        answer.set_cookie(
            ZONE_COOKIE,
            name.replace("/", "~"),
            max_age=SESSION_DAYS * 24 * 3600,
            secure=True,
            httponly=True,
            samesite="lax",
        )
    return answer


@router.post("/language")
async def choose_language(request: Request) -> Response:
    """Remembers the language in the browser, and for the mails of whoever is signed in."""
    site = site_of(request)
    check_same_origin(request, site.url)
    form = await request.form()
    back, name = str(form.get("back", "/")), str(form.get("language", ""))
    # Only to a page of ours: two slashes, or a backslash, would begin the name of another server.
    is_ours = back.startswith("/") and not back.startswith("//") and "\\" not in back
    answer = RedirectResponse(back if is_ours and back.isprintable() else "/", 303)
    await remember_language(request, answer, name)
    return answer


async def remember_language(request: Request, answer: Response, name: str) -> None:
    """Keeps a language, if it is one of ours, in the browser and for mails."""
    if name not in languages():
        return
    answer.set_cookie(
        LANGUAGE_COOKIE,
        name,
        max_age=LANGUAGE_DAYS * 24 * 3600,
        secure=True,
        httponly=True,
        samesite="lax",
    )
    visitor = visitor_of_page(request)
    chosen = site_of(request).desk.choose_language(visitor.who, name) if visitor else None
    if chosen is not None:
        await wrap_future(chosen)


@router.post("/sessions/leave")
@router.post("/a/{auction}/sessions/leave")
async def leave(request: Request, auction: str | None = None) -> Response:
    """Signs this device out."""
    visitor, _ = await acting(request, auction)
    await wrap_future(site_of(request).desk.people.sign_out(visitor.who))
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(COOKIE, path="/", secure=True, httponly=True, samesite="lax")
    return answer
