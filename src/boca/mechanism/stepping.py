"""From one round to the next: what the last one brought, then new questions or the end."""

from collections.abc import Sequence

import numpy as np

from boca.core.allocation import Allocation
from boca.core.economy import Economy
from boca.core.message import msg
from boca.functions.consistency import loosened
from boca.functions.revealed import RevealedBound, lower_bids
from boca.mechanism.callbacks import Callback
from boca.mechanism.record import RoundRecord
from boca.mechanism.round import plan_round
from boca.mechanism.state import AuctionState
from boca.mechanism.step import Step
from boca.mechanism.stopping import StoppingRule, first_reason, stopping_rules
from boca.wdp.bounds.certificate import certify


def next_step(
    state: AuctionState,
    rules: Sequence[StoppingRule] | None = None,
    callbacks: Sequence[Callback] = (),
) -> Step:
    """
    What comes next in an auction whose questions have all been dealt with.

    It learns and solves, which takes seconds, and changes nothing: the same state gives the same
    step on the same machine. :meth:`AuctionState.apply` makes it happen.

    Parameters
    ----------
    state
        An auction without open questions.
    rules
        When to stop before the budget is used up; those of the auction's settings if not given.
    callbacks
        Who listens.
    """
    record = None
    if state.planning is not None:
        record = finished_round(state)
        state = state.recorded(record)
        for callback in callbacks:
            callback.on_round(state, record)

    reason = first_reason(stopping_rules(state.params) if rules is None else rules, state)
    if reason is not None:
        return Step(record, state.phase, (), state.use, stop=reason)
    return _next_questions(state, record, callbacks)


def finished_round(state: AuctionState) -> RoundRecord:
    """What the round under way brought, once all of its questions have been dealt with."""
    assert state.planning is not None
    best = state.winners(Economy.main(state.market.num_bidders))
    bound = welfare_bound(state)
    return RoundRecord(
        round=state.round,
        num_queries=max(state.num_asked),
        num_reports=sum(map(len, state.reports)),
        welfare=best.welfare,
        allocation=Allocation(best.bundles),
        planning=state.planning,
        welfare_bound=bound,
        discrepancy=state.discrepancy,
        sure_welfare=None if bound is None else sure_welfare(state, best.bundles),
    )


def welfare_bound(state: AuctionState) -> float | None:
    """
    What the answers prove about the welfare of any allocation; None without demand answers.

    Values alone prove little, and the bound they give takes longer than it is worth every round.
    Of answers that contradict each other at least one is not true: the bound holds if none is off
    by more than the smallest amount with which they fit together.
    """
    if state.market.sense == "buy" or not any(map(len, state.demands)):
        return None
    room = state.discrepancy
    bounds = [
        RevealedBound.from_answers(loosened(reports, room), demands, state.market, bidder, room)
        for bidder, (reports, demands) in enumerate(zip(state.reports, state.demands, strict=True))
    ]
    bound = certify(bounds, state.market).bound
    return bound if bound < float("inf") else None


def sure_welfare(state: AuctionState, bundles: np.ndarray) -> float | None:
    """
    What bidders' bundles are worth at least if no answer is off by more than the discrepancy; None
    where that is 0.

    Parameters
    ----------
    state
        The answers.
    bundles
        Valued or wanted bundles, one per bidder, ``(num_bidders, num_goods)``.
    """
    room = state.discrepancy
    if not room:
        return None
    total = 0.0
    for bidder, bundle in enumerate(bundles):
        if bundle.any():
            reports, demands = loosened(state.reports[bidder], room), state.demands[bidder]
            proven = lower_bids(reports, demands, state.market, bidder, room)
            total += (reports if bundle in reports else proven).value_of(bundle)
    return total


def _next_questions(
    state: AuctionState, record: RoundRecord | None, callbacks: Sequence[Callback]
) -> Step:
    """The first phase, from the present one on, that has budget and questions left."""
    asked, total = max(state.num_asked), state.params.num_total
    one = msg("bidder")
    stop: str = msg("the budget of {n} queries per {one} is used up", n=total, one=one)
    if asked < total:
        stop = msg(
            "{asked} of {total} queries per {one} are asked, and no further round fits in",
            asked=asked,
            total=total,
            one=one,
        )
    for index in range(state.phase, len(state.params.phases)):
        state = state.with_same_answers(phase=index)
        if not has_budget(state):
            continue
        plan, planning = plan_round(state, callbacks)
        if plan.questions:
            return Step(record, index, plan.questions, plan.use, planning)
        stop = plan.over
    return Step(record, state.phase, (), state.use, stop=stop)


def has_budget(state: AuctionState) -> bool:
    """Whether the present phase may ask another round (Algorithm 2, line 3)."""
    phase, asked = state.present_phase, max(state.num_asked)
    if not phase.counts:
        return True
    end = state.params.phase_ends[state.phase]
    kept = sum(later.num_queries or 0 for later in state.params.phases[state.phase + 1 :])
    whole_round = asked + (phase.planner.per_round or 1) <= state.params.num_total - kept
    return asked < end - 1e-9 * state.params.num_total and whole_round
