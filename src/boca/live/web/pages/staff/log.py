"""The log: every record, filtered, and as a file."""

import json
from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from boca.core.market import Market
from boca.live.auction.rules import Rules
from boca.live.desk import LogRow
from boca.live.web.setting_up.changes import ChangeWords, changes
from boca.live.web.staff import staff_page, staff_seat
from boca.live.web.texts import Texts
from boca.live.web.views.log_words import actor_words
from boca.live.web.views.receipt_view import number_of
from boca.live.web.visitors import site_of

router = APIRouter(include_in_schema=False)
PER_PAGE = 100


@router.get("/a/{auction}/log")
async def log(request: Request, auction: str) -> Response:
    """Records, the latest first."""
    seat = staff_seat(request, auction)
    rows = site_of(request).desk.records(seat.who, auction)
    names = [bidder.name for bidder in seat.market.bidders]
    wanted = request.query_params
    kind, bidder = wanted.get("kind", ""), wanted.get("bidder", "")
    chosen = [
        row
        for row in reversed(rows)
        if (not kind or row.kind == kind)
        and (not bidder or (row.bidder is not None and str(row.bidder) == bidder))
    ]
    changed = changes_of(seat.t, rows)
    number = wanted.get("page", "1")
    last = max(1, -(-len(chosen) // PER_PAGE))
    page = min(max(int(number), 1), last) if number.isascii() and number.isdecimal() else 1
    shown = [
        {
            "row": row,
            "number": number_of(row.hash),
            "bidder": "" if row.bidder is None else names[row.bidder],
            "who": actor_words(seat.t, row.actor, names),
            "text": "" if row.body is None else body_text(row.body),
            "changes": changed.get(row.seq, ()),
        }
        for row in chosen[(page - 1) * PER_PAGE : page * PER_PAGE]
    ]
    return staff_page(
        request,
        seat,
        "log",
        records=shown,
        num_all=len(rows),
        num_chosen=len(chosen),
        kinds=sorted({row.kind for row in rows}),
        kind=kind,
        bidders=list(enumerate(names)),
        bidder=bidder,
        number=page,
        last=last,
    )


def changes_of(t: Texts, rows: Sequence[LogRow]) -> dict[int, list[ChangeWords]]:
    """Number of a record that changed a draft -> what it changed, in words."""
    told: dict[int, list[ChangeWords]] = {}
    before: tuple[Rules, Market] | None = None
    for row in rows:
        if row.kind != "configured" or row.body is None or "courses" in row.body["market"]:
            continue
        after = Rules.from_dict(row.body["rules"]), Market.from_dict(row.body["market"])
        if before is not None:
            told[row.seq] = changes(t, before, after)
        before = after
    return told


def body_text(body: dict[str, object]) -> str:
    """What a record says, as its file has it; the salt says nothing."""
    told = {key: value for key, value in body.items() if key not in ("salt", "actor")}
    return json.dumps(told, indent=1, ensure_ascii=False, sort_keys=True)
