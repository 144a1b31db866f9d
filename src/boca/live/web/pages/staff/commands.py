"""One page per command: what will happen, what has to be said, and the button."""

import secrets
from asyncio import wrap_future
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.commands import Withdraw
from boca.live.auction.refusal import Refusal
from boca.live.web.problems import STATUS
from boca.live.web.staff import StaffSeat, staff_page, staff_seat
from boca.live.web.views.problem import FormProblem
from boca.live.web.views.staff.actions import ACTIONS, Action, command_of
from boca.live.web.visitors import NotHere, form_of, site_of

router = APIRouter(include_in_schema=False)
# Where the auctioneer goes on after a command; the desk unless named.
AFTER = {"publish": "outcome"}
# Fields that a page may have.
BLANK = dict.fromkeys(("missing", "minutes", "reason", "text", "name"), "")


def find_action(name: str) -> Action:
    """The button of an address."""
    if name not in ACTIONS:
        raise NotHere
    return ACTIONS[name]


@router.get("/a/{auction}/do/{command}")
async def ask(request: Request, auction: str, command: str) -> Response:
    """Says what will happen and asks for the reason."""
    seat = staff_seat(request, auction, must_act=True)
    return confirm_page(request, seat, find_action(command), {})


def confirm_page(
    request: Request,
    seat: StaffSeat,
    action: Action,
    fields: dict[str, str],
    status: int = 200,
    errors: tuple[FormProblem, ...] = (),
) -> Response:
    """
    The page before a command.

    Parameters
    ----------
    request, seat, action
        What is answered, for whom, and about which button.
    fields
        What was typed before.
    status
        HTTP status.
    errors
        What is wrong with it.
    """
    t, heading = seat.t, seat.heading
    is_possible = action.is_possible(heading)
    values: dict[str, Any] = {
        "action": action,
        "is_possible": is_possible,
        "happens": t(f"confirm.{action.name}", **gaps(seat)),
        "proposer": proposer(request, seat, action),
        "fields": {**BLANK, **fields},
        "absent": absent_bidders(seat) if action.name == "start" else (),
        "key": fields.get("key") or secrets.token_urlsafe(18),
        "errors": errors,
        "wrong": {**BLANK, **{problem.field: problem.sentence for problem in errors}},
    }
    if not is_possible and status == 200:
        status = 409
    return staff_page(request, seat, "confirm", status, menu="run", **values)


def proposer(request: Request, seat: StaffSeat, action: Action) -> str | None:
    """
    Who else has proposed a command that needs two people, so that the reader carries it out.

    Empty if the reader only proposes it; None if one person is enough.
    """
    if seat.heading.is_rehearsal or action.name not in seat.view.setup.rules.second_person:
        return None
    pending = site_of(request).desk.proposals(seat.who, seat.auction)
    same = (one.who for one in pending if one.event.act == action.name)
    return next((who for who in same if who != seat.visitor.person), "")


def gaps(seat: StaffSeat) -> dict[str, str]:
    """What the sentences about commands mention."""
    t, rules, heading = seat.t, seat.view.setup.rules, seat.heading
    return {
        "minutes": t.minutes(rules.minutes(max(heading.round, 0))),
        "questions": str(rules.num_initial),
        "open": str(sum(row.num_open for row in seat.view.rows)),
        "publish": t(f"outcome.publish_{rules.publish}"),
    }


def absent_bidders(seat: StaffSeat) -> tuple[str, ...]:
    """Bidders for whom nobody has joined; students come when they like."""
    if seat.view.setup.kind == "courses":
        return ()
    return tuple(row.name for row in seat.view.rows if row.persons and not row.joined)


@router.post("/a/{auction}/do/{command}")
async def carry_out(request: Request, auction: str, command: str) -> Response:
    """Carries a command out once, however often the button is pressed."""
    seat = staff_seat(request, auction, must_act=True)
    action = find_action(command)
    form = await form_of(request, seat.visitor)
    fields = {name: values[0] for name, values in form.items()}
    if "name" in action.fields and fields.get("name", "").strip() != seat.heading.name:
        problem = FormProblem("name", seat.t("confirm.wrong_name", auction=seat.heading.name))
        return confirm_page(request, seat, action, fields, 422, (problem,))
    key = fields.get("key", "")[:64]
    try:
        wanted = command_of(action, fields, seat.visitor.person)
        desk = site_of(request).desk
        await wrap_future(desk.command(seat.who, auction, wanted, key or None))
    except InputError as error:
        return confirm_page(
            request,
            seat,
            action,
            fields,
            422,
            (FormProblem("minutes", seat.t.read(error.message)),),
        )
    except Refusal as refusal:
        if refusal.cause in ("unavailable", "not-found"):
            raise
        # A key that was refused may be tried again with other words.
        fields = {**fields, "key": ""}
        seat = staff_seat(request, auction, must_act=True)
        problem = FormProblem(field_of(action, refusal), seat.t.read(refusal.sentence))
        return confirm_page(request, seat, action, fields, STATUS[refusal.cause], (problem,))
    return RedirectResponse(f"/a/{auction}/{AFTER.get(command, 'run')}", 303)


@router.post("/a/{auction}/withdraw")
async def withdraw(request: Request, auction: str) -> Response:
    """Gives up what one auctioneer proposed."""
    seat = staff_seat(request, auction, must_act=True)
    form = await form_of(request, seat.visitor)
    command = Withdraw(form.get("proposal", [""])[0][:64])
    try:
        await wrap_future(site_of(request).desk.command(seat.who, auction, command))
    except Refusal as refusal:
        if refusal.cause != "not-found":
            raise
    return RedirectResponse(f"/a/{auction}/run", 303)


def field_of(action: Action, refusal: Refusal) -> str:
    """The field that a refusal is about; empty for none."""
    if refusal.cause == "unconfirmed":
        return "missing"
    if refusal.cause == "mistakes":
        return "text" if "text" in action.fields else "reason"
    return ""
