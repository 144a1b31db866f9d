"""The proofs: how the server's own log stands up to the stand-alone verifier."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.live.auction.views import PublicView
from boca.live.desk.proofs import LogProof
from boca.live.web.render import language_of, page
from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.texts import Texts, load_for
from boca.live.web.views.frame import frame_of
from boca.live.web.visitors import NotHere, Visitor, site_of, visitor_of_page

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class ProofLine:
    """One check: its name, what it says, how it ended, and what was found."""

    name: str
    title: str
    state: str
    more: tuple[str, ...]


@router.get("/a/{auction}/proofs")
async def proofs(request: Request, auction: str) -> Response:
    """One line per check; for the staff, and for everybody where everything is published."""
    visitor = visitor_of_page(request)
    desk = site_of(request).desk
    if visitor is not None and visitor.who.role != "bidder":
        seat = staff_seat(request, auction)
        key = seat.view.setup.public_key
        values = proof_values(seat.t, desk.proof(seat.who, auction), auction, key)
        view = seat.view
        versions = seat.t("words.comma").join(f"{n} {v}" for n, v in view.versions.items())
        return staff_page(request, seat, "proofs", **values, rounds=view.rounds, versions=versions)
    public = public_proofs(request, auction, visitor)
    t = load_for(public.setup.rules, public.setup.market, language_of(request))
    values = proof_values(t, desk.proof(None, auction), auction, public.setup.public_key)
    return page(
        request,
        "staff/proofs.html",
        t,
        frame=frame_of(t, public.heading),
        visitor=visitor,
        page="proofs",
        rounds=[],
        versions="",
        **values,
    )


def public_proofs(request: Request, auction: str, visitor: Visitor | None) -> PublicView:
    """The auction of a page of proofs that everybody may see."""
    view = site_of(request).desk.public(auction, visitor.who if visitor else None)
    if view.publish != "all":
        raise NotHere
    return view


def proof_values(t: Texts, proof: LogProof | None, auction: str, key: str) -> dict[str, Any]:
    """What the page shows of a verification."""
    verdict = proof.verdict if proof else None
    return {
        "is_running": proof is not None and proof.is_running,
        "error": proof.error if proof else "",
        "conclusion": conclusion(t, verdict) if verdict else "",
        "is_good": verdict is not None and verdict["exit_code"] in (0, 3),
        "lines": [
            ProofLine(
                check["check"],
                t(f"proofs.title_{check['check']}"),
                check["state"],
                tuple(details(t, check)),
            )
            for check in (verdict["checks"] if verdict else ())
        ],
        "command": f"boca verify {auction}.jsonl --key {key}",
    }


def conclusion(t: Texts, verdict: dict[str, Any]) -> str:
    """The verdict in one sentence."""
    failed = [check["check"] for check in verdict["checks"] if check["state"] == "fails"]
    if failed:
        return t("proofs.some_fail", checks=", ".join(failed))
    if verdict["exit_code"] == 0:
        return t("proofs.all_hold")
    ended = "" if verdict["has_ended"] else f" {t('proofs.not_ended')}"
    return f"{t('proofs.rest_holds')}{ended}"


def details(t: Texts, check: dict[str, Any]) -> list[str]:
    """What a check looked at and found, in the words of the verifier."""
    findings = [
        finding["sentence"]
        if finding["record"] is None
        else f"{t('proofs.record', n=finding['record'])} {finding['sentence']}"
        for finding in check["findings"]
    ]
    # A check that fails begins with its first finding.
    return [*(findings or [check["sentence"]]), *check["notes"]]
