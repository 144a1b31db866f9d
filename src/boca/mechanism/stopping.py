"""When to stop asking: one protocol, small classes. Each rule gives a reason or None."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from boca.core.message import msg
from boca.functions import Envelope
from boca.mechanism.params import AuctionParams
from boca.mechanism.state import AuctionState
from boca.wdp import WelfareProblem, maximise_welfare


class StoppingRule(Protocol):
    """Looks at an auction between two rounds."""

    def __call__(self, state: AuctionState) -> str | None:
        """Returns why the auction should stop, or None to go on."""
        ...


@dataclass(frozen=True)
class NoImprovement:
    """
    Stops when welfare on the reports has not grown for some rounds.

    Parameters
    ----------
    patience
        Rounds without growth that are tolerated.
    min_gain
        Growth, relative to the best welfare so far, that counts.
    """

    patience: int
    min_gain: float

    def __call__(self, state: AuctionState) -> str | None:
        welfare = [record.welfare for record in state.history]
        if len(welfare) <= self.patience:
            return None
        before = max(welfare[: -self.patience])
        gain = max(welfare[-self.patience :]) - before
        if gain > self.min_gain * abs(before):
            return None
        return msg(
            "no gain above {gain} in {n} rounds", gain=f"{self.min_gain:.0e}", n=self.patience
        )


@dataclass(frozen=True)
class TimeUsed:
    """
    Stops when no time is left for another round.

    Parameters
    ----------
    max_seconds
        Time the auction may take.
    elapsed
        Seconds since it started.
    """

    max_seconds: float
    elapsed: Callable[[], float]

    def __call__(self, state: AuctionState) -> str | None:
        if self.elapsed() < self.max_seconds:
            return None
        return msg("the time of {seconds} s is used up", seconds=f"{self.max_seconds:g}")


@dataclass(frozen=True)
class ProvenEfficient:
    """
    Stops when no monotone values that agree with the reports allow more welfare.

    The bound is the best welfare of the bidders' envelopes (Theorem 1), so it holds whatever was
    learned, provided that the reports are true and values monotone. Answers that contradict each
    other prove nothing.

    Parameters
    ----------
    solve_seconds
        Time limit for the bound. Where it is not found in time, the auction goes on.
    """

    solve_seconds: float = 10.0

    def __call__(self, state: AuctionState) -> str | None:
        market = state.market
        if not state.history or state.contradictions:
            return None
        envelopes = []
        for bidder, reports in enumerate(state.reports):
            full = market.largest_bundle(bidder)
            if full is None or full not in reports:
                return None
            # Beyond what a bidder can hold, its values do not matter.
            envelopes.append(
                Envelope.from_reports(reports, market.capacities, top=reports.value_of(full))
            )
        problem = WelfareProblem(market, envelopes)
        result = maximise_welfare(problem, proof="optimal", time_limit=self.solve_seconds)
        welfare = state.history[-1].welfare
        if result.bound > welfare * (1 + 1e-9):
            return None
        return msg(
            "proven efficient: no values that fit the reports allow more than {welfare}",
            welfare=f"{welfare:,.6g}",
        )


@dataclass(frozen=True)
class ProvenGap:
    """
    Stops when the answers prove that little is missing; see :mod:`boca.wdp.bounds.certificate`.
    Answers that contradict each other prove nothing, however little they are off.

    Parameters
    ----------
    gap
        Share of the optimal welfare that may be missing.
    """

    gap: float

    def __call__(self, state: AuctionState) -> str | None:
        last = state.history[-1] if state.history else None
        missing = None if last is None or last.discrepancy else last.missing
        if missing is None or missing > self.gap:
            return None
        return msg(
            "proven: at most {share} % of the optimal welfare is missing",
            share=f"{100 * missing:.2f}",
        )


def first_reason(rules: Sequence[StoppingRule], state: AuctionState) -> str | None:
    """The reason of the first rule that wants to stop."""
    return next((reason for rule in rules if (reason := rule(state))), None)


def stopping_rules(
    params: AuctionParams, elapsed: Callable[[], float] | None = None
) -> list[StoppingRule]:
    """
    The rules that an auction's settings ask for.

    Parameters
    ----------
    params
        The auction's settings.
    elapsed
        Seconds since the auction started; without it a time limit is left to the caller.
    """
    stopping = params.stopping
    rules: list[StoppingRule] = []
    if stopping.max_seconds is not None and elapsed is not None:
        rules.append(TimeUsed(stopping.max_seconds, elapsed))
    if stopping.patience is not None:
        rules.append(NoImprovement(stopping.patience, stopping.min_gain))
    if stopping.when_proven:
        rules.append(ProvenEfficient())
    if stopping.proven_gap is not None:
        rules.append(ProvenGap(stopping.proven_gap))
    return rules
