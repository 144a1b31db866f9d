"""How far the questions have brought the auction: one row per finished round."""

from dataclasses import dataclass
from typing import Any

from boca.live.auction.state import LiveState, RoundSummary


@dataclass(frozen=True)
class RoundRow:
    """
    One round of questions, once it has ended.

    Parameters
    ----------
    round
        0 for the first.
    num_reports
        Reports of all bidders together by its end.
    welfare
        The largest sum of reported values of bundles that can be given out together, in units.
    bound
        What no sharing-out can exceed if everybody answered truthfully, in units; None where the
        answers prove nothing.
    gap
        How far, relative to the best, the planned sharing-out may have been from the best one that
        the learned values permit; None where nothing was planned or nothing is proven.
    seconds
        How long its questions took to plan.
    """

    round: int
    num_reports: int
    welfare: float
    bound: float | None
    gap: float | None
    seconds: float

    @property
    def lacking(self) -> float | None:
        """The largest share of the best welfare that it can lack; None where it is unproven."""
        if self.bound is None or self.bound <= 0:
            return None
        return max(1 - self.welfare / self.bound, 0.0)


def round_rows(state: LiveState) -> tuple[RoundRow, ...]:
    """
    The finished rounds.

    The engine tells what a round brought when it plans the next one; the last round appears with
    the outcome, whose welfare it is.
    """
    seconds = {summary.round: summary.seconds for summary in state.rounds}
    rows = [_row(summary, seconds) for summary in state.rounds]
    finished = [row for row in rows if row is not None]
    if state.outcome is not None and state.justification:
        welfare = sum(winner.value for winner in state.justification)
        num_reports = sum(len(book.reports) for book in state.books)
        finished = [row for row in finished if row.round != state.round]
        finished.append(
            RoundRow(state.round, num_reports, welfare, None, None, seconds.get(state.round, 0.0))
        )
    return tuple(finished)


def _row(summary: RoundSummary, seconds: dict[int, float]) -> RoundRow | None:
    record: dict[str, Any] | None = summary.step.get("record")
    if record is None:
        return None
    prediction = (record.get("planning") or {}).get("prediction") or {}
    number = int(record["round"])
    return RoundRow(
        number,
        int(record["num_reports"]),
        float(record["welfare"]),
        record.get("welfare_bound"),
        prediction.get("gap"),
        seconds.get(number, 0.0),
    )
