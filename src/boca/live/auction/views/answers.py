"""What a bidder has said, as it counts now: values, and bundles wanted at announced prices."""

from dataclasses import dataclass

from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle
from boca.live.auction.state import DemandState, LiveState, ReportState
from boca.live.auction.warnings import Warning, breaches


@dataclass(frozen=True)
class AnswerRow:
    """
    One own report.

    Parameters
    ----------
    bundle, report
        What is worth how much, and since when.
    can_correct
        Whether the rules permit another value now.
    breaches
        Own reports with which it does not go together.
    """

    bundle: Bundle
    report: ReportState
    can_correct: bool
    breaches: tuple[Warning, ...]


@dataclass(frozen=True)
class DemandAnswerRow:
    """
    One answer to a demand query.

    Parameters
    ----------
    query, demand
        The question, and what is wanted at which prices.
    bid
        What counts for the bundle in the end: its reported value, or what choices prove; None for
        the empty bundle.
    is_reported
        Whether the bid is a reported value.
    can_correct
        Whether the rules permit another answer now.
    """

    query: str
    demand: DemandState
    bid: int | None
    is_reported: bool
    can_correct: bool

    @property
    def cost(self) -> int:
        return cost(self.demand.bundle, self.demand.prices)


def answers(state: LiveState, bidder: int) -> tuple[AnswerRow, ...]:
    """A bidder's reports, first to last."""
    reports = state.books[bidder].reports
    pairs = breaches(state.books[bidder].values, state.books[bidder].mosts)
    rows = [
        AnswerRow(
            bundle,
            report,
            can_correct(state, report),
            tuple(w for w in pairs if bundle in (w.bundle, w.other)),
        )
        for bundle, report in reports.items()
    ]
    return tuple(sorted(rows, key=lambda row: (row.report.at, row.bundle)))


def demand_rows(
    state: LiveState, bidder: int, bids: dict[Bundle, int]
) -> tuple[DemandAnswerRow, ...]:
    """A bidder's answers to demand queries, first to last."""
    book = state.books[bidder]
    rows = [
        DemandAnswerRow(
            query,
            demand,
            bids.get(demand.bundle),
            demand.bundle in book.reports,
            can_correct(state, demand),
        )
        for query, demand in book.demands.items()
    ]
    return tuple(sorted(rows, key=lambda row: (row.demand.at, row.query)))


def can_correct(state: LiveState, said: ReportState | DemandState) -> bool:
    """Whether the rules permit to say something else now."""
    rules, _ = state.setup
    is_choice = isinstance(said, DemandState)
    rule = rules.choice_corrections if is_choice else rules.corrections
    is_round = rule == "round" and said.round == state.round
    return state.phase == "open" and (rule == "always" or is_round)
