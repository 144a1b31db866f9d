"""What anybody sees: listed auctions, published ones, static files, health."""

import re
from dataclasses import asdict

from fastapi import APIRouter, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)

from boca.live.auction.refusal import Refusal
from boca.live.auction.views import Heading, PublicView
from boca.live.desk import Desk
from boca.live.web.award.report import outcome_values
from boca.live.web.pages.documents import attachment
from boca.live.web.pages.staff.auctions import auctions_page
from boca.live.web.render import MEDIA_TYPES, STATIC, language_of, own_texts, page
from boca.live.web.seats import setup_in
from boca.live.web.staff import seat_frame, staff_seat
from boca.live.web.texts import Texts, load_for
from boca.live.web.views.courses import budget_words, claim_words
from boca.live.web.views.frame import frame_of, phase_more
from boca.live.web.views.goods_table import BundleWords
from boca.live.web.views.rules_words import rules_words
from boca.live.web.visitors import NotHere, Visitor, site_of, visitor_of_page

router = APIRouter(include_in_schema=False)
MOST_LISTED = 50
YEAR = "public, max-age=31536000, immutable"


@router.get("/")
async def front(request: Request) -> Response:
    """Where everybody starts; a bidder goes on to its questions."""
    desk = site_of(request).desk
    visitor = visitor_of_page(request)
    if visitor is not None and visitor.who.role == "bidder":
        return RedirectResponse(f"/a/{visitor.who.auction}/me", 303)
    if visitor is not None:
        return auctions_page(request, visitor)
    t = own_texts(request)
    auctions = [
        {"id": row.auction, "name": row.name, "phase_words": t(f"phase_short.{row.phase}")}
        for row in listed(desk)
    ]
    has_passkeys = site_of(request).passkeys.are_offered
    return page(request, "front.html", t, auctions=auctions, has_passkeys=has_passkeys)


def listed(desk: Desk) -> list[Heading]:
    """Auctions that anybody may know of, the latest first."""
    headings = []
    for auction in desk.writer.ids[: -MOST_LISTED - 1 : -1]:
        try:
            headings.append(desk.public(auction).heading)
        except Refusal:
            continue
    return headings


def public_view(request: Request, auction: str) -> tuple[PublicView, Visitor | None]:
    """An auction that this visitor may know of."""
    visitor = visitor_of_page(request)
    return site_of(request).desk.public(auction, visitor.who if visitor else None), visitor


@router.get("/a/{auction}/public")
async def public(request: Request, auction: str) -> Response:
    """Name, phase and rules; after publication the outcome, as far as the rules open it."""
    view, visitor = public_view(request, auction)
    setup = view.setup
    t = load_for(setup.rules, setup.market, language_of(request))
    setup = setup_in(t, setup)
    is_staff = visitor is not None and visitor.who.role in ("auctioneer", "auditor")
    if visitor is not None and is_staff:
        seat = staff_seat(request, auction)
        frame = seat_frame(request, seat)
    else:
        frame = frame_of(t, view.heading)
    is_published = view.heading.phase == "published"
    find = request.query_params.get("find", "").strip()[:LONGEST_FIND] if is_published else ""
    is_courses = setup.kind == "courses"
    facts = site_of(request).desk.assignment(None, auction) if is_courses else None
    return page(
        request,
        "public.html",
        t,
        frame=frame,
        visitor=visitor,
        page="public",
        more=phase_more(t, view.heading) if is_published else t("front.lead"),
        is_published=is_published,
        **outcome_values(t, setup, view.outcome),
        facts=facts,
        claims=claim_words(t, facts) if facts else [],
        show=budget_words,
        money=setup.money,
        words=BundleWords(t, setup.market),
        find=find,
        is_found=bool(find) and has_record(request, auction, find),
        rules=rules_words(t, setup),
        has_proofs=view.publish == "all",
        command=verify_command(t, auction, setup.public_key),
        rules_file=f"/a/{auction}/rules.json",
    )


def verify_command(t: Texts, auction: str, key: str) -> str:
    """What a stranger types to check the public log."""
    # The package of that name in the public index is another project.
    install = f"pip install ./src/boca_verify   # {t('public.clone')}"
    return f"{install}\nboca-verify {auction}-public.jsonl --key {key}"


@router.get("/a/{auction}/rules.json")
async def rules_file(request: Request, auction: str) -> Response:
    """The rules and the market as a file, for whoever may know of the auction."""
    view, _ = public_view(request, auction)
    content = {
        "auction": auction,
        "hash": view.setup.rules_hash,
        "rules": view.setup.rules.to_dict(),
        "market": view.setup.market.to_dict(),
        "public_key": view.setup.public_key,
    }
    return JSONResponse(content, headers=attachment(f"{auction}-rules.json"))


# The digits of a hash in groups of four, and some more that somebody copied with them.
LONGEST_FIND = 100


def has_record(request: Request, auction: str, typed: str) -> bool:
    """Whether a published log holds a record, by what a person reads off a receipt."""
    digits = re.sub(r"[\s:.\-\u2010-\u2015]", "", typed).lower()
    return site_of(request).desk.has_record(auction, digits)


@router.get("/a/{auction}/public.jsonl")
async def public_log(request: Request, auction: str) -> Response:
    """The public cut of a published log."""
    lines = site_of(request).desk.log(None, auction)
    headers = attachment(f"{auction}-public.jsonl")
    return StreamingResponse(lines, media_type="application/jsonl", headers=headers)


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    """A file whose name changes with its content; the operator's are among them."""
    file = site_of(request).brand.files.get(name)
    if file is not None:
        headers = {"Cache-Control": YEAR}
        return Response(file.content, media_type=file.media_type, headers=headers)
    if name not in STATIC:
        raise NotHere
    path = STATIC[name]
    headers = {"Cache-Control": YEAR}
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix], headers=headers)


@router.get("/favicon.ico")
async def favicon() -> Response:
    """Browsers ask for it whatever the page says."""
    name = next(name for name in STATIC if name.startswith("favicon."))
    return RedirectResponse(f"/static/{name}", 301)


@router.get("/health")
async def health(request: Request) -> Response:
    """For monitoring: whether the server can write."""
    health = site_of(request).desk.health()
    return JSONResponse(asdict(health), 200 if health.is_well else 503)
