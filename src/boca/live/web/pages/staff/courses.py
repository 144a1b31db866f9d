"""The registrar's pages that auctions do not have: uploads, late changes, the assignment."""

import io
import secrets
import zipfile
from asyncio import wrap_future
from pathlib import PurePosixPath

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from boca.core.csv_text import csv_text
from boca.core.errors import InputError
from boca.live.auction.courses import CourseRules, course_setup
from boca.live.auction.refusal import Refusal
from boca.live.auction.seat_market import SeatMarket
from boca.live.desk.courses import whole_points
from boca.live.web.pages.documents import attachment
from boca.live.web.problems import STATUS
from boca.live.web.render import own_texts, page
from boca.live.web.security import check_form
from boca.live.web.staff import StaffSeat, server_visitor, staff_page, staff_seat
from boca.live.web.texts import Texts
from boca.live.web.views.courses import budget_words, claim_words
from boca.live.web.views.staff.actions import possible_actions
from boca.live.web.visitors import NotHere, Visitor, site_of
from boca.markets.courses import read_course_files

router = APIRouter(include_in_schema=False)
TABLES = ("courses", "students", "conflicts")
IGNORED = ("ratings", "adjustments", "comparisons")
MOST_FILES, MOST_UNPACKED = 8, 20 * 2**20
BLANK = {"name": "", "minutes": "10080", "questions": "20", "listed": "", "reason": ""}


@router.get("/new/courses")
async def new(request: Request) -> Response:
    """Where the tables of an allocation are uploaded."""
    return new_page(request, server_visitor(request), {})


def new_page(
    request: Request, visitor: Visitor, typed: dict[str, str], error: str = "", status: int = 200
) -> Response:
    """The page, with what is wrong with the tables."""
    return page(
        request,
        "staff/course_new.html",
        status=status,
        visitor=visitor,
        csrf_token=visitor.form_token,
        typed={**BLANK, **typed},
        error=error.splitlines(),
        key=secrets.token_urlsafe(18),
    )


@router.post("/new/courses")
async def create(request: Request) -> Response:
    """Makes an allocation in draft from the tables, or says all that is wrong with them."""
    visitor = server_visitor(request)
    typed, files = await uploaded(request, visitor)
    try:
        name = typed.get("name", "").strip()
        if not name or not name.isprintable():
            raise InputError(own_texts(request)("course_new.name_missing"))
        rules = CourseRules.of(
            whole_points(typed.get("minutes", ""), own_texts(request)("course_new.minutes")),
            whole_points(typed.get("questions", ""), own_texts(request)("course_new.questions")),
            "listed" in typed,
        )
        market = await run_in_threadpool(market_of, own_texts(request), files, name)
        key = typed.get("key", "")[:64] or None
        done = await wrap_future(
            site_of(request).desk.create_courses(visitor.who, market, rules, key)
        )
    except InputError as error:
        return new_page(request, visitor, typed, str(error), 422)
    return RedirectResponse(f"/a/{done.auction}/bidders", 303)


async def uploaded(
    request: Request, visitor: Visitor
) -> tuple[dict[str, str], list[tuple[str, bytes]]]:
    """The fields and files of a form that our own page sent."""
    form = await request.form(max_files=MOST_FILES, max_fields=20)
    typed = {name: value for name, value in form.multi_items() if isinstance(value, str)}
    check_form(request, site_of(request).url, visitor.token, typed.get("csrf", ""))
    files = [
        (value.filename, await value.read())
        for value in form.getlist("files")
        if isinstance(value, UploadFile) and value.filename
    ]
    return typed, files


def market_of(t: Texts, files: list[tuple[str, bytes]], name: str) -> SeatMarket:
    """The market of uploaded tables; an InputError names all mistakes."""
    tables = {}
    if not files:
        raise InputError(t("course_new.no_file"))
    for file, content in [part for one in files for part in unpacked(t, *one)]:
        path = PurePosixPath(file.replace("\\", "/"))
        if path.stem.lower() in TABLES and path.suffix.lower() in (".csv", ".xlsx"):
            tables[f"{path.stem.lower()}{path.suffix.lower()}"] = content
        elif path.stem.lower() not in IGNORED:
            raise InputError(t("course_new.unknown", file=path.name[:60]))
    return course_setup(read_course_files(tables, name))


def unpacked(t: Texts, name: str, content: bytes) -> list[tuple[str, bytes]]:
    """The files of a ZIP file, or the one file itself."""
    if not name.lower().endswith(".zip"):
        return [(name, content)]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in infos) > MOST_UNPACKED:
                raise InputError(t("course_new.too_large", most=MOST_UNPACKED // 2**20))
            return [
                (info.filename, archive.open(info).read(info.file_size + 1))
                for info in infos
                if not info.filename.startswith(("__MACOSX", "."))
            ]
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError):
        raise InputError(t("course_new.not_zip")) from None


def course_seat(request: Request, auction: str, must_act: bool = False) -> StaffSeat:
    """The seat behind a page of registrar and auditor; auctions have no such pages."""
    seat = staff_seat(request, auction, must_act)
    if seat.view.setup.kind != "courses":
        raise NotHere
    return seat


def run_page(request: Request, seat: StaffSeat, is_alone: bool) -> Response:
    """The registrar's desk: who has answered, and what can be done."""
    desk = site_of(request).desk
    rows = desk.students(seat.who, seat.auction)
    return staff_page(
        request,
        seat,
        "course_run",
        menu="run",
        rows=rows,
        num_forms=sum(row.has_form for row in rows),
        num_answers=sum(row.num_answers for row in rows),
        work=desk.work(seat.who, seat.auction),
        failures=seat.view.failures,
        actions=possible_actions(seat.heading) if seat.can_act else [],
        can_change=seat.can_act and seat.heading.phase == "published",
        heading=seat.heading,
        clock_jump=desk.watch.clock_jump,
        is_alone=is_alone,
    )


def outcome_page(request: Request, seat: StaffSeat) -> Response:
    """Prices, claims, and who gets what."""
    desk = site_of(request).desk
    facts = desk.assignment(seat.who, seat.auction)
    assigned = facts.assigned if facts else None
    versions = assigned.versions if assigned else {}
    return staff_page(
        request,
        seat,
        "course_outcome",
        menu="outcome",
        facts=facts,
        claims=claim_words(seat.t, facts) if facts else [],
        rows=desk.students(seat.who, seat.auction),
        seconds=seat.t("run.seconds", n=seat.t.decimal(assigned.seconds)) if assigned else "",
        versions=seat.t("words.comma").join(f"{name} {v}" for name, v in versions.items()),
        is_published=seat.heading.phase == "published",
        show=budget_words,
    )


@router.get("/a/{auction}/assignment.csv")
async def assignment_file(request: Request, auction: str) -> Response:
    """Who gets which course, as a file."""
    seat = course_seat(request, auction)
    rows = site_of(request).desk.students(seat.who, auction)
    cells = [(row.name, course) for row in rows for course in row.courses]
    text = csv_text(("student", "course"), cells)
    headers = attachment(f"{auction}-assignment.csv")
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/a/{auction}/change")
async def ask_change(request: Request, auction: str) -> Response:
    """Where changed tables are uploaded after publication."""
    return change_page(request, course_seat(request, auction, must_act=True), {"minutes": "0"})


def change_page(
    request: Request, seat: StaffSeat, typed: dict[str, str], error: str = "", status: int = 200
) -> Response:
    return staff_page(
        request,
        seat,
        "course_change",
        status,
        menu="run",
        typed={**BLANK, **typed},
        error=error.splitlines(),
        is_possible=seat.heading.phase == "published",
    )


@router.post("/a/{auction}/change")
async def change(request: Request, auction: str) -> Response:
    """Takes a late change; what was given is kept."""
    seat = course_seat(request, auction, must_act=True)
    typed, files = await uploaded(request, seat.visitor)
    try:
        minutes = whole_points(typed.get("minutes", ""), seat.t("course_change.minutes"))
        market = await run_in_threadpool(market_of, seat.t, files, seat.heading.name)
        desk = site_of(request).desk
        reason = typed.get("reason", "")
        await wrap_future(desk.change_courses(seat.who, auction, market, reason, minutes))
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        return change_page(
            request, seat, typed, seat.t.read(refusal.sentence), STATUS[refusal.cause]
        )
    except InputError as error:
        return change_page(request, seat, typed, str(error), 422)
    return RedirectResponse(f"/a/{auction}/run", 303)
