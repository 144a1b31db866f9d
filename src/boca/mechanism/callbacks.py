"""What may listen to an auction. Console tables, trackers and live views are callbacks."""

from boca.core.outcome import Outcome
from boca.core.query import Question
from boca.mechanism.record import RoundRecord
from boca.mechanism.state import AuctionState


class Callback:
    """Does nothing at every moment that a subclass may want to hear of."""

    def on_learning(self, state: AuctionState) -> None:
        """Surrogates are about to be trained."""

    def on_solving(self, state: AuctionState) -> None:
        """The round's winner-determination problems are about to be solved."""

    def on_asked(self, state: AuctionState, questions: tuple[Question, ...]) -> None:
        """New questions were put to the bidders."""

    def on_round(self, state: AuctionState, record: RoundRecord) -> None:
        """All questions of a round are answered or declined."""

    def on_stopped(self, state: AuctionState, reason: str) -> None:
        """No further questions will be asked."""

    def on_closed(self, state: AuctionState, outcome: Outcome) -> None:
        """The outcome was computed."""
