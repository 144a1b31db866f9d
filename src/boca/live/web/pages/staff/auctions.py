"""The list of auctions."""

from fastapi import Request
from starlette.responses import Response

from boca.live.web.render import own_texts, page
from boca.live.web.views.staff.order import auction_list
from boca.live.web.visitors import Visitor, site_of

MOST_LETTERS = 100


def auctions_page(request: Request, visitor: Visitor) -> Response:
    """All auctions of the server for the auctioneer, an auditor's own one."""
    t = own_texts(request)
    query = request.query_params
    rows = site_of(request).desk.auctions(visitor.who)
    find = " ".join(query.get("find", "").split())[:MOST_LETTERS]
    chosen = auction_list(rows, find, query.get("show", ""))
    auctions = [
        {
            "id": row.auction,
            "name": row.name,
            "phase_words": t(f"phase_short.{row.phase}"),
            "is_rehearsal": row.is_rehearsal,
            "num_bidders": row.num_bidders,
            "num_joined": row.num_joined,
            "deadline": row.deadline if row.phase == "open" else None,
        }
        for row in chosen.rows
    ]
    return page(
        request,
        "staff/auctions.html",
        t,
        auctions=auctions,
        chosen=chosen,
        damaged=site_of(request).desk.damaged(visitor.who),
        can_create=visitor.who.runs_all,
        visitor=visitor,
    )
