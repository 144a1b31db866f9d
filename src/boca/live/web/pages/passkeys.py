"""
Adding a passkey on the page of devices, and coming in by one.

Both are two calls of the page's script: what to sign, and what was signed. Browsers without it have
links.
"""

import json
from asyncio import wrap_future
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.passkeys import NotTaken
from boca.live.web.pages.entrance import acting, first_page, here
from boca.live.web.security import check_same_origin
from boca.live.web.visitors import NotHere, Visitor, set_cookie, site_of

router = APIRouter(include_in_schema=False)


def check_offered(request: Request) -> None:
    """Raises NotHere where the server's address cannot have passkeys."""
    if not site_of(request).passkeys.are_offered:
        raise NotHere


@router.post("/sessions/passkey/begin")
@router.post("/a/{auction}/sessions/passkey/begin")
async def begin_adding(request: Request, auction: str | None = None) -> Response:
    """What the browser needs to make a passkey."""
    check_offered(request)
    visitor, _ = await acting(request, auction)
    options = site_of(request).passkeys.begin_adding(visitor.who, label_of(request, visitor))
    return JSONResponse(options)


@router.post("/sessions/passkey")
@router.post("/a/{auction}/sessions/passkey")
async def add(request: Request, auction: str | None = None) -> Response:
    """Keeps what the browser has made."""
    check_offered(request)
    visitor, fields = await acting(request, auction)
    name, made = fields.get("name", [""])[0], fields.get("made", [""])[0]
    await wrap_future(site_of(request).passkeys.add(visitor.who, name, read(made)))
    return JSONResponse({"to": here(visitor)})


@router.post("/passkey/begin")
async def begin_entering(request: Request) -> Response:
    """What the browser needs to ask for a passkey."""
    check_offered(request)
    check_same_origin(request, site_of(request).url)
    return JSONResponse(site_of(request).passkeys.begin_entering())


@router.post("/passkey")
async def enter(request: Request) -> Response:
    """Signs this device in, with a new session."""
    check_offered(request)
    site = site_of(request)
    check_same_origin(request, site.url)
    made = (await request.form()).get("made", "")
    try:
        entered = await wrap_future(site.passkeys.enter(read(str(made))))
    except Refusal as refusal:
        if refusal.cause != "unavailable":  # whoever guesses is slowed down like with links
            site.buckets.take("enter", request.state.address, site.limits.enter)
        raise
    answer = JSONResponse({"to": first_page(entered.who)})
    set_cookie(answer, entered.token)
    return answer


def read(text: str) -> dict[str, Any]:
    """What a browser's answer says; refused unless it is an object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotTaken from None
    if not isinstance(value, dict):
        raise NotTaken
    return value


def label_of(request: Request, visitor: Visitor) -> str:
    """How a device calls the account to its owner: person, and auction if there is one."""
    who = visitor.who
    state = site_of(request).desk.writer.state(who.auction) if who.auction else None
    return f"{who.person} ({state.name})" if state else who.person
