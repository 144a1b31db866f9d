"""
What pages and API show, as plain values: pure functions of what a viewer may see.

Every function takes a state that went through :func:`boca.live.auction.audience.seen_by`.
"""

from boca.live.auction.views.answers import AnswerRow, DemandAnswerRow
from boca.live.auction.views.bidder import BidderView, bidder_view
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.outcome import OutcomeRow, ResultView, outcome_rows, result_view
from boca.live.auction.views.progress import AuctionProgress, ProgressRow, progress
from boca.live.auction.views.public import PublicView, public_view
from boca.live.auction.views.question import (
    AtPrices,
    Earlier,
    QuestionView,
    can_be_given,
    earlier,
)
from boca.live.auction.views.setup import Setup, counts, setup, written_in
from boca.live.auction.views.welfare import ContradictingAnswers, RoundRow

__all__ = [
    "AnswerRow",
    "AtPrices",
    "AuctionProgress",
    "BidderView",
    "ContradictingAnswers",
    "DemandAnswerRow",
    "Earlier",
    "Heading",
    "OutcomeRow",
    "ProgressRow",
    "PublicView",
    "QuestionView",
    "ResultView",
    "RoundRow",
    "Setup",
    "bidder_view",
    "can_be_given",
    "counts",
    "earlier",
    "heading",
    "outcome_rows",
    "progress",
    "public_view",
    "result_view",
    "setup",
    "written_in",
]
