"""Somebody's place in one auction: everything that the pages for it are made from."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse

from boca.core.market import Market
from boca.live.auction.money import MARKS, Money
from boca.live.auction.submission import Submission
from boca.live.auction.views import AuctionProgress, BidderView, Heading, ResultView, Setup
from boca.live.people import Who
from boca.live.web.render import language_of, page
from boca.live.web.texts import Texts, load_for
from boca.live.web.views.basket import drafts_of, submission_of
from boca.live.web.views.draft import Draft, respelled
from boca.live.web.views.frame import STUDENT_MENU, frame_of, readers_news
from boca.live.web.views.goods_table import BundleWords
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
        Texts of the visitor's language, which is the auction's unless another one was chosen.
    kept_money
        How amounts are written in what is stored, in the auction's language.
    """

    visitor: Visitor
    view: View
    t: Texts
    kept_money: Money

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

    def keep(self, draft: Draft) -> str:
        """A draft as it is stored, where people of several languages read it."""
        return respelled(draft, self.money, self.kept_money).to_text()

    def drafts(self, stored: Mapping[str, str]) -> dict[str, Draft]:
        """Stored drafts as this visitor reads and types them."""
        return self.shown(drafts_of(stored))

    def shown(self, drafts: Mapping[str, Draft]) -> dict[str, Draft]:
        """Drafts in the auction's notation as this visitor reads and types them."""
        return {key: respelled(d, self.kept_money, self.money) for key, d in drafts.items()}

    def submission(self, drafts: Mapping[str, Draft]) -> Submission:
        """What would be sent, in the auction's notation."""
        kept = {key: respelled(d, self.money, self.kept_money) for key, d in drafts.items()}
        return submission_of(kept, self.market)

    def limits(self, bidder: int) -> list[str]:
        """What a bidder can receive, in words."""
        return self.t.limits(self.market.bidders[bidder])

    @property
    def words(self) -> BundleWords:
        """Writes bundles: in a sentence, or as chips."""
        return BundleWords(self.t, self.market)


BidderSeat = Seat[BidderView]


def setup_in(t: Texts, setup: Setup) -> Setup:
    """Rules and market with amounts in the language of some texts."""
    if setup.rules.language == t.language or t.language not in MARKS:
        return setup
    rules = replace(setup.rules, language=t.language)
    return replace(setup, rules=rules, money=rules.money)


def seat_of(request: Request, auction: str, visitor: Visitor) -> BidderSeat:
    """A bidder's seat; whoever has none there learns nothing about the auction."""
    if visitor.who.role != "bidder" or visitor.who.auction != auction:
        raise NotHere
    desk, language = site_of(request).desk, language_of(request)
    view = desk.bidder(visitor.who, language)
    t = load_for(view.setup.rules, view.setup.market, language)
    return BidderSeat(visitor, view, t, desk.setup(visitor.who, auction).money)


def own_result(request: Request, seat: BidderSeat) -> ResultView | None:
    """How it ended for a bidder, in the language of its pages; None until that is published."""
    return site_of(request).desk.result(seat.who, seat.t.language)


def page_seat(request: Request, auction: str) -> BidderSeat:
    """The seat behind a page of a bidder; students have pages of their own."""
    seat = member_seat(request, auction)
    if seat.view.setup.kind == "courses":
        raise NotHere
    return seat


def member_seat(request: Request, auction: str) -> BidderSeat:
    """The seat behind a page of a bidder or student."""
    return seat_of(request, auction, signed_in(request))


def duties(seat: BidderSeat) -> list[str]:
    """What a bidder's people have to do before something counts."""
    proposal, news = seat.view.proposal, schedule_news(seat)
    if seat.view.must_accept:
        news.append(seat.t("accept.news"))
    if proposal is not None:
        key = "accept.waits_own" if proposal.who == seat.who.person else "accept.waits"
        time = seat.t.moment(proposal.at)
        news.append(seat.t(key, person=proposal.who, time=time))
    return news


def schedule_news(seat: BidderSeat) -> list[str]:
    """When a bidder who waits can expect something, as far as the rules say."""
    t, rules, heading = seat.t, seat.view.setup.rules, seat.heading
    if seat.view.setup.kind == "courses" or heading.is_rehearsal:
        return []
    start, hours = rules.start_moment, rules.hours
    if heading.phase == "draft" and start is not None:
        return [t("setup.planned_for", time=t.zoned(start, rules.zone))]
    if heading.phase == "planning" and hours is not None and not hours.is_open(heading.now):
        return [t("setup.opens_at", time=t.zoned(hours.next_open(heading.now), rules.zone))]
    return []


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
    frame = replace(frame, num_open=seat.view.num_open if seat.heading.phase == "open" else 0)
    frame = replace(frame, news=(*frame.news, *duties(seat)))
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
