"""
What pages and API show, as plain values: pure functions of what a viewer may see.

Every function takes a state that went through :func:`boca.server.live.audience.seen_by`.
"""

from boca.server.live.views.answers import AnswerRow
from boca.server.live.views.bidder import BidderView, bidder_view
from boca.server.live.views.heading import Heading, heading
from boca.server.live.views.outcome import OutcomeRow, ResultView, outcome_rows, result_view
from boca.server.live.views.progress import Progress, ProgressRow, progress
from boca.server.live.views.public import PublicView, public_view
from boca.server.live.views.question import AtPrices, Earlier, Question, earlier
from boca.server.live.views.setup import Setup, counts, in_words, setup
from boca.server.live.views.welfare import RoundRow
from boca.server.live.views.wishes import WishRow

__all__ = [
    "AnswerRow",
    "AtPrices",
    "BidderView",
    "Earlier",
    "Heading",
    "OutcomeRow",
    "Progress",
    "ProgressRow",
    "PublicView",
    "Question",
    "ResultView",
    "RoundRow",
    "Setup",
    "WishRow",
    "bidder_view",
    "counts",
    "earlier",
    "heading",
    "in_words",
    "outcome_rows",
    "progress",
    "public_view",
    "result_view",
    "setup",
]
