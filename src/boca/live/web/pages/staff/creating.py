"""A new auction: from a market file or from a form, looked at before it is made."""

import secrets
from asyncio import wrap_future
from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.views import Setup
from boca.live.web.pages.documents import attachment
from boca.live.web.render import page
from boca.live.web.security import check_form
from boca.live.web.staff import staff_visitor
from boca.live.web.texts import load, load_for
from boca.live.web.views.rules_words import rules_words
from boca.live.web.views.staff.market_form import form_fields, market_text, with_label
from boca.live.web.views.staff.mistake_line import mistake_line
from boca.live.web.views.staff.size import size_words
from boca.live.web.visitors import Visitor, form_of, site_of

router = APIRouter(include_in_schema=False)


@router.get("/new")
async def new(request: Request) -> Response:
    """The two entrances: a file, or a form."""
    return await new_page(request, staff_visitor(request, must_act=True))


async def new_page(
    request: Request,
    visitor: Visitor,
    text: str = "",
    error: str = "",
    typed: Mapping[str, str] | None = None,
) -> Response:
    """
    The page.

    Parameters
    ----------
    request, visitor
        What is answered, and for whom.
    text
        The market file as it was sent.
    error
        What is wrong with it, or with the form.
    typed
        The form as it was filled in; None if it was not used.
    """
    is_file = error and typed is None
    mechanisms = await wrap_future(site_of(request).desk.mechanisms())
    return page(
        request,
        "staff/new.html",
        status=422 if error else 200,
        visitor=visitor,
        csrf_token=visitor.form_token,
        text=text,
        error=error if is_file else with_label(load("en"), error),
        line=mistake_line(text, error) if is_file else None,
        is_form=typed is not None,
        typed={"name": "", "goods": "", "bidders": "", "kind": "sell", **(typed or {})},
        kinds=tuple(PAYMENT_RULES),
        rules=form_fields(mechanisms, typed),
    )


@router.post("/new")
async def look(request: Request) -> Response:
    """Reads a market file, typed or sent, and shows what it means."""
    visitor = staff_visitor(request, must_act=True)
    text, typed = await sent_text(request, visitor)
    if typed is not None:
        try:
            text = market_text(typed)
        except InputError as error:
            return await new_page(request, visitor, error=str(error), typed=typed)
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())  # known from here on, so that nothing waits for it
    try:
        await wrap_future(desk.preview(text))
    except InputError as error:
        return await new_page(request, visitor, text, str(error), typed)
    return preview_page(request, visitor, text)


async def sent_text(request: Request, visitor: Visitor) -> tuple[str, dict[str, str] | None]:
    """The market file that was sent, or the form that stands for one."""
    form = await request.form()
    fields = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    check_form(request, site_of(request).url, visitor.token, fields.get("csrf", ""))
    if fields.get("do") == "form":
        return "", fields
    file = form.get("file")
    if isinstance(file, UploadFile) and file.filename:
        try:
            return (await file.read()).decode("utf-8-sig"), None
        except UnicodeDecodeError:
            # Read as a file of another kind would be: the reader says what it expects.
            return "\ufffd", None
    return fields.get("text", "").replace("\r\n", "\n"), None


def preview_page(request: Request, visitor: Visitor, text: str) -> Response:
    """What an auction with this file will be like, and the button that makes it."""
    file = site_of(request).desk.read(text)
    rules, market = file.rules, file.market
    t = load_for(rules, market)
    setup = Setup(rules, market, rules.money, site_of(request).desk.key.public, "")
    return page(
        request,
        "staff/preview.html",
        t,
        visitor=visitor,
        csrf_token=visitor.form_token,
        name=market.name,
        text=text,
        rules=rules_words(t, setup, is_staff=True),
        size=size_words(t, rules, market),
        bidders=[
            (bidder.name, list(dict.fromkeys(limit.name for limit in bidder.limits)))
            for bidder in market.bidders
        ],
        key=secrets.token_urlsafe(18),
    )


@router.post("/new/create")
async def create(request: Request) -> Response:
    """Makes the auction; pressing twice makes it once."""
    visitor = staff_visitor(request, must_act=True)
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
    visitor = staff_visitor(request, must_act=True)
    form = await form_of(request, visitor)
    text = form.get("text", [""])[0].replace("\r\n", "\n")
    headers = attachment("market.toml")
    return Response(text, media_type="application/toml; charset=utf-8", headers=headers)
