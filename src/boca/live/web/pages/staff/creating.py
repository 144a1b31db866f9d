"""A new auction: by the form, or from a market file that is looked at before it is made."""

import secrets
from asyncio import wrap_future
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.rules import AuctionFile
from boca.live.auction.views import Setup
from boca.live.web.pages.documents import attachment
from boca.live.web.render import language_of, page
from boca.live.web.seats import setup_in
from boca.live.web.security import check_form
from boca.live.web.setting_up import SetupForm
from boca.live.web.setting_up.filling import PATTERNS
from boca.live.web.staff import server_visitor
from boca.live.web.texts import load_for
from boca.live.web.views.rules_words import rules_words
from boca.live.web.views.staff.mistake_line import mistake_line
from boca.live.web.views.staff.size import size_words
from boca.live.web.visitors import Visitor, form_of, site_of

router = APIRouter(include_in_schema=False)
# What an empty form can be for; patterns stand for sales.
EMPTY = ("sell", "buy", "exchange")


@router.get("/new")
async def new(request: Request) -> Response:
    """The two ways: the form, perhaps filled from a pattern, or a market file."""
    return await new_page(request, server_visitor(request))


async def new_page(request: Request, visitor: Visitor, text: str = "", error: str = "") -> Response:
    """
    The page.

    Parameters
    ----------
    request, visitor
        What is answered, and for whom.
    text
        The market file as it was sent.
    error
        What is wrong with it.
    """
    kept = site_of(request).desk.setups(visitor.who)
    forms = {key: SetupForm.from_text(form) for key, form in kept.items()}
    return page(
        request,
        "staff/new.html",
        status=422 if error else 200,
        visitor=visitor,
        csrf_token=visitor.form_token,
        text=text,
        error=error,
        line=mistake_line(text, error) if error else None,
        patterns=PATTERNS,
        empty=EMPTY,
        forms=[(key, form.name) for key, form in forms.items() if not form.auction],
    )


@router.post("/new")
async def look(request: Request) -> Response:
    """Reads a market file, typed or sent, and shows what it means."""
    visitor = server_visitor(request)
    text, _ = await uploaded_text(request, visitor)
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())  # known from here on, so that nothing waits for it
    try:
        await wrap_future(desk.preview(text))
    except InputError as error:
        return await new_page(request, visitor, text, str(error))
    values = preview_values(request, visitor, text, desk.read(text))
    return page(request, "staff/preview.html", **values, setup="", step="", changes=None, error="")


async def uploaded_text(request: Request, visitor: Visitor) -> tuple[str, dict[str, str]]:
    """The market file that was sent, as a file or as text, and the other fields."""
    form = await request.form()
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    check_form(request, site_of(request).url, visitor.token, fields.get("csrf", ""))
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        try:
            return (await file.read()).decode("utf-8-sig"), fields
        except UnicodeDecodeError:
            # Read as a file of another kind would be: the reader says what it expects.
            return "\ufffd", fields
    return fields.get("text", "").replace("\r\n", "\n"), fields


def preview_values(
    request: Request, visitor: Visitor, text: str, file: AuctionFile
) -> dict[str, Any]:
    """What the page shows about an auction with this file, before it is made."""
    rules, market = file.rules, file.market
    t = load_for(rules, market, language_of(request))
    public_key = site_of(request).desk.key.public
    setup = setup_in(t, Setup(rules, market, rules.money, public_key, ""))
    return {
        "t": t,
        "visitor": visitor,
        "csrf_token": visitor.form_token,
        "name": market.name,
        "text": text,
        "rules": rules_words(t, setup, is_staff=True),
        "size": size_words(t, rules, market),
        "bidders": [(bidder.name, t.limits(bidder)) for bidder in market.bidders],
        "key": secrets.token_urlsafe(18),
    }


@router.post("/new/create")
async def create(request: Request) -> Response:
    """Makes the auction; pressing twice makes it once."""
    visitor = server_visitor(request)
    form = await form_of(request, visitor)
    text = form.get("text", [""])[0].replace("\r\n", "\n")
    key = form.get("key", [""])[0][:64]
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())
    try:
        done = await wrap_future(desk.create(visitor.who, text, key or None))
    except InputError as error:
        return await new_page(request, visitor, text, str(error))
    return RedirectResponse(f"/a/{done.auction}/bidders", 303)


@router.post("/new/file")
async def download(request: Request) -> Response:
    """The market file that the form made, to keep."""
    visitor = server_visitor(request)
    form = await form_of(request, visitor)
    text = form.get("text", [""])[0].replace("\r\n", "\n")
    headers = attachment("market.toml")
    return Response(text, media_type="application/toml; charset=utf-8", headers=headers)
