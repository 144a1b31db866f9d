"""What was sent to whom and how it ended, and where people want to be told."""

from asyncio import wrap_future
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.live.auction.refusal import Refusal
from boca.live.clock import from_text
from boca.live.mail.trouble import OF_SERVER, WORDS
from boca.live.store.addresses import name_of
from boca.live.store.mails import MailRow
from boca.live.web.problems import STATUS
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.texts import Texts
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import form_of, site_of

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class SentMail:
    """One line of the table: what, to whom, when, and how it ended."""

    kind: str
    round: str
    person: str
    bidder: str
    address: str
    at: datetime
    state: str
    attempts: int
    problem: str


def problem_words(t: Texts, problem: str) -> str:
    """Why a mail has not left; what is no word of the server's own was said by the mail server."""
    if problem in WORDS:
        return t(f"mails.problem_{problem}")
    return t("mails.said", words=problem) if problem else ""


def sent_mail(seat: StaffSeat, row: MailRow) -> SentMail:
    """A mail as staff see it."""
    number, _, person = row.who.partition("/")
    return SentMail(
        row.kind,
        row.gaps.get("round", ""),
        person,
        seat.market.bidders[int(number)].name if number else "",
        row.address,
        from_text(row.ended_at or row.made_at),
        row.state,
        row.attempts,
        problem_words(seat.t, row.problem),
    )


@router.get("/a/{auction}/mails")
async def mails(request: Request, auction: str) -> Response:
    """Mails and addresses."""
    return mails_page(request, staff_seat(request, auction))


def mails_page(
    request: Request,
    seat: StaffSeat,
    status: int = 200,
    problem: FormProblem | None = None,
    typed: str = "",
) -> Response:
    """The page, perhaps with what is wrong about an address."""
    site = site_of(request)
    addresses = site.desk.addresses(seat.who, seat.auction)
    persons = []
    for person in site.desk.invited(seat.who, seat.auction):
        name = name_of(person.bidder, person.name)
        row = addresses.get(name)
        bidder = "" if person.bidder is None else seat.market.bidders[person.bidder].name
        persons.append((name, person.name, bidder, row.address if row else ""))
    rows = site.desk.mails(seat.who, seat.auction)
    troubles = [r.problem for r in rows if r.state == "waiting" and r.problem in OF_SERVER]
    return staff_page(
        request,
        seat,
        "mails",
        status,
        has_mail=site.has_mail,
        persons=persons,
        mails=[sent_mail(seat, row) for row in rows],
        stuck=problem_words(seat.t, troubles[0]) if troubles else "",
        problem=problem,
        typed=typed,
        errors=(problem,) if problem else (),
    )


@router.post("/a/{auction}/mails")
async def save(request: Request, auction: str) -> Response:
    """Enters the address of somebody who was invited."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    who, address = form.get("who", [""])[0], form.get("address", [""])[0]
    desk = site_of(request).desk
    try:
        await wrap_future(desk.save_address(seat.who, auction, who, address))
    except Refusal as refusal:
        if refusal.cause != "mistakes":
            raise
        sentence = seat.t("told.wrong_address", text=address.strip())
        problem = FormProblem(f"address-{who}", sentence)
        return mails_page(request, seat, STATUS[refusal.cause], problem, address)
    return RedirectResponse(f"/a/{auction}/mails", 303)
