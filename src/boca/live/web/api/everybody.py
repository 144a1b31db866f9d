"""Calls of all roles: where an auction stands, its rules, its log, the stream of changes."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from boca.live.auction.views import Heading
from boca.live.clock import to_text
from boca.live.desk import Desk
from boca.live.web.api.models import AuctionOut, RulesOut
from boca.live.web.api.shared import BEARER, Answers, AuctionId, Caller, problems
from boca.live.web.stream import changes
from boca.live.web.visitors import Visitor, site_of, visitor_of_call

router = APIRouter(prefix="/api/v1/auctions/{auction}", tags=["everybody"], dependencies=[BEARER])
# For what the public may see; OpenAPI's words for "with a token or without".
NO_TOKEN_NEEDED: dict[str, Any] = {"security": [{}]}
STREAM: Answers = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}
LINES: Answers = {200: {"content": {"application/jsonl": {"schema": {"type": "string"}}}}}


def heading_for(desk: Desk, auction: str, visitor: Visitor | None) -> Heading:
    """The auction as the caller may see it; to others what it is to strangers."""
    if visitor is None or not is_own(auction, visitor):
        return desk.public(auction).heading
    who = visitor.who
    return desk.bidder(who).heading if who.role == "bidder" else desk.progress(who, auction).heading


def is_own(auction: str, visitor: Visitor) -> bool:
    """Whether the caller takes part in this auction, and not in another one."""
    return visitor.who.takes_part(auction)


@router.get("", responses=problems(), openapi_extra=NO_TOKEN_NEEDED)
async def auction(request: Request, auction: AuctionId) -> AuctionOut:
    """Where the auction stands; programs without the stream ask this every 15 seconds."""
    desk = site_of(request).desk
    heading = heading_for(desk, auction, visitor_of_call(request))
    is_open = heading.phase == "open" and heading.deadline is not None
    return AuctionOut(
        id=heading.auction,
        name=heading.name,
        phase=heading.phase,
        round=None if heading.round < 0 else heading.round,
        deadline=to_text(heading.deadline) if is_open and heading.deadline else None,
        seconds_left=heading.seconds_left,
        is_last_call=heading.is_last_call,
        is_rehearsal=heading.is_rehearsal,
        server_time=to_text(heading.now),
        rules_hash=heading.rules_hash,
        head=heading.head,
    )


@router.get("/rules", responses=problems())
async def rules(request: Request, auction: AuctionId, visitor: Caller) -> RulesOut:
    """Rules and market, for everybody who takes part."""
    setup = site_of(request).desk.setup(visitor.who, auction)
    return RulesOut(
        hash=setup.rules_hash,
        rules=setup.rules.to_dict(),
        market=setup.market.to_dict(),
        public_key=setup.public_key,
    )


@router.get(
    "/log",
    responses={**problems(), **LINES},
    response_class=StreamingResponse,
    openapi_extra=NO_TOKEN_NEEDED,
)
async def log(
    request: Request,
    auction: AuctionId,
    after: Annotated[
        str, Query(pattern="^([0-9a-f]{64})?$", description="Hash of the last record you have.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
) -> StreamingResponse:
    """
    The log as JSON lines. Auditors and the auctioneer get it at any time, bidders (with their own
    records open) and the public after publication.
    """
    visitor = visitor_of_call(request)
    lines = site_of(request).desk.log(visitor.who if visitor else None, auction)
    return StreamingResponse(part_of(lines, after, limit), media_type="application/jsonl")


def part_of(lines: Iterable[str], after: str, limit: int) -> Iterator[str]:
    """The lines after a record, at most some; an unknown record gives none."""
    rest = iter(lines)
    if after:
        for line in rest:
            if json.loads(line).get("hash") == after:
                break
    return islice(rest, limit)


@router.get(
    "/events",
    responses={**problems(), **STREAM},
    response_class=StreamingResponse,
    openapi_extra=NO_TOKEN_NEEDED,
)
async def events(request: Request, auction: AuctionId) -> StreamingResponse:
    """
    Server-sent events ``changed`` with ``{"what": "phase"}``, ``deadline``, ``queries``,
    ``announcement`` or ``progress``; fetch what you need again.
    """
    visitor = visitor_of_call(request)
    heading_for(site_of(request).desk, auction, visitor)
    known = visitor if visitor is not None and is_own(auction, visitor) else None
    return await changes(request, auction, known)
