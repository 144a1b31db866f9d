"""How far the questions have brought the auction: one row per finished round."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from boca.live.auction.events import Bundle
from boca.live.auction.kind import kind_of
from boca.live.auction.state import LiveState, RoundSummary
from boca.live.auction.views.outcome import outcome_total

# Welfare and bound are sums of the same amounts, added up in another order.
ROUNDING = 1e-9


@dataclass(frozen=True)
class RoundRow:
    """
    One round of questions, once it has ended.

    Parameters
    ----------
    round
        0 for the first.
    num_reports
        Reports of all bidders together by its end; None where nobody counted them.
    welfare
        The largest sum of reported values of bundles that can be given out together, in units; None
        where the auctioneer ended the questions, so that nobody computed it.
    bound
        What no allocation can exceed if everybody answered truthfully, or was off by no more than
        the smallest amount with which answers fit together, in units; None where the answers prove
        nothing.
    gap
        How far, relative to the best, the planned allocation may have been from the best one that
        the learned values permit; None where nothing was planned or nothing is proven.
    seconds
        How long its questions took to plan.
    sure
        What the winners' bundles are worth at least if answers are off by so much; None where they
        fit together as they are.
    """

    round: int
    num_reports: int | None
    welfare: float | None
    bound: float | None
    gap: float | None
    seconds: float
    sure: float | None = None

    @property
    def lacking(self) -> float | None:
        """The largest share of the best welfare that it can lack; None where it is unproven."""
        if self.bound is None or self.bound <= 0 or self.welfare is None:
            return None
        share = 1 - (self.welfare if self.sure is None else self.sure) / self.bound
        # Reports above what the answers prove contradict them, and then nothing is proven.
        return max(share, 0.0) if share >= -ROUNDING else None


def round_rows(state: LiveState) -> tuple[RoundRow, ...]:
    """
    The finished rounds.

    The engine tells what a round brought when it plans the next one, or finds that there is none;
    the last round appears with the outcome, whose welfare it is.
    """
    seconds = {summary.round: summary.seconds for summary in state.rounds}
    rules, market = state.setup
    is_sale = kind_of(market) == "sell"
    # The engine takes values at a cap, and choices within points, for all that there is to say.
    proves = is_sale and not rules.spending_caps and not rules.points
    rows = [_row(summary, seconds, is_sale, proves) for summary in state.rounds]
    finished = [row for row in rows if row is not None]
    if state.is_last_call and state.round - 1 not in {row.round for row in finished}:
        # The questions ended without another look by the engine.
        seconds_before = seconds.get(state.round - 1, 0.0)
        finished.append(RoundRow(state.round - 1, None, None, None, None, seconds_before))
    welfare = outcome_total(state)
    if welfare is not None:
        num_reports = sum(len(book.reports) for book in state.books)
        last = RoundRow(
            state.round, num_reports, welfare, None, None, seconds.get(state.round, 0.0)
        )
        for row in finished:
            # What was proven about the last round holds for the outcome: the reports are the same.
            if row.round == state.round and row.num_reports == num_reports:
                last = replace(row, welfare=welfare)
        finished = [row for row in finished if row.round != state.round]
        finished.append(last)
    return tuple(finished)


@dataclass(frozen=True)
class ContradictingAnswers:
    """
    Answers of a bidder that cannot all be true.

    Parameters
    ----------
    bidder
        Whose they are.
    reports
        Bundles with their reported values, in units.
    choices
        Prices, in units, with the bundles that were wanted at them.
    discrepancy
        By how much each of the bidder's answers may be off so that all fit together, in units; None
        in logs from before anybody counted.
    """

    bidder: int
    reports: tuple[tuple[Bundle, int], ...]
    choices: tuple[tuple[tuple[int, ...], Bundle], ...]
    discrepancy: int | None = None


def contradicting(state: LiveState) -> tuple[ContradictingAnswers, ...]:
    """
    What the engine found to contradict itself when it last looked at the answers.

    Left out where a spending cap or the activity rule may have kept a bidder from saying more.
    """
    rules, market = state.setup
    found = state.rounds[-1].step.get("contradictions", ()) if state.rounds else ()
    if rules.points:
        return ()
    return tuple(
        ContradictingAnswers(
            int(row["bidder"]),
            tuple((tuple(bundle), round(units)) for bundle, units in row["reports"]),
            tuple((tuple(map(round, prices)), tuple(bundle)) for prices, bundle in row["demands"]),
            ceil(row["discrepancy"]) if "discrepancy" in row else None,
        )
        for row in found
        if rules.cap_of(market, int(row["bidder"])) is None
    )


def _row(
    summary: RoundSummary, seconds: dict[int, float], is_sale: bool, proves: bool
) -> RoundRow | None:
    record: dict[str, Any] | None = summary.step.get("record")
    if record is None:
        return None
    prediction = (record.get("planning") or {}).get("prediction") or {}
    number = int(record["round"])
    welfare: float | None = float(record["welfare"])
    if not is_sale:
        # Cost of the cheapest award, or gain of the best trades; there may be none yet.
        welfare = summary.step.get("brought")
    return RoundRow(
        number,
        int(record["num_reports"]),
        welfare,
        record.get("welfare_bound") if proves else None,
        prediction.get("gap"),
        seconds.get(number, 0.0),
        record.get("sure_welfare") if proves else None,
    )
