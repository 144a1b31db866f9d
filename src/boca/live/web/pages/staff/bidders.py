"""Who takes part: inviting people, making new links, revoking."""

from asyncio import gather, wrap_future
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import quote

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.live.auction.refusal import Refusal
from boca.live.desk import PersonRow
from boca.live.store.addresses import name_of
from boca.live.web.pages.documents import attachment
from boca.live.web.problems import STATUS
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.problem import FormProblem
from boca.live.web.views.staff.actions import is_over
from boca.live.web.visitors import NotHere, form_of, site_of

router = APIRouter(include_in_schema=False)
LONGEST_NAME = 80
# Fields about one person begin like this.
PARTS = ("person-", "address-")


@dataclass(frozen=True)
class NewLink:
    """
    A link that is shown this once, or, without an address, one that goes by mail.

    Parameters
    ----------
    bidder, person
        For whom; the bidder is empty for an auditor.
    link
        The address.
    mail
        An address that opens a letter with it.
    """

    bidder: str
    person: str
    link: str
    mail: str


@router.get("/a/{auction}/bidders")
async def bidders(request: Request, auction: str) -> Response:
    """Everybody who was invited, by bidder."""
    return bidders_page(request, staff_seat(request, auction))


def bidders_page(
    request: Request,
    seat: StaffSeat,
    status: int = 200,
    errors: tuple[FormProblem, ...] = (),
    typed: dict[str, str] | None = None,
    links: tuple[NewLink, ...] = (),
) -> Response:
    """
    The page.

    Parameters
    ----------
    request, seat
        What is answered, and for whom.
    status
        HTTP status.
    errors, typed
        What is wrong with names that were typed, and the names.
    links
        New links, which are shown this once.
    """
    persons = site_of(request).desk.invited(seat.who, seat.auction)
    groups = [
        (i, bidder.name, [p for p in persons if p.bidder == i])
        for i, bidder in enumerate(seat.market.bidders)
    ]
    guards_links = seat.view.is_sealed and not seat.heading.is_rehearsal
    by_mail = site_of(request).has_mail and not seat.heading.is_rehearsal
    has_nobody = any(not people for _, _, people in groups)
    auditors = [p for p in persons if p.bidder is None]
    audit = [(None, seat.t("bidders.auditor"), auditors)] if auditors else []
    return staff_page(
        request,
        seat,
        "bidders",
        status,
        groups=[*groups, *audit],
        has_nobody=has_nobody,
        num_waiting=len(waiting(persons)),
        is_courses=seat.view.setup.kind == "courses",
        num_without=sum(not people for _, _, people in groups),
        can_change=seat.can_act and not is_over(seat.heading),
        errors=errors,
        typed=typed or {},
        links=[link for link in links if link.link],
        mailed=[link.person for link in links if not link.link],
        by_mail=by_mail,
        addresses=site_of(request).desk.addresses(seat.who, seat.auction),
        command=operators_command(seat) if guards_links else "",
    )


def operators_command(seat: StaffSeat) -> str:
    """What whoever runs the server types for a link that is not the auctioneer's to make."""
    return f"boca admin link DATA --auction {seat.auction} --role auditor"


def waiting(persons: Iterable[PersonRow]) -> list[PersonRow]:
    """Those who have not signed in yet."""
    return [person for person in persons if not person.has_joined]


@router.post("/a/{auction}/bidders")
async def invite(request: Request, auction: str) -> Response:
    """Invites whoever was named, or makes new links for those who are waiting."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    fields = {name: values[0] for name, values in form.items()}
    persons = site_of(request).desk.invited(seat.who, auction)
    match fields.get("do", ""):
        case "everybody":
            wanted = without_link(seat, persons)
        case "all":
            wanted = [(person.bidder, person.name, "") for person in waiting(persons)]
        case "again" | "again_mail":
            wanted = [(p.bidder, p.name, "") for p in persons if who_is(p) == fields.get("who")]
        case _:
            wanted = typed_names(seat, fields)
    addresses = wanted_addresses(request, seat, fields)
    by_mail = "by_mail" in fields or fields.get("do") == "again_mail"
    links, errors = [], []
    # All at once: whatever waits together is stored together.
    made = await gather(
        *(
            new_link(request, seat, bidder, person, addresses(bidder, person, field), by_mail)
            for bidder, person, field in wanted
        ),
        return_exceptions=True,
    )
    for link, (_, _, field) in zip(made, wanted, strict=True):
        if isinstance(link, NewLink):
            links.append(link)
        elif isinstance(link, InputError):
            errors.append(
                (FormProblem(field.replace("person", "address"), seat.t.read(link.message)), 422)
            )
        elif isinstance(link, Refusal) and link.cause != "unavailable":
            errors.append((FormProblem(field, seat.t.read(link.sentence)), STATUS[link.cause]))
        else:
            raise link
    if not wanted:
        errors.append((FormProblem("", seat.t("bidders.nobody_named")), 422))
    problems = tuple(problem for problem, _ in errors)
    status = max((status for _, status in errors), default=200)
    names = {part + problem.field.partition("-")[2] for problem in problems for part in PARTS}
    left = {name: fields.get(name, "") for name in names}
    return bidders_page(request, seat, status, problems, left, tuple(links))


def without_link(
    seat: StaffSeat, persons: Iterable[PersonRow]
) -> list[tuple[int | None, str, str]]:
    """Students whom nobody acts for; each acts for itself, by its own name."""
    known = {person.bidder for person in persons}
    names = [bidder.name for bidder in seat.market.bidders]
    return [(i, name[:LONGEST_NAME], "") for i, name in enumerate(names) if i not in known]


def who_is(person: PersonRow) -> str:
    """How a form names a person."""
    return name_of(person.bidder, person.name)


def typed_names(seat: StaffSeat, fields: dict[str, str]) -> list[tuple[int | None, str, str]]:
    """Bidder, name and field of everybody who was named in the form."""
    places: list[tuple[int | None, str]] = [
        (i, f"person-{i}") for i in range(seat.market.num_bidders)
    ]
    whose = fields.get("whose", "")
    if whose == "auditor":
        places.append((None, "person-more"))
    elif whose in map(str, range(seat.market.num_bidders)):
        places.append((int(whose), "person-more"))
    return [
        (bidder, fields[field].strip()[:LONGEST_NAME], field)
        for bidder, field in places
        if fields.get(field, "").strip()
    ]


def wanted_addresses(
    request: Request, seat: StaffSeat, fields: dict[str, str]
) -> Callable[[int | None, str, str], str]:
    """Where a person's link may go: what was typed beside its name, or what is known."""
    known = site_of(request).desk.addresses(seat.who, seat.auction)

    def address(bidder: int | None, person: str, field: str) -> str:
        typed = fields.get(field.replace("person", "address"), "") if field else ""
        row = known.get(name_of(bidder, person))
        return typed.strip() or (row.address if row else "")

    return address


async def new_link(
    request: Request,
    seat: StaffSeat,
    bidder: int | None,
    person: str,
    mail_address: str = "",
    by_mail: bool = False,
) -> NewLink:
    """A one-time link for a person; one that goes by mail is not shown."""
    site = site_of(request)
    sends = by_mail and bool(mail_address) and site.has_mail and not seat.heading.is_rehearsal
    invited = site.desk.invite(
        seat.who, seat.auction, bidder, person, address=mail_address, by_mail=sends
    )
    link = await wrap_future(invited)
    name = "" if bidder is None else seat.market.bidders[bidder].name
    if sends:
        return NewLink(name, person, "", "")
    address = f"{site.url}/enter/{link.token}"
    key = "bidders.mail_auditor" if bidder is None else "bidders.mail"
    gaps = {"person": person, "bidder": name, "auction": seat.heading.name, "link": address}
    subject = seat.t("bidders.mail_subject", auction=seat.heading.name)
    mail = f"mailto:?subject={quote(subject)}&body={quote(seat.t(key, **gaps))}"
    return NewLink(name, person, address, mail)


@router.post("/a/{auction}/bidders/links.csv")
async def links_file(request: Request, auction: str) -> Response:
    """The links that the page has just shown, as a file; the server does not know them any more."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    head = ("bidder", "person", "link")
    rows = zip(*(form.get(name, []) for name in head), strict=False)
    headers = attachment(f"{auction}-links.csv")
    return Response(csv_text(head, rows), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/a/{auction}/bidders/revoke")
async def ask_revoke(request: Request, auction: str) -> Response:
    """Says what revoking does and asks for a reason."""
    seat = staff_seat(request, auction, must_act=True)
    person = find_person(request, seat, request.query_params.get("who", ""))
    return revoke_page(request, seat, person)


def find_person(request: Request, seat: StaffSeat, who: str) -> PersonRow:
    """Somebody who was invited."""
    for person in site_of(request).desk.invited(seat.who, seat.auction):
        if who_is(person) == who:
            return person
    raise NotHere


def revoke_page(
    request: Request, seat: StaffSeat, person: PersonRow, status: int = 200, error: str = ""
) -> Response:
    """The page before revoking."""
    name = "" if person.bidder is None else seat.market.bidders[person.bidder].name
    problems = (FormProblem("reason", error),) if error else ()
    return staff_page(
        request,
        seat,
        "revoke",
        status,
        menu="bidders",
        person=person,
        whom=seat.t.who(person.name, name) if name else person.name,
        who_is=who_is(person),
        errors=problems,
        error=error,
    )


@router.post("/a/{auction}/bidders/revoke")
async def revoke(request: Request, auction: str) -> Response:
    """Ends every link, device and program of a person."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    person = find_person(request, seat, form.get("who", [""])[0])
    reason = form.get("reason", [""])[0]
    if not reason.strip():
        error = seat.t("confirm.reason_missing")
        return revoke_page(request, seat, person, 422, error)
    desk = site_of(request).desk
    for access in person.accesses:
        await wrap_future(desk.revoke(seat.who, auction, access, reason))
    return RedirectResponse(f"/a/{auction}/bidders", 303)
