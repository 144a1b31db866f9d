"""What comes next in an auction, as a value that can be kept, sent and applied."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boca.core.query import Question, question_from_dict
from boca.mechanism.record import Planning, RoundRecord
from boca.queries.economies import MarginalUse


@dataclass(frozen=True)
class Step:
    """
    From one round to the next: what the last one brought, then new questions or the end.

    Finding a step is slow and changes nothing (:func:`boca.mechanism.next_step`); applying it is
    quick (:meth:`boca.mechanism.AuctionState.apply`).

    Parameters
    ----------
    record
        The round that is over; None before the first one.
    phase
        Index of the phase that the auction is in.
    questions
        What bidders are asked; empty at the end.
    use
        How often marginal economies have been used, the new round included.
    planning
        What the planning of the new round knew; None at the end.
    stop
        Why nothing more is asked; empty while the auction goes on.
    """

    record: RoundRecord | None
    phase: int
    questions: tuple[Question, ...]
    use: MarginalUse
    planning: Planning | None = None
    stop: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The step as plain values, for JSON."""
        return {
            "record": self.record.to_dict() if self.record else None,
            "phase": self.phase,
            "questions": [question.to_dict() for question in self.questions],
            "use": self.use.to_dict(),
            "planning": self.planning.to_dict() if self.planning else None,
            "stop": self.stop,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Step":
        """The inverse of :meth:`to_dict`."""
        return cls(
            RoundRecord.from_dict(data["record"]) if data["record"] else None,
            data["phase"],
            tuple(question_from_dict(question) for question in data["questions"]),
            MarginalUse.from_dict(data["use"]),
            Planning.from_dict(data["planning"]) if data["planning"] else None,
            data["stop"],
        )
