"""The award report as a file, for whoever may know the outcome, with what each may know."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from boca.live.desk.proofs import LogProof
from boca.live.web.award.pdf import to_pdf
from boca.live.web.award.report import AwardSource, award_report
from boca.live.web.award.xlsx import to_xlsx
from boca.live.web.pages.documents import attachment
from boca.live.web.pages.sheet import XLSX
from boca.live.web.seats import own_result, page_seat
from boca.live.web.staff import staff_seat
from boca.live.web.texts import Texts, load_for
from boca.live.web.visitors import NotHere, Visitor, site_of, visitor_of_page

router = APIRouter(include_in_schema=False)


@router.get("/a/{auction}/award.pdf")
async def award_pdf(request: Request, auction: str) -> Response:
    """The report on paper."""
    return await award(request, auction, "pdf")


@router.get("/a/{auction}/award.xlsx")
async def award_xlsx(request: Request, auction: str) -> Response:
    """The report as a workbook."""
    return await award(request, auction, "xlsx")


async def award(request: Request, auction: str, suffix: str) -> Response:
    """The report as a file; nothing is there before its reader may know the outcome."""
    visitor = visitor_of_page(request)
    site = site_of(request)
    t, source = source_for(request, auction, visitor)
    if source.setup.kind == "courses":
        raise NotHere
    operator = t("words.comma").join(word for word in (site.brand.name, site.brand.contact) if word)
    source = replace(source, operator=operator)
    # A long protocol takes seconds to lay out.
    who = visitor.who.access if visitor else "public"
    with site.buckets.alone("award", who):
        write = to_pdf if suffix == "pdf" else to_xlsx
        report = await run_in_threadpool(award_report, t, source)
        content = await run_in_threadpool(write, t, source.setup, report)
    media_type = "application/pdf" if suffix == "pdf" else XLSX
    headers = attachment(f"award-{auction}.{suffix}")
    return Response(content, media_type=media_type, headers=headers)


def source_for(
    request: Request, auction: str, visitor: Visitor | None
) -> tuple[Texts, AwardSource]:
    """What a visitor may know of an outcome."""
    if visitor is not None and visitor.who.role == "bidder" and visitor.who.auction == auction:
        return own_source(request, auction)
    is_own = visitor is not None and visitor.who.auction == auction
    if visitor is not None and (visitor.who.role == "auctioneer" or is_own):
        return staff_source(request, auction)
    desk = site_of(request).desk
    view = desk.public(auction)
    if not view.outcome:
        raise NotHere
    records = tuple(desk.records(None, auction))
    t = load_for(view.setup.rules, view.setup.market)
    proofs = proof_rows(t, desk.proof(None, auction)) if view.publish == "all" else ()
    return t, AwardSource(view.setup, view.heading, view.outcome, records, proofs=proofs)


def own_source(request: Request, auction: str) -> tuple[Texts, AwardSource]:
    """A bidder's own part, and what is public."""
    seat, desk = page_seat(request, auction), site_of(request).desk
    result = own_result(request, seat)
    if result is None:
        raise NotHere
    outcome = desk.public(auction, seat.who).outcome
    records = tuple(desk.records(seat.who, auction))
    source = AwardSource(
        seat.view.setup,
        seat.heading,
        outcome,
        records,
        bidder=seat.view.bidder_name,
        result=result,
    )
    return seat.t, source


def staff_source(request: Request, auction: str) -> tuple[Texts, AwardSource]:
    """Everything, for auctioneer and auditor."""
    seat, desk = staff_seat(request, auction), site_of(request).desk
    view = seat.view
    if not view.outcome:
        raise NotHere
    records = tuple(desk.records(seat.who, auction))
    proofs = proof_rows(seat.t, desk.proof(seat.who, auction))
    source = AwardSource(
        view.setup, view.heading, view.outcome, records, progress=view, proofs=proofs
    )
    return seat.t, source


def proof_rows(t: Texts, proof: LogProof | None) -> tuple[tuple[str, str, str], ...]:
    """What the verifier says, check by check; a line that it has not looked yet."""
    if proof is None or proof.verdict is None:
        return (("", t("report.proofs_none"), ""),)
    return tuple(
        (
            check["check"],
            f"{t('proofs.title_' + check['check'])}. {check['sentence']}",
            t(f"proofs.state_{check['state']}"),
        )
        for check in proof.verdict["checks"]
    )
