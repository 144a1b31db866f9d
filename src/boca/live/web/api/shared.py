"""What all calls need: who calls, for which auction, and the answers that can go wrong."""

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Path, Request
from fastapi.openapi.utils import get_openapi
from fastapi.security import HTTPBearer

from boca.live.web.api.models import ProblemOut
from boca.live.web.seats import BidderSeat, seat_of
from boca.live.web.visitors import NotHere, NotSignedIn, Visitor, visitor_of_call

PROBLEM = "application/problem+json"
# Status -> how OpenAPI describes the answer.
Answers = dict[int | str, dict[str, Any]]
AuctionId = Annotated[str, Path(pattern="^[A-Za-z0-9]{1,40}$", description="Of the auction.")]
IdempotencyKey = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        pattern="^[A-Za-z0-9_-]{8,64}$",
        description="Chosen by the caller; the same key with the same body is taken once.",
    ),
]
# Only documents the header; whether it is right is looked at below.
BEARER = Depends(HTTPBearer(auto_error=False, description="A token of the page Devices."))


def problems(*statuses: int) -> Answers:
    """Answers that a call can give besides its own."""
    return {
        status: {"description": TITLES[status], "model": ProblemOut}
        for status in sorted({*statuses, 401, 404, 413, 422, 429})
    }


TITLES = {
    401: "No valid token.",
    403: "Not for this role.",
    404: "No such thing, or none that the caller may see.",
    409: "Not now: wrong phase, too late, or somebody was quicker.",
    413: "Too large.",
    422: "Mistakes in what was sent.",
    429: "Too many requests.",
    503: "The server cannot store anything at the moment.",
}


async def caller(request: Request) -> Visitor:
    """Whoever calls with a valid token."""
    visitor = visitor_of_call(request)
    if visitor is None:
        raise NotSignedIn
    return visitor


async def call_seat(request: Request, auction: AuctionId) -> BidderSeat:
    """The bidder that calls; everybody else learns nothing, and students have pages."""
    seat = seat_of(request, auction, await caller(request))
    if seat.view.setup.kind == "courses":
        raise NotHere
    return seat


async def staff(request: Request) -> Visitor:
    """The auctioneer; to others these calls do not exist."""
    visitor = await caller(request)
    if visitor.who.role != "auctioneer":
        raise NotHere
    return visitor


CallSeat = Annotated[BidderSeat, Depends(call_seat)]
Caller = Annotated[Visitor, Depends(caller)]
Staff = Annotated[Visitor, Depends(staff)]


def describe(app: FastAPI) -> dict[str, Any]:
    """OpenAPI's description, with mistakes in the media type in which they are answered."""
    if app.openapi_schema is None:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
        for path in schema["paths"].values():
            for operation in path.values():
                for status, answer in operation["responses"].items():
                    if int(status) >= 400:
                        content = answer["content"]
                        answer["content"] = {PROBLEM: content["application/json"]}
        app.openapi_schema = schema
    return app.openapi_schema
