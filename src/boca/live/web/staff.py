"""Auctioneer and auditor: their place in an auction, and the frame of their pages."""

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from boca.live.auction.views import AuctionProgress, BidderView
from boca.live.web.render import language_of, page
from boca.live.web.seats import Seat, setup_in
from boca.live.web.texts import load_for
from boca.live.web.views.frame import Frame, staff_frame
from boca.live.web.visitors import NotHere, Visitor, last_sign_in, signed_in, site_of


class StaffSeat(Seat[AuctionProgress]):
    """The place of an auctioneer or auditor, who see how far everybody is."""

    @property
    def can_act(self) -> bool:
        """Whether the pages have buttons."""
        return self.who.role == "auctioneer"


def staff_visitor(request: Request, must_act: bool = False) -> Visitor:
    """Somebody of the staff; to bidders these pages do not exist."""
    visitor = signed_in(request)
    roles = ("auctioneer",) if must_act else ("auctioneer", "auditor")
    if visitor.who.role not in roles:
        raise NotHere
    return visitor


def server_visitor(request: Request) -> Visitor:
    """An auctioneer of the whole server; to those of one auction these pages do not exist."""
    visitor = staff_visitor(request, must_act=True)
    if not visitor.who.runs_all:
        raise NotHere
    return visitor


def staff_seat(request: Request, auction: str, must_act: bool = False) -> StaffSeat:
    """
    The seat behind a page of auctioneer and auditor.

    Parameters
    ----------
    request, auction
        What is answered, and about which auction.
    must_act
        Whether the page is the auctioneer's alone.
    """
    visitor = staff_visitor(request, must_act)
    view = site_of(request).desk.progress(visitor.who, auction)
    t = load_for(view.setup.rules, view.setup.market, language_of(request))
    shown = replace(view, setup=setup_in(t, view.setup))
    return StaffSeat(visitor, shown, t, view.setup.money)


def seat_frame(request: Request, seat: StaffSeat) -> Frame:
    """The frame of a page for auctioneer or auditor."""
    role = seat.t(f"role.{seat.who.role}")
    signed_in_at = last_sign_in(request, seat.who)
    # Whoever was given no name has that of the role, which is said in every language.
    person = role if seat.visitor.person == seat.who.role else seat.visitor.person
    frame = staff_frame(seat.t, seat.heading, person, role, signed_in_at)
    if seat.view.setup.kind == "courses":
        frame = replace(frame, menu=tuple(item for item in frame.menu if item != "inquiries"))
    if seat.view.setup.kind == "buy":
        place = frame.menu.index("outcome")
        frame = replace(frame, menu=(*frame.menu[:place], "scenarios", *frame.menu[place:]))
    if seat.can_act and not seat.who.runs_all:
        return frame
    if seat.can_act:
        return replace(frame, menu=(*frame.menu, "rehearse"), has_list=True)
    return replace(frame, menu=(*frame.menu, "told"))


def staff_page(
    request: Request,
    seat: StaffSeat,
    template: str,
    status: int = 200,
    menu: str = "",
    **values: Any,
) -> HTMLResponse:
    """
    A page of auctioneer and auditor.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    template
        File in ``templates/staff``, without its ending.
    status
        HTTP status.
    menu
        The entry of the menu that it belongs to; its template's name unless given.
    values
        What the template shows.
    """
    return page(
        request,
        f"staff/{template}.html",
        seat.t,
        status,
        page=menu or template,
        frame=seat_frame(request, seat),
        visitor=seat.visitor,
        csrf_token=seat.visitor.form_token,
        money=seat.money,
        words=seat.words,
        can_act=seat.can_act,
        **values,
    )


def bidder_number(seat: StaffSeat, text: str) -> int:
    """The row of a bidder in an address; addresses count from 1."""
    is_number = text.isascii() and text.isdecimal() and len(text) < 5
    if seat.view.setup.kind == "courses":
        raise NotHere  # what a student says is nobody's business
    if not is_number or not 1 <= int(text) <= seat.market.num_bidders:
        raise NotHere
    return int(text) - 1


def bidder_seen(request: Request, seat: StaffSeat, bidder: int) -> BidderView | None:
    """The bidder's questions and reports; None while they are sealed from the visitor."""
    if seat.view.is_sealed:
        return None
    desk = site_of(request).desk
    return desk.bidder_as_seen(seat.who, seat.auction, bidder, seat.t.language)
