"""One round with scripted parts: what is learned, planned, told and timed."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from boca.core import Market, Reports
from boca.core.query import DemandQuery, Query, Reason
from boca.core.randomness import Seeds
from boca.functions import XorTable
from boca.mechanism import AuctionParams, AuctionState, Phase
from boca.mechanism import round as module
from boca.mechanism.callbacks import Callback
from boca.mechanism.round import explain, in_savings, learn, plan_round, worst_fit
from boca.queries.economies import MarginalUse
from boca.queries.planner import Plan, Planner, Prediction
from boca.surrogates.fitted import Fitted

MARKET = Market.simple(1, 2)
QUESTIONS = (
    Query(0, np.array([1]), Reason("main")),
    Query(1, np.array([1]), Reason("main")),
    DemandQuery(0, np.array([1.0])),
)


def worth(value):
    return XorTable([[1]], [value])


FITTED = {
    0: Fitted(worth(3.0), worth(4.0), worth(5.0), {"mean_r2": 0.5, "upper_r2": 0.75}),
}


@dataclass(frozen=True)
class ScriptedPlanner(Planner):
    """Asks the same questions in every round and notes what it was given."""

    prediction: Prediction | None = None

    def plan(self, situation, fitted, seeds):
        NOTED.append((situation, dict(fitted), seeds))
        return Plan(QUESTIONS, MarginalUse.none(2), self.prediction)


@dataclass(frozen=True)
class ScriptedSurrogate:
    """Knows the first bidder only."""

    def fit(self, reports, demands, market, seeds):
        NOTED.append((reports, demands, market, seeds))
        return FITTED


NOTED: list = []


class Listening(Callback):
    """Notes what it hears."""

    def __init__(self):
        self.heard = []

    def on_learning(self, state):
        self.heard.append("learning")

    def on_solving(self, state):
        self.heard.append("solving")


def state_of(surrogate=None, prediction=None, market=MARKET):
    """An auction in its second round, with one phase."""
    phase = Phase("only", ScriptedPlanner(prediction), surrogate, share=1.0)
    state = AuctionState.start(market, AuctionParams(payment_rule="none", seed=5))
    params = SimpleNamespace(phases=(phase,), seed=5)
    return replace(state, params=params, history=(None,))


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A clock that is read at 1, 3 and 7 o'clock."""
    NOTED.clear()
    ticks = iter((1.0, 3.0, 7.0) * 9)
    monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=lambda: next(ticks)))


def test_a_round_that_learns_is_heard_timed_and_explained():
    """Tests a phase with surrogate and prediction."""
    listening, prediction = Listening(), Prediction(9.0)
    state = state_of(ScriptedSurrogate(), prediction)
    plan, planning = plan_round(state, [listening])

    assert listening.heard == ["learning", "solving"]
    assert (planning.phase, planning.prediction) == ("only", prediction)
    assert (planning.learning_seconds, planning.solving_seconds) == (2, 4)
    assert planning.fit_r2 == 0.75
    (_, _, _, fit_seeds), (situation, fitted, seeds) = NOTED
    assert situation is state
    assert fitted == FITTED  # as they are: the market sells
    assert seeds == Seeds(5).child("round", state.round)
    assert fit_seeds == seeds.child("fit")
    first, second, third = plan.questions
    assert (first.reason.mean, first.reason.upper, first.reason.envelope) == (3, 4, 5)
    assert second is QUESTIONS[1]  # nothing is known about this bidder
    assert third is QUESTIONS[2]


def test_a_round_without_surrogate_is_silent():
    """Tests a phase that only plans."""
    listening = Listening()
    plan, planning = plan_round(state_of(), [listening])

    assert listening.heard == []
    assert (planning.learning_seconds, planning.solving_seconds) == (0, 0)
    assert (planning.prediction, planning.fit_r2) == (None, None)
    assert plan.questions == QUESTIONS
    assert learn(state_of(), Seeds(5)) == {}
    (planned,) = NOTED
    assert planned[1] == {}


def test_surrogates_learn_the_middle_of_ranges():
    """Tests that a value between 2 and 6 is learned as 4."""
    state = state_of(ScriptedSurrogate())
    ranges = Reports.empty(1).add([[1]], [2.0], [6.0])
    learn(replace(state, reports=(ranges, state.reports[1])), Seeds(5))
    ((reports, demands, market, _),) = NOTED
    assert [own.values.tolist() for own in reports] == [[4], []]
    assert (demands, market) == (state.demands, MARKET)


def test_costs_are_planned_as_savings():
    """Tests what is saved below an at-most price of 9, and that missing parts stay missing."""
    market = replace(MARKET, sense="buy")
    state = replace(state_of(market=market), params=SimpleNamespace(reserve=(9.0,), seed=5))
    one = np.array([[1]])
    saved = in_savings(FITTED[0], state)
    assert [f(one)[0] for f in (saved.mean, saved.upper, saved.envelope)] == [6, 5, 4]
    assert saved.diagnostics == FITTED[0].diagnostics
    only = in_savings(Fitted(worth(3.0)), state)
    assert (only.mean(one)[0], only.upper, only.envelope) == (6, None, None)
    assert in_savings(FITTED[0], state_of()) is FITTED[0]


def test_a_reason_tells_what_is_known():
    """Tests a surrogate without upper bound and envelope."""
    reason = explain(QUESTIONS[0], {0: Fitted(worth(3.0))}).reason
    assert (reason.mean, reason.upper, reason.envelope) == (3, None, None)
    assert reason.source == "main"
    assert explain(QUESTIONS[2], {0: Fitted(worth(3.0))}) is QUESTIONS[2]


def test_the_worst_fit_is_told():
    """Tests bidders with two numbers, one, another and none."""

    def fit(**diagnostics):
        return Fitted(worth(1.0), diagnostics=diagnostics)

    fits = {0: fit(upper_r2=0.75, mean_r2=0.25), 1: fit(mean_r2=0.875), 2: fit()}
    assert worst_fit(fits) == 0.75
    assert worst_fit({1: fits[1], 2: fits[2]}) == 0.875
    assert worst_fit({2: fits[2]}) is None
    assert worst_fit({}) is None
    assert worst_fit({0: fit(mean_r2=0.0)}) == 0
