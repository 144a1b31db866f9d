"""Everything that the pages of one bidder show."""

from dataclasses import dataclass, field
from datetime import datetime

from boca.live.auction.kind import kind_of
from boca.live.auction.state import LiveState, Proposal, Taken
from boca.live.auction.views.answers import AnswerRow, DemandAnswerRow, answers, demand_rows
from boca.live.auction.views.exposure import Exposure, exposure
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.question import QuestionView, can_be_given, question
from boca.live.auction.views.setup import Setup, setup


@dataclass(frozen=True)
class BidderView:
    """
    Everything that a bidder's pages show.

    Parameters
    ----------
    heading, setup
        The auction.
    bidder, bidder_name
        Who I am.
    questions
        All that were asked, latest round first.
    num_open
        How many are open.
    answers, demands
        All own reports, and what was wanted at announced prices.
    pushes_left
        Reports that I may still make unasked.
    extensions_left
        Automatic extensions that are left.
    can_submit
        Whether a round is open.
    basis
        To send along with a submission, so that nothing in between goes unnoticed.
    submissions
        What was taken, latest first.
    must_accept
        Whether I have to accept the rules before I send something.
    proposal
        What one of us has sent and another one has to confirm; None for nothing.
    exposure
        What my bids can cost me; empty but in a sale.
    """

    heading: Heading
    setup: Setup
    bidder: int
    bidder_name: str
    questions: tuple[QuestionView, ...]
    num_open: int
    answers: tuple[AnswerRow, ...]
    pushes_left: int
    extensions_left: int
    can_submit: bool
    basis: str
    submissions: tuple[Taken, ...]
    demands: tuple[DemandAnswerRow, ...] = ()
    must_accept: bool = False
    proposal: Proposal | None = None
    exposure: Exposure = field(default_factory=lambda: Exposure(()))


def bidder_view(state: LiveState, bidder: int, now: datetime) -> BidderView:
    """The pages of one bidder."""
    rules, market = state.setup
    book = state.books[bidder]
    bids = state.bids(bidder)
    known = can_be_given(bids, market, bidder)
    questions = tuple(
        question(state, bidder, q, known)
        for q in sorted(book.queries.values(), key=lambda q: -q.round)
    )
    return BidderView(
        heading(state, now),
        setup(state),
        bidder,
        market.bidders[bidder].name,
        questions,
        len(book.open),
        answers(state, bidder),
        max(rules.push_bids - book.num_pushes, 0),
        max(rules.extensions - book.num_extensions, 0),
        state.phase == "open",
        book.basis,
        tuple(reversed(book.submissions)),
        demand_rows(state, bidder, bids),
        state.must_accept(bidder),
        state.proposals.get(f"submission/{bidder}"),
        exposure(state, bidder, known) if kind_of(market) == "sell" else Exposure(()),
    )
