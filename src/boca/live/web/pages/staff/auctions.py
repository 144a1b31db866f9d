"""The list of auctions."""

from fastapi import Request
from starlette.responses import Response

from boca.live.web.render import page
from boca.live.web.texts import load
from boca.live.web.visitors import Visitor, site_of


def auctions_page(request: Request, visitor: Visitor) -> Response:
    """All auctions of the server for the auctioneer, an auditor's own one."""
    t = load("en")
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
        for row in site_of(request).desk.auctions(visitor.who)
    ]
    return page(
        request,
        "staff/auctions.html",
        t,
        auctions=auctions,
        damaged=site_of(request).desk.damaged(visitor.who),
        can_create=visitor.who.role == "auctioneer",
        visitor=visitor,
    )
