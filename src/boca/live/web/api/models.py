"""What programs send and get: strict, without unknown keys, amounts as decimal strings."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_ROWS = 400
Amount = Annotated[
    str,
    Field(max_length=40, pattern=r"^(0|[1-9][0-9]*)(\.[0-9]+)?$", examples=["12.50"]),
]
QueryId = Annotated[str, Field(max_length=40, pattern=r"^[!-~]+$", examples=["r0-b1-q1"])]
Copies = Annotated[int, Field(ge=0, le=1000)]
GoodName = Annotated[str, Field(min_length=1, max_length=200)]
Bundle = Annotated[dict[GoodName, Copies], Field(max_length=100, examples=[{"hall": 1}])]
Sentence = Annotated[str, Field(min_length=1, max_length=2000, pattern=r"\S")]


class Strict(BaseModel):
    """Base of everything that is sent: ``false`` is not 0, and unknown keys are mistakes."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class AnswerIn(Strict):
    """The value of the bundle that a query asks about."""

    query: QueryId
    value: Amount


class DemandIn(Strict):
    """The bundle that is wanted at the prices of a query; an empty one says: nothing."""

    query: QueryId
    bundle: Bundle


class BundleValueIn(Strict):
    """A bundle and its value."""

    bundle: Bundle
    value: Amount


class SubmissionIn(Strict):
    """What one person confirms together; all of it is taken or nothing."""

    answers: list[AnswerIn] = Field(default=[], max_length=MOST_ROWS)
    declines: list[QueryId] = Field(default=[], max_length=MOST_ROWS)
    pushes: list[BundleValueIn] = Field(default=[], max_length=MOST_ROWS)
    corrections: list[BundleValueIn] = Field(default=[], max_length=MOST_ROWS)
    demands: list[DemandIn] = Field(
        default=[], max_length=MOST_ROWS, description="Answers to queries of the type demand."
    )
    confirmed: list[Annotated[str, Field(max_length=64)]] = Field(
        default=[], max_length=4 * MOST_ROWS, description="Ids of warnings that are meant."
    )
    basis: Annotated[str, Field(max_length=64)] | None = Field(
        default=None,
        description="Hash of the bidder's last submission; 409 if there is a later one.",
    )


class MarketIn(Strict):
    """A new auction: the text of a market file with a table [auction]."""

    text: Annotated[str, Field(min_length=1, max_length=200_000)]
    is_rehearsal: bool = False


class InvitationIn(Strict):
    """Somebody who will act for a bidder, or an auditor if no bidder is named."""

    person: Annotated[str, Field(min_length=1, max_length=80)]
    bidder: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    kind: Literal["link", "token"] = Field(
        default="link", description="A link for a browser, or a token for a program."
    )


class RemarkIn(Strict):
    """Why, if there is something to say; it goes into the log."""

    reason: Sentence | None = None


class StartIn(RemarkIn):
    """Whether to start although some bidders have not joined."""

    accept_missing: bool = False


class ReasonIn(Strict):
    """Why; it goes into the log."""

    reason: Sentence


class ExtendIn(Strict):
    """More time for the open round."""

    minutes: Annotated[float, Field(gt=0, le=86_400)] | Annotated[int, Field(gt=0, le=86_400)]
    reason: Sentence


class AnnouncementIn(Strict):
    """A text to everybody."""

    text: Sentence


class Out(BaseModel):
    """Base of everything that is answered."""

    model_config = ConfigDict(frozen=True)


class AuctionOut(Out):
    """Where an auction stands. Times are UTC; rounds are counted from 0."""

    id: str
    name: str
    phase: str
    round: int | None
    deadline: str | None
    seconds_left: float | None
    is_last_call: bool
    is_rehearsal: bool
    server_time: str
    rules_hash: str
    head: str


class RulesOut(Out):
    """Rules and market, as the log has them."""

    hash: str
    rules: dict[str, Any]
    market: dict[str, Any]
    public_key: str


class EarlierOut(Out):
    """An earlier answer near a question."""

    relation: str = Field(description="part, whole, or near: differs by one copy")
    bundle: dict[str, int]
    value: str


class AtPricesOut(Out):
    """A bundle that the bidder has spoken of, at the prices of a query."""

    bundle: dict[str, int]
    value: str = Field(description="reported, or the least that it is worth by earlier choices")
    is_proven: bool = Field(description="whether the value follows from choices only")
    cost: str
    left: str = Field(description="value less cost; may be negative")


class QueryOut(Out):
    """A question to the bidder: what is the bundle worth, or what is wanted at the prices."""

    id: str
    round: int
    type: str = Field(description="value or demand")
    bundle: dict[str, int] = Field(description="for a demand query: what is wanted, once answered")
    prices: dict[str, str] | None = Field(description="of one copy of each good; demand only")
    eligibility: int | None = Field(
        description="most points of what is chosen; demand queries of auctions with points"
    )
    cost: str | None = Field(description="of the wanted bundle, once answered; demand only")
    reason: str
    status: str = Field(description="open, answered, declined or unanswered")
    value: str | None
    earlier: list[EarlierOut]
    at_prices: list[AtPricesOut] = Field(
        description="what would leave most at these prices by earlier answers; open demand queries"
    )


class QueriesOut(Out):
    """All questions so far, and the basis for the next submission."""

    queries: list[QueryOut]
    basis: str
    pushes_left: int


class WarningOut(Out):
    """Something that looks like a slip; ``needs_confirmation`` says whether its id must be sent."""

    id: str
    kind: str
    text: str
    bundle: dict[str, int]
    needs_confirmation: bool


class MistakeOut(Out):
    """One thing that is wrong."""

    where: str
    found: str
    expected: str


class CheckOut(Out):
    """What a submission would bring; nothing was changed."""

    warnings: list[WarningOut]
    errors: list[MistakeOut]


class ReceiptOut(Out):
    """A signed receipt."""

    v: int
    auction: str
    rehearsal: bool = Field(description="True where nothing is binding.")
    bidder: int
    person: str
    received: str
    at: str
    hash: str
    seal: str
    body: dict[str, Any]
    signature: str


class Acceptance(Strict):
    """The rules that a bidder accepts, by their hash."""

    rules: str = Field(max_length=64)


class ReceiptsOut(Out):
    """All receipts of the bidder, first to last."""

    receipts: list[ReceiptOut]


class ResultOut(Out):
    """What the bidder receives and pays, and why."""

    bundle: dict[str, int]
    value: str
    payment: str
    why: str


class BidderProgressOut(Out):
    """One bidder for the auctioneer."""

    bidder: str
    persons: list[str]
    joined: list[str]
    open: int
    answered: int
    declined: int
    pushes: int
    last_submission: str | None


class ProgressOut(Out):
    """How far everybody is."""

    phase: str
    round: int | None
    stop_reason: str
    failures: list[str]
    bidders: list[BidderProgressOut]


class CreatedOut(Out):
    """The new auction."""

    id: str


class InvitedOut(Out):
    """The secret of an invitation; it is shown this once."""

    link: str | None
    token: str | None


class DoneOut(Out):
    """A command was carried out and is in the log."""

    phase: str


class ProblemOut(Out):
    """What went wrong, as application/problem+json."""

    title: str
    detail: str
    status: int
    phase: str | None = None
    errors: list[MistakeOut] | None = None
    warnings: list[WarningOut] | None = None
