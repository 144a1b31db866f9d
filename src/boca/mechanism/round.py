"""
One round on one page: learn, plan, explain (BOCA, Appendix A, Algorithm 2, lines 4 to 8).

What "plan" means is the phase's planner: :class:`boca.queries.Acquisition` is the paper's.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from boca.core.query import Query, Question
from boca.core.randomness import Seeds
from boca.functions.supply import savings
from boca.functions.value_function import ValueFunction
from boca.mechanism.callbacks import Callback
from boca.mechanism.record import Planning
from boca.mechanism.state import AuctionState
from boca.queries.planner import Plan
from boca.surrogates.fitted import Fitted


def plan_round(state: AuctionState, callbacks: Sequence[Callback] = ()) -> tuple[Plan, Planning]:
    """
    The questions of the next round, and what planning them knew.

    Parameters
    ----------
    state
        An auction between two rounds, in the phase whose turn it is.
    callbacks
        Who listens.
    """
    phase = state.present_phase
    seeds = Seeds(state.params.seed).child("round", state.round)

    started = time.perf_counter()
    for callback in callbacks if phase.surrogate else ():
        callback.on_learning(state)
    fitted = learn(state, seeds)  # Algorithm 1, line 1
    learned = time.perf_counter()

    for callback in callbacks if phase.surrogate else ():
        callback.on_solving(state)
    maximised = {i: in_savings(one, state) for i, one in fitted.items()}
    plan = phase.planner.plan(state, maximised, seeds)  # Algorithm 2, lines 4 to 8
    planned = time.perf_counter()

    questions = tuple(explain(question, fitted) for question in plan.questions)
    planning = Planning(
        phase=phase.name,
        prediction=plan.prediction,
        learning_seconds=learned - started if phase.surrogate else 0.0,
        solving_seconds=planned - learned if plan.prediction else 0.0,
        fit_r2=worst_fit(fitted),
    )
    return replace(plan, questions=questions), planning


def learn(state: AuctionState, seeds: Seeds) -> dict[int, Fitted]:
    """What the phase's surrogate learns about the bidders that have answered anything."""
    surrogate = state.present_phase.surrogate
    if surrogate is None:
        return {}
    reports = tuple(reports.middles for reports in state.reports)
    return surrogate.fit(reports, state.demands, state.market, seeds.child("fit"))


def in_savings(fitted: Fitted, state: AuctionState) -> Fitted:
    """
    What is maximised: values as they were learned; of costs, what a buyer saves.

    What is saved is counted from the at-most prices, so that the best supply is the one that
    saves most, and "upper" is optimistic in either case.
    """
    if state.market.sense == "sell":
        return fitted

    def saved(cost: ValueFunction | None) -> ValueFunction | None:
        return None if cost is None else savings(cost, state.at_most)

    return replace(
        fitted,
        mean=savings(fitted.mean, state.at_most),
        upper=saved(fitted.upper),
        envelope=saved(fitted.envelope),
    )


def explain(question: Question, fitted: Mapping[int, Fitted]) -> Question:
    """The question with what each part of the surrogate says about its bundle."""
    if not isinstance(question, Query) or question.bidder not in fitted:
        return question
    bundle = question.bundle[None, :]

    def at(function: ValueFunction | None) -> float | None:
        return None if function is None else float(function(bundle)[0])

    parts = fitted[question.bidder]
    reason = replace(
        question.reason,
        mean=at(parts.mean),
        upper=at(parts.upper),
        envelope=at(parts.envelope),
    )
    return replace(question, reason=reason)


def worst_fit(fitted: Mapping[int, Fitted]) -> float | None:
    """Smallest R^2 on the training reports among the bidders, where surrogates tell it."""
    parts = [f.diagnostics.get("upper_r2", f.diagnostics.get("mean_r2")) for f in fitted.values()]
    numbers = [float(r2) for r2 in parts if r2 is not None]
    return float(np.min(numbers)) if numbers else None
