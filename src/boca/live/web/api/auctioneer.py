"""Calls of the auctioneer: create, invite, and every command of a running auction."""

from asyncio import wrap_future

from fastapi import APIRouter, Request

from boca.core.message import msg
from boca.live.auction import commands
from boca.live.auction.commands import Command
from boca.live.auction.refusal import Refusal
from boca.live.clock import to_text
from boca.live.web.api.models import (
    AnnouncementIn,
    BidderProgressOut,
    CreatedOut,
    DoneOut,
    ExtendIn,
    InvitationIn,
    InvitedOut,
    MarketIn,
    ProgressOut,
    ReasonIn,
    RemarkIn,
    StartIn,
)
from boca.live.web.api.shared import (
    BEARER,
    AuctionId,
    Caller,
    IdempotencyKey,
    Staff,
    problems,
)
from boca.live.web.visitors import NotHere, Visitor, site_of

router = APIRouter(prefix="/api/v1/auctions", tags=["auctioneer"], dependencies=[BEARER])
ANSWERS = problems(409, 503)
NOTHING_SAID = RemarkIn()


async def carry_out(
    request: Request, auction: str, visitor: Visitor, key: str, command: Command
) -> DoneOut:
    """Carries a command out; it is in the log when this returns."""
    desk = site_of(request).desk
    await wrap_future(desk.command(visitor.who, auction, command, key))
    return DoneOut(phase=desk.progress(visitor.who, auction).heading.phase)


@router.post("", status_code=201, responses=ANSWERS)
async def create(
    request: Request, visitor: Staff, sent: MarketIn, key: IdempotencyKey
) -> CreatedOut:
    """A new auction from the text of a market file; values and bids in it are not read."""
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())  # known from here on, so that nothing waits for it
    done = await wrap_future(desk.create(visitor.who, sent.text, key, sent.is_rehearsal))
    return CreatedOut(id=done.auction)


@router.post("/{auction}/invitations", status_code=201, responses=ANSWERS)
async def invite(
    request: Request, auction: AuctionId, visitor: Staff, sent: InvitationIn, key: IdempotencyKey
) -> InvitedOut:
    """A link or a token for one person; it is shown this once, so the same key is refused."""
    site = site_of(request)
    market = site.desk.setup(visitor.who, auction).market
    names = [bidder.name for bidder in market.bidders]
    if sent.bidder is not None and sent.bidder not in names:
        raise Refusal(
            "mistakes",
            msg(
                "There is no bidder '{bidder}'; expected one of {names}.",
                bidder=sent.bidder,
                names=", ".join(names),
            ),
        )
    bidder = None if sent.bidder is None else names.index(sent.bidder)
    link = await wrap_future(site.desk.invite(visitor.who, auction, bidder, sent.person, key))
    if sent.kind == "link":
        return InvitedOut(link=f"{site.url}/enter/{link.token}", token=None)
    # A program enters at once: its link is used up here, and what it keeps is a token.
    entered = await wrap_future(site.desk.people.enter(link.token))
    token = await wrap_future(site.desk.people.api_token(entered.who))
    await wrap_future(site.desk.people.sign_out(entered.who))
    return InvitedOut(link=None, token=token.token)


@router.get("/{auction}/progress", responses=problems())
async def progress(request: Request, auction: AuctionId, visitor: Caller) -> ProgressOut:
    """How far everybody is; for the auctioneer and auditors."""
    if visitor.who.role == "bidder":
        raise NotHere
    view = site_of(request).desk.progress(visitor.who, auction)
    return ProgressOut(
        phase=view.heading.phase,
        round=None if view.heading.round < 0 else view.heading.round,
        stop_reason=view.stop_reason,
        failures=[str(failure) for failure in view.failures],
        bidders=[
            BidderProgressOut(
                bidder=row.name,
                persons=list(row.persons),
                joined=list(row.joined),
                open=row.num_open,
                answered=row.num_answered,
                declined=row.num_declined,
                pushes=row.num_pushes,
                last_submission=to_text(row.last_submission) if row.last_submission else None,
            )
            for row in view.rows
        ],
    )


@router.post("/{auction}/start", responses=ANSWERS)
async def start(
    request: Request, auction: AuctionId, visitor: Staff, sent: StartIn, key: IdempotencyKey
) -> DoneOut:
    """Freezes the rules and works out the first questions."""
    command = commands.Start(visitor.person, sent.accept_missing, sent.reason)
    return await carry_out(request, auction, visitor, key, command)


@router.post("/{auction}/open", responses=ANSWERS)
async def open_round(
    request: Request,
    auction: AuctionId,
    visitor: Staff,
    key: IdempotencyKey,
    sent: RemarkIn = NOTHING_SAID,
) -> DoneOut:
    """Opens a round that is ready."""
    return await carry_out(request, auction, visitor, key, commands.OpenRound(sent.reason))


@router.post("/{auction}/extend", responses=ANSWERS)
async def extend(
    request: Request, auction: AuctionId, visitor: Staff, sent: ExtendIn, key: IdempotencyKey
) -> DoneOut:
    """Gives the open round more time."""
    command = commands.Extend(sent.minutes, sent.reason)
    return await carry_out(request, auction, visitor, key, command)


@router.post("/{auction}/pause", responses=ANSWERS)
async def pause(
    request: Request, auction: AuctionId, visitor: Staff, sent: ReasonIn, key: IdempotencyKey
) -> DoneOut:
    """Stops the clock."""
    return await carry_out(request, auction, visitor, key, commands.Pause(sent.reason))


@router.post("/{auction}/resume", responses=ANSWERS)
async def resume(
    request: Request, auction: AuctionId, visitor: Staff, sent: ReasonIn, key: IdempotencyKey
) -> DoneOut:
    """Goes on after a pause."""
    return await carry_out(request, auction, visitor, key, commands.Resume(sent.reason))


@router.post("/{auction}/stop", responses=ANSWERS)
async def stop(
    request: Request, auction: AuctionId, visitor: Staff, sent: ReasonIn, key: IdempotencyKey
) -> DoneOut:
    """No further round after this one."""
    return await carry_out(request, auction, visitor, key, commands.Stop(sent.reason))


@router.post("/{auction}/retry", responses=ANSWERS)
async def retry(
    request: Request,
    auction: AuctionId,
    visitor: Staff,
    key: IdempotencyKey,
    sent: RemarkIn = NOTHING_SAID,
) -> DoneOut:
    """Starts a failed job again."""
    return await carry_out(request, auction, visitor, key, commands.Retry(sent.reason))


@router.post("/{auction}/close", responses=ANSWERS)
async def close(
    request: Request,
    auction: AuctionId,
    visitor: Staff,
    key: IdempotencyKey,
    sent: RemarkIn = NOTHING_SAID,
) -> DoneOut:
    """Makes reports final; winners and payments are computed."""
    return await carry_out(request, auction, visitor, key, commands.Close(sent.reason))


@router.post("/{auction}/publish", responses=ANSWERS)
async def publish(
    request: Request,
    auction: AuctionId,
    visitor: Staff,
    key: IdempotencyKey,
    sent: RemarkIn = NOTHING_SAID,
) -> DoneOut:
    """Publishes the outcome as the rules say."""
    return await carry_out(request, auction, visitor, key, commands.Publish(sent.reason))


@router.post("/{auction}/cancel", responses=ANSWERS)
async def cancel(
    request: Request, auction: AuctionId, visitor: Staff, sent: ReasonIn, key: IdempotencyKey
) -> DoneOut:
    """Ends the auction without an outcome."""
    return await carry_out(request, auction, visitor, key, commands.Cancel(sent.reason))


@router.post("/{auction}/announce", responses=ANSWERS)
async def announce(
    request: Request, auction: AuctionId, visitor: Staff, sent: AnnouncementIn, key: IdempotencyKey
) -> DoneOut:
    """Tells everybody something."""
    return await carry_out(request, auction, visitor, key, commands.Announce(sent.text))
