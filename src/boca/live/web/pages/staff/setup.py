"""Setting up an auction step by step; what was typed is kept on the server between the steps."""

import re
import secrets
from asyncio import gather, wrap_future
from collections.abc import Callable
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from boca.core.errors import InputError
from boca.live.auction.hours import zones
from boca.live.auction.kind import PAYMENT_RULES
from boca.live.auction.refusal import Refusal
from boca.live.auction.rules import AuctionFile
from boca.live.web.journal import NO_ANSWER
from boca.live.web.pages.entrance import remember_language
from boca.live.web.pages.staff.bidders import bidders_page, new_link
from boca.live.web.pages.staff.creating import new_page, preview_values, uploaded_text
from boca.live.web.problems import STATUS
from boca.live.web.render import language_of, own_texts, page
from boca.live.web.security import check_form
from boca.live.web.setting_up import SetupForm, SetupMistake, market_text, mistakes_of
from boca.live.web.setting_up.changes import ChangeWords, changes
from boca.live.web.setting_up.filling import PATTERNS, form_of, pattern_text
from boca.live.web.setting_up.form import COUNTED, HIDDEN, OPTIONAL, PARTS, SPARE_ROWS, Row
from boca.live.web.setting_up.lists import people_in
from boca.live.web.setting_up.mistakes import example_of, mistake_at
from boca.live.web.setting_up.rows import pasted, rows_of, size_of
from boca.live.web.sheets.apart import Gone
from boca.live.web.staff import server_visitor, staff_page, staff_seat, staff_visitor
from boca.live.web.texts import Texts, load
from boca.live.web.views.problem import FormProblem
from boca.live.web.visitors import NotHere, Visitor, site_of

router = APIRouter(include_in_schema=False)
# Fields that a form of 100 bidders or 100 goods has, with room.
MOST_FIELDS = 2000
# Rows that a button adds, and that an empty table has.
MORE_ROWS, FIRST_ROWS = 5, 8


def kept_form(request: Request, visitor: Visitor, key: str) -> SetupForm:
    """The form of an address."""
    text = site_of(request).desk.setups(visitor.who).get(key)
    if text is None:
        raise NotHere
    return SetupForm.from_text(text)


async def keep(request: Request, visitor: Visitor, key: str, form: SetupForm) -> None:
    """Keeps a form until its auction is made."""
    await wrap_future(site_of(request).desk.save_setup(visitor.who, key, form.to_text()))


async def begin(request: Request, visitor: Visitor, form: SetupForm) -> Response:
    """Keeps a new form and goes to its first step; a draft has one, which begins again."""
    own = key_of_edit(request, visitor, form.auction) if form.auction else ""
    key = own or secrets.token_urlsafe(12)
    await keep(request, visitor, key, form)
    return RedirectResponse(f"/setup/{key}/goods", 303)


def key_of_edit(request: Request, visitor: Visitor, auction: str) -> str:
    """The form in which a draft is being edited; empty for none."""
    kept = site_of(request).desk.setups(visitor.who)
    own = (key for key, text in kept.items() if SetupForm.from_text(text).auction == auction)
    return next(own, "")


@router.post("/new/form")
async def start_form(request: Request) -> Response:
    """A form that is empty, filled from a pattern, or filled from a market file."""
    visitor = server_visitor(request)
    text, fields = await uploaded_text(request, visitor)
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())
    pattern = fields.get("pattern", "")
    if pattern in PATTERNS:
        text = pattern_text(pattern)
    elif fields.get("do") != "fill":
        kind = pattern if pattern in PAYMENT_RULES else "sell"
        return await begin(request, visitor, SetupForm(kind=kind))
    try:
        form = draft_form(desk.read(text), "", desk.read)
    except InputError as error:
        return await new_page(request, visitor, text, str(error))
    if form is None:
        return await new_page(request, visitor, text, own_texts(request)("setup.no_form"))
    return await begin(request, visitor, form)


async def all_mistakes(request: Request, t: Texts, form: SetupForm) -> list[SetupMistake]:
    """What the form has against itself, or else what the reader and the engine have."""
    desk = site_of(request).desk
    mechanisms = await wrap_future(desk.mechanisms())
    mistakes = mistakes_of(t, form, mechanisms, desk.now())
    if mistakes:
        return mistakes
    try:
        await wrap_future(desk.preview(market_text(form)))
    except InputError as error:
        return [mistake_at(t, form, error)]
    return []


@router.get("/setup/{key}/{step}")
async def show(request: Request, key: str, step: str) -> Response:
    """One step; the last one says what the auction will be like, or what is wrong."""
    visitor = staff_visitor(request, must_act=True)
    form = kept_form(request, visitor, key)
    if step not in form.steps:
        raise NotHere
    if step == "check":
        return await check_page(request, visitor, key, form)
    wrong = "wrong" in request.query_params
    mistakes = await all_mistakes(request, form_texts(request, form), form) if wrong else []
    return await step_page(request, visitor, key, form, step, mistakes)


async def step_page(
    request: Request,
    visitor: Visitor,
    key: str,
    form: SetupForm,
    step: str,
    mistakes: list[SetupMistake],
    num_rows: int = 0,
) -> Response:
    """
    The page of a step.

    Parameters
    ----------
    request, visitor, key, form, step
        What is answered, for whom, and which form.
    mistakes
        What is wrong; those of this step are shown.
    num_rows
        Rows that a table has at least; 0 for as many as usual.
    """
    t = form_texts(request, form)
    shown = form.written(t.language)
    own = [mistake for mistake in mistakes if mistake.step == step]
    mechanisms = await wrap_future(site_of(request).desk.mechanisms())
    return page(
        request,
        "staff/setup.html",
        t,
        422 if own else 200,
        visitor=visitor,
        csrf_token=visitor.form_token,
        key=key,
        form=shown,
        step=step,
        steps=form.steps,
        following=form.steps[form.steps.index(step) + 1],
        errors=[FormProblem(mistake.field, mistake.sentence) for mistake in own],
        wrong={mistake.field: mistake.sentence for mistake in own},
        kinds=tuple(PAYMENT_RULES),
        goods=padded(shown.goods, num_rows),
        bidders=padded(shown.bidders, num_rows),
        awards=[*shown.awards, *({} for _ in range(SPARE_ROWS))],
        limits=form.limits,
        good_fields=form.good_fields,
        bidder_fields=form.bidder_fields,
        optional=OPTIONAL,
        hidden=HIDDEN,
        shown=shown_columns(form, step, own),
        counted=COUNTED,
        names=[row["name"] for row in form.goods if row.get("name")],
        example=example_of(t, [row.get("name", "") for row in form.goods]),
        suppliers=form.groups,
        zones=sorted(zones()) if step == "rules" else (),
        parts=[(part, shown.rule_fields(part, mechanisms)) for part in PARTS],
    )


def shown_columns(form: SetupForm, step: str, mistakes: list[SetupMistake]) -> set[str]:
    """Columns of a table that are shown: as chosen, and those with a mistake."""
    fields = [mistake.field.rpartition("-")[2] for mistake in mistakes]
    return {name for name in OPTIONAL.get(step, ()) if form.shows(name) or name in fields}


def form_texts(request: Request, form: SetupForm) -> Texts:
    """The texts of a form: a purchase has suppliers."""
    return load(language_of(request) or "en", form.kind)


def padded(rows: tuple[Row, ...], num_rows: int) -> list[Row]:
    """The rows of a table, and empty ones below them."""
    more = max((num_rows or FIRST_ROWS) - len(rows), 0 if num_rows else SPARE_ROWS)
    return [*rows, *({} for _ in range(more))]


@router.post("/setup/{key}/{step}")
async def take(request: Request, key: str, step: str) -> Response:
    """Keeps what was typed, and does what the button says."""
    visitor = staff_visitor(request, must_act=True)
    sent = await request.form(max_files=1, max_fields=MOST_FIELDS)
    typed: dict[str, list[str]] = {}
    for name, value in sent.multi_items():
        if isinstance(value, str):
            typed.setdefault(name, []).append(value)
    check_form(request, site_of(request).url, visitor.token, typed.get("csrf", [""])[0])
    form = kept_form(request, visitor, key)
    if step not in form.steps:
        raise NotHere
    if step == "check":
        return await finish(request, visitor, key, form, typed)
    do = typed.get("do", [""])[0]
    table = step if step in ("goods", "bidders") else ""
    shown = sum(re.fullmatch(rf"{table}-\d+-name", name) is not None for name in typed)
    if table and do.startswith("remove-"):
        row = f"{table}-{do.removeprefix('remove-')}-"
        typed = {name: texts for name, texts in typed.items() if not name.startswith(row)}
    form = form.with_step(step, typed, form_texts(request, form).language)
    if do == "table" and table:
        return await take_table(request, visitor, key, form, table, sent)
    await keep(request, visitor, key, form)
    if do == "rows" or do.startswith("remove-"):
        more = shown + MORE_ROWS if do == "rows" else shown - 1
        return await step_page(request, visitor, key, form, step, [], more)
    if do == "next":
        t = form_texts(request, form)
        mechanisms = await wrap_future(site_of(request).desk.mechanisms())
        mistakes = mistakes_of(t, form, mechanisms, site_of(request).desk.now())
        wrong = [mistake for mistake in mistakes if mistake.step == step]
        if wrong:
            return await step_page(request, visitor, key, form, step, wrong)
        following = form.steps[form.steps.index(step) + 1]
        return RedirectResponse(f"/setup/{key}/{following}", 303)
    wanted = do if do in form.steps else step
    answer = RedirectResponse(f"/setup/{key}/{wanted}", 303)
    if do.startswith("language-"):
        await remember_language(request, answer, do.removeprefix("language-"))
    return answer


async def take_table(
    request: Request, visitor: Visitor, key: str, form: SetupForm, table: str, sent: FormData
) -> Response:
    """Replaces the rows of a table by those of a spreadsheet or a pasted table."""
    site, t = site_of(request), form_texts(request, form)
    file, text = sent.get("file"), sent.get("pasted")
    content = await file.read() if isinstance(file, UploadFile) else b""
    if not content and isinstance(text, str) and text.strip():
        content = pasted(text)
    try:
        if not content:
            raise InputError(t("setup.no_table"))
        site.buckets.take("uploads", visitor.who.access, site.limits.uploads)
        with site.buckets.alone("upload", visitor.who.access):
            sheet = await site.sheets.read(content, size_of(table), request.is_disconnected)
        rows = rows_of(table, sheet)
    except InputError as error:
        await keep(request, visitor, key, form)
        wrong = [SetupMistake(table, "pasted", str(error))]
        return await step_page(request, visitor, key, form, table, wrong)
    except Gone:
        return Response(status_code=NO_ANSWER)
    form = replace(form, goods=rows) if table == "goods" else replace(form, bidders=rows)
    await keep(request, visitor, key, form)
    return RedirectResponse(f"/setup/{key}/{table}?wrong", 303)


async def check_page(
    request: Request,
    visitor: Visitor,
    key: str,
    form: SetupForm,
    error: str = "",
    status: int = 200,
) -> Response:
    """What an auction by this form will be like, or everything that is wrong with it."""
    t = form_texts(request, form)
    mistakes = await all_mistakes(request, t, form)
    if mistakes:
        return page(
            request,
            "staff/setup_wrong.html",
            t,
            422,
            visitor=visitor,
            csrf_token=visitor.form_token,
            key=key,
            form=form,
            step="check",
            steps=form.steps,
            mistakes=mistakes,
        )
    desk = site_of(request).desk
    text = market_text(form)
    file = desk.read(text)
    rows = None
    if form.auction:
        before = desk.draft_file(visitor.who, form.auction)
        rows = changes(t, (before.rules, before.market), (file.rules, file.market))
        if before.notes != file.notes:
            rows.append(ChangeWords(t("setup.change_notes"), "", ""))
    return page(
        request,
        "staff/preview.html",
        **preview_values(request, visitor, text, file),
        status=status,
        setup=key,
        form=form,
        step="check",
        steps=form.steps,
        changes=rows,
        error=error,
    )


async def finish(
    request: Request, visitor: Visitor, key: str, form: SetupForm, typed: dict[str, list[str]]
) -> Response:
    """Makes the auction, or changes the draft; the form is forgotten then."""
    do = typed.get("do", [""])[0]
    desk = site_of(request).desk
    if do in form.steps:
        return RedirectResponse(f"/setup/{key}/{do}", 303)
    if do == "discard":
        await wrap_future(desk.save_setup(visitor.who, key, ""))
        return RedirectResponse(f"/a/{form.auction}/run" if form.auction else "/new", 303)
    if await all_mistakes(request, form_texts(request, form), form):
        return await check_page(request, visitor, key, form)
    text = market_text(form)
    try:
        if form.auction:
            await wrap_future(desk.configure(visitor.who, form.auction, text))
        else:
            done = await wrap_future(desk.create(visitor.who, text, f"setup-{key}"))
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        why = form_texts(request, form).read(refusal.sentence)
        return await check_page(request, visitor, key, form, why, STATUS[refusal.cause])
    await wrap_future(desk.save_setup(visitor.who, key, ""))
    if form.auction:
        return RedirectResponse(f"/a/{form.auction}/run", 303)
    return await invite_people(request, done.auction, form)


async def invite_people(request: Request, auction: str, form: SetupForm) -> Response:
    """Makes links for everybody whom the form names, and shows them this once."""
    seat = staff_seat(request, auction, must_act=True)
    wanted: list[tuple[int | None, str]] = [
        (number, person)
        for number, row in enumerate(form.bidders)
        for person in people_in(row.get("people", ""))
    ]
    wanted += [(None, person) for person in people_in(form.auditors)]
    if not wanted:
        return RedirectResponse(f"/a/{auction}/bidders", 303)
    made = await gather(
        *(new_link(request, seat, bidder, person) for bidder, person in wanted),
        return_exceptions=True,
    )
    errors = [FormProblem("", str(one)) for one in made if isinstance(one, Refusal)]
    links = [one for one in made if not isinstance(one, BaseException)]
    for one in made:
        if isinstance(one, BaseException) and not isinstance(one, Refusal):
            raise one
    status = 409 if errors else 200
    return bidders_page(request, seat, status, tuple(errors), None, tuple(links))


@router.get("/a/{auction}/edit")
async def edit(request: Request, auction: str) -> Response:
    """The two ways to change a draft: the form, or another market file."""
    return edit_page(request, auction)


def edit_page(
    request: Request, auction: str, text: str = "", error: str = "", status: int = 200
) -> Response:
    """The page before a draft is edited."""
    seat = staff_seat(request, auction, must_act=True)
    if seat.view.setup.kind == "courses":
        raise NotHere
    desk = site_of(request).desk
    can_form, why = False, ""
    try:
        can_form = draft_form(desk.draft_file(seat.who, auction), auction, desk.read) is not None
    except Refusal as refusal:
        why, status = seat.t.read(refusal.sentence), 409
    return staff_page(
        request,
        seat,
        "edit",
        status,
        menu="run",
        can_form=can_form,
        unfinished=key_of_edit(request, seat.visitor, auction),
        why=why,
        text=text,
        error=error,
        errors=(FormProblem("text", error),) if error else (),
    )


def draft_form(
    file: AuctionFile, auction: str, read: Callable[[str], AuctionFile]
) -> SetupForm | None:
    """The form of a draft; None unless it says exactly what the draft says."""
    form = form_of(file, auction)
    if form is None:
        return None
    try:
        again = read(market_text(form))
    except (InputError, ValueError):
        return None
    return form if again == file else None


@router.post("/a/{auction}/edit")
async def start_edit(request: Request, auction: str) -> Response:
    """Fills a form from the draft, or changes the draft to what a market file says."""
    seat = staff_seat(request, auction, must_act=True)
    if seat.view.setup.kind == "courses":
        raise NotHere
    desk = site_of(request).desk
    await wrap_future(desk.mechanisms())
    text, fields = await uploaded_text(request, seat.visitor)
    if fields.get("do") == "form":
        file = desk.draft_file(seat.who, auction)
        form = draft_form(file, auction, desk.read)
        if form is None:
            raise NotHere
        return await begin(request, seat.visitor, form)
    try:
        await wrap_future(desk.preview(text))
        await wrap_future(desk.configure(seat.who, auction, text))
    except InputError as error:
        return edit_page(request, auction, text, str(error), 422)
    except Refusal as refusal:
        if refusal.cause == "unavailable":
            raise
        why = seat.t.read(refusal.sentence)
        return edit_page(request, auction, text, why, STATUS[refusal.cause])
    return RedirectResponse(f"/a/{auction}/run", 303)
