"""The questions as a spreadsheet: take it away, bring it back."""

from asyncio import wrap_future

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.views import BidderView
from boca.live.web.journal import NO_ANSWER
from boca.live.web.pages.documents import attachment
from boca.live.web.seats import BidderSeat, page_seat, seat_page
from boca.live.web.security import check_form
from boca.live.web.sheets.apart import Gone, Size
from boca.live.web.sheets.columns import columns_of
from boca.live.web.sheets.reading import FilledSheet, read_sheet
from boca.live.web.sheets.writing import open_questions, to_csv, to_xlsx
from boca.live.web.views.basket import fill
from boca.live.web.views.problem import FormProblem, mistake_sentence
from boca.live.web.visitors import NotHere, site_of

router = APIRouter(include_in_schema=False)
# Rows and columns for people's own notes, besides an empty row below each question.
SPARE_ROWS, SPARE_COLUMNS = 50, 20
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@router.get("/a/{auction}/sheet")
async def sheet(request: Request, auction: str) -> Response:
    """Where the sheet is taken away and brought back."""
    return sheet_page(request, page_seat(request, auction))


def sheet_page(request: Request, seat: BidderSeat, errors: list[str] | None = None) -> Response:
    """The page, with what is wrong with an uploaded file."""
    return seat_page(
        request,
        seat,
        "sheet",
        422 if errors else 200,
        errors=[FormProblem("", error) for error in errors or ()],
        num_open=len(open_questions(seat.view)),
        num_choices=sum(q.status == "open" and q.type != "value" for q in seat.view.questions),
        has_prices=seat.view.setup.rules.announces_prices,
        can_upload=seat.view.heading.phase in ("open", "paused"),
        stem=f"questions-{auction_round(seat)}",
        most=site_of(request).limits.upload // 1024,
    )


def auction_round(seat: BidderSeat) -> int:
    """The round as people count it."""
    return seat.view.heading.round + 1


@router.get("/a/{auction}/sheet/{name}")
async def download(request: Request, auction: str, name: str) -> Response:
    """The sheet as a file, filled in with the drafts."""
    seat = page_seat(request, auction)
    suffix = name.rpartition(".")[2]
    if suffix not in ("xlsx", "csv"):
        raise NotHere
    drafts = seat.drafts(site_of(request).desk.drafts(seat.who))
    write = to_xlsx if suffix == "xlsx" else to_csv
    content = await run_in_threadpool(write, seat.t, seat.view, drafts)
    media_type = XLSX if suffix == "xlsx" else "text/csv; charset=utf-8"
    headers = attachment(f"questions-{auction_round(seat)}.{suffix}")
    return Response(content, media_type=media_type, headers=headers)


@router.post("/a/{auction}/sheet")
async def upload(request: Request, auction: str) -> Response:
    """Keeps a good file as drafts and goes on to the check; takes nothing of a bad one."""
    seat = page_seat(request, auction)
    site = site_of(request)
    content = await uploaded(request, seat)
    if not content:
        return sheet_page(request, seat, [seat.t("sheet.no_file")])
    site.buckets.take("uploads", seat.who.access, site.limits.uploads)
    try:
        with site.buckets.alone("upload", seat.who.access):
            size = size_of(seat.view)
            table = await site.sheets.read(content, size, request.is_disconnected)
    except InputError as error:
        return sheet_page(request, seat, [str(error)])
    except Gone:
        return Response(status_code=NO_ANSWER)
    filled = read_sheet(seat.t, seat.view, table)
    if not filled.mistakes:
        check_rules(request, seat, filled)
    if filled.mistakes:
        return sheet_page(request, seat, filled.shown_mistakes(seat.t))
    texts = {query: seat.keep(draft) for query, draft in filled.drafts.items()}
    await wrap_future(site.desk.save_drafts(seat.who, texts))
    return RedirectResponse(f"/a/{auction}/check?from=sheet", 303)


def size_of(view: BidderView) -> Size:
    """The largest sheet that is read: what was handed out, with room for notes."""
    num_questions = len(open_questions(view))
    num_columns = len(columns_of(view.setup.market).names)
    return Size(1 + 2 * num_questions + SPARE_ROWS, num_columns + SPARE_COLUMNS)


async def uploaded(request: Request, seat: BidderSeat) -> bytes:
    """The bytes of the file that our own page sent; empty where none was chosen."""
    site = site_of(request)
    # Requests to this page are small enough for files to stay in memory; none is ever stored.
    form = await request.form(max_files=1, max_fields=5)
    token = form.get("csrf")
    check_form(request, site.url, seat.visitor.token, token if isinstance(token, str) else "")
    file = form.get("file")
    return await file.read() if isinstance(file, UploadFile) else b""


def check_rules(request: Request, seat: BidderSeat, filled: FilledSheet) -> None:
    """Adds what the auction's rules have against an amount, with its row."""
    desk = site_of(request).desk
    drafts = {**seat.drafts(desk.drafts(seat.who)), **filled.drafts}
    basket = fill(seat.t, seat.view, {k: d for k, d in drafts.items() if d.text or d.is_declined})
    if not basket.items:
        return
    for mistake in desk.check(seat.who, seat.submission(basket.drafts)).mistakes:
        if mistake.where in filled.rows:
            filled.mistakes.append(
                seat.t(
                    "sheet.mistake",
                    row=filled.rows[mistake.where],
                    column=columns_of(seat.market).amount,
                    what=mistake_sentence(seat.t, mistake),
                )
            )
