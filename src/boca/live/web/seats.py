"""Somebody's place in one auction: everything that the pages for it are made from."""

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse

from boca.core.market import Market
from boca.live.auction.events import Bundle
from boca.live.auction.money import Money
from boca.live.auction.views import AuctionProgress, BidderView, Heading
from boca.live.people import Who
from boca.live.web.render import page
from boca.live.web.texts import Texts, load_for
from boca.live.web.views.frame import STUDENT_MENU, frame_of, readers_news
from boca.live.web.visitors import NotHere, Visitor, last_sign_in, signed_in, site_of

View = TypeVar("View", BidderView, AuctionProgress)


@dataclass(frozen=True)
class Seat(Generic[View]):
    """
    The place of a visitor in one auction.

    Parameters
    ----------
    visitor
        Who sits there.
    view
        The auction as the visitor may see it.
    t
        Texts of the auction's language.
    """

    visitor: Visitor
    view: View
    t: Texts

    @property
    def who(self) -> Who:
        return self.visitor.who

    @property
    def heading(self) -> Heading:
        return self.view.heading

    @property
    def auction(self) -> str:
        return self.view.heading.auction

    @property
    def market(self) -> Market:
        return self.view.setup.market

    @property
    def money(self) -> Money:
        return self.view.setup.money

    def limits(self, bidder: int) -> list[str]:
        """What a bidder can receive, in words."""
        return list(dict.fromkeys(limit.name for limit in self.market.bidders[bidder].limits))

    def words(self, bundle: Bundle) -> str:
        """A bundle by the names of its goods."""
        return self.t.bundle(bundle, self.market)


BidderSeat = Seat[BidderView]


def seat_of(request: Request, auction: str, visitor: Visitor) -> BidderSeat:
    """A bidder's seat; whoever has none there learns nothing about the auction."""
    if visitor.who.role != "bidder" or visitor.who.auction != auction:
        raise NotHere
    view = site_of(request).desk.bidder(visitor.who)
    return BidderSeat(visitor, view, load_for(view.setup.rules, view.setup.market))


def page_seat(request: Request, auction: str) -> BidderSeat:
    """The seat behind a page of a bidder; students have pages of their own."""
    seat = member_seat(request, auction)
    if seat.view.setup.kind == "courses":
        raise NotHere
    return seat


def member_seat(request: Request, auction: str) -> BidderSeat:
    """The seat behind a page of a bidder or student."""
    return seat_of(request, auction, signed_in(request))


def seat_page(
    request: Request, seat: BidderSeat, name: str, status: int = 200, **values: Any
) -> HTMLResponse:
    """
    A page of the bidder.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    name
        Of the page and of its template.
    status
        HTTP status.
    values
        What the template shows.
    """
    frame = frame_of(
        seat.t,
        seat.view.heading,
        seat.view.bidder_name,
        seat.visitor.person,
        last_sign_in(request, seat.who),
    )
    if seat.view.setup.kind == "courses":
        frame = replace(frame, menu=STUDENT_MENU)
    readers = site_of(request).desk.readers(seat.who)
    if readers is not None:
        own = readers_news(seat.t, readers, seat.view.bidder_name)
        frame = replace(frame, news=(*frame.news, *own))
    return page(
        request,
        f"{name}.html",
        seat.t,
        status,
        page=name.rpartition("/")[2],
        frame=frame,
        visitor=seat.visitor,
        csrf_token=seat.visitor.form_token,
        money=seat.money,
        words=seat.words,
        **values,
    )
