"""
The program of a child process: with its part about awards and trades, ``deciding.py``, the only
file of the server that knows the engine.

``python -m boca.live.work.child mechanisms|check|plan|decide|scenarios|verify`` reads one line of
JSON from standard input and prints JSON. It owns nothing: killed at any moment, it can be run
again.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np

from boca.core.demand import Demands
from boca.core.errors import BocaError, InputError
from boca.core.market import Market
from boca.core.message import Message, msg
from boca.core.plugins import load_plugins
from boca.core.query import DemandQuery, Question
from boca.core.report import Reports
from boca.live.work.announced import in_units
from boca.live.work.deciding import (
    brought,
    compare,
    decide_award,
    decide_trades,
    prices_of,
    rules_in_units,
)
from boca.live.work.program import run, tell, versions_of
from boca.mechanism import (
    PRESETS,
    Auction,
    AuctionParams,
    AuctionState,
    Callback,
    Step,
    auction_params,
    next_step,
)
from boca.payments import PricedOutcome, Progress
from boca.payments.economies import second_solver


def main() -> int:
    """Reads a request, prints a result."""
    return run(JOBS, load_plugins)


def mechanisms(request: dict[str, Any]) -> dict[str, Any]:
    """What people meet in an auction by each mechanism that can be run with them."""
    market = Market.simple(2, 2)
    conducts = {name: preset.conduct(market) for name, preset in PRESETS.items()}
    for_people = {name: row.to_dict() for name, row in conducts.items() if row.is_for_people}
    return {"mechanisms": for_people}


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Whether the engine can use these rules."""
    market = Market.from_dict(request["market"])
    _start(market, request)
    return {
        "name": market.name,
        "num_goods": market.num_goods,
        "num_bidders": market.num_bidders,
        "second_solver": _second_solver(),
    }


def plan(request: dict[str, Any]) -> dict[str, Any]:
    """The next questions, or why there are none."""
    state = _state(request)
    step = next_step(state, callbacks=(Stages(),))
    questions = [_question(question, request) for question in step.questions]
    market = Market.from_dict(request["market"])
    more: dict[str, Any] = {}
    if market.sense == "buy" or market.is_exchange:
        reports = _reports(request["bids"], market)
        more["brought"] = brought(market, request, reports)
    # Bidders may read their questions' reasons, so whose absence a question is about is told apart.
    economies = [question["reason"].pop("economy", "") for question in questions]
    known = {key: value for key, value in step.to_dict().items() if key != "questions"}
    return {
        "queries": questions,
        "stop": _stop(step.stop, market),
        "step": {
            **known,
            "economies": economies,
            "contradictions": _contradictions(state),
            **more,
        },
        "versions": _versions(),
    }


def _stop(stop: str, market: Market) -> str | dict[str, Any] | None:
    """Why there are no further questions, in a form that can be said in other languages."""
    if isinstance(stop, Message):
        return stop.having(one=_one(market)).to_dict()
    return stop or None


def _one(market: Market) -> Message:
    """What one of those who answer is called in this market."""
    if market.sense == "buy":
        return msg("supplier")
    return msg("participant") if market.is_exchange else msg("bidder")


def decide(request: dict[str, Any]) -> dict[str, Any]:
    """The allocation and payments that the bids justify."""
    market = Market.from_dict(request["market"])
    verify = bool(request["must_verify"]) or _second_solver() is not None
    reports = _reports(request["bids"], market)
    if market.sense == "buy":
        return {**decide_award(market, request, reports, verify), "versions": _versions()}
    if market.is_exchange:
        return {**decide_trades(market, request, reports, verify), "versions": _versions()}
    params = _params(request, market)
    bids = AuctionState.of(market, params, reports)
    outcome = Auction(bids).close(verify=verify, progress=EconomyStages())
    assert isinstance(outcome, PricedOutcome)
    return {
        "allocation": outcome.allocation.bundles.tolist(),
        "payments": outcome.payments.tolist(),
        "without": {
            str(term.bidder): term.allocation_without.bundles.tolist()
            for term in outcome.explanations
        },
        "rule": params.payment_rule,
        "verified_by": outcome.verified_by,
        "versions": _versions(),
    }


def _contradictions(state: AuctionState) -> list[dict[str, Any]]:
    """Answers that cannot all be true, for the auctioneer."""
    return [
        {
            "bidder": one.bidder,
            "reports": [[bundle.tolist(), float(value)] for bundle, value in one.reports],
            "demands": [[prices.tolist(), bundle.tolist()] for prices, bundle in one.demands],
            "discrepancy": one.discrepancy,
        }
        for one in state.contradictions
    ]


class Stages(Callback):
    """Tells when learning and solving begin."""

    def on_learning(self, state: AuctionState) -> None:
        tell("learning")

    def on_solving(self, state: AuctionState) -> None:
        tell("solving")


class EconomyStages:
    """Tells when the next economy is worked on, without saying whose it is."""

    def __init__(self) -> None:
        self.last = ""

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self.last:
            self.last = progress.stage
            tell("economy")


def check_log(request: dict[str, Any]) -> dict[str, Any]:
    """What the stand-alone verifier says about a log."""
    # Only here, since no other job needs it.
    from boca_verify import verify

    return verify(request["lines"], key=request["key"]).to_dict()


def scenarios(request: dict[str, Any]) -> dict[str, Any]:
    """Awards side by side."""
    return compare(request, _reports(request["bids"], Market.from_dict(request["market"])))


JOBS = {
    "scenarios": scenarios,
    "mechanisms": mechanisms,
    "check": check,
    "plan": plan,
    "decide": decide,
    "verify": check_log,
}


def _params(request: dict[str, Any], market: Market) -> AuctionParams:
    rules = request["rules"]
    rule = rules["payment_rule"]
    reserve = () if market.is_exchange else tuple(map(float, request["reserve"]))
    if market.sense == "buy":
        # What a unit costs outside, infinite where it must be covered by offers.
        reserve = tuple(prices_of(request["at_most"]).tolist())
    params = auction_params(
        rules["mechanism"],
        market,
        num_initial=rules["num_initial"],
        num_per_round=rules["num_per_round"],
        num_total=rules["num_total"],
        # Awards and trades are decided elsewhere, by rules of their own.
        payment_rule=rule if rule in ("vcg", "core") else "vcg",
        solve_seconds=rules["solve_seconds"],
        seed=request["seed"],
        reserve=reserve,
        ranges=rules.get("ranges", False),
    )
    return _with_start(params, tuple(map(float, request["start_prices"])))


def _start(market: Market, request: dict[str, Any]) -> AuctionState:
    """The auction before its first question; an InputError in its own words if it cannot be."""
    market = rules_in_units(market, request["rules"]["unit"])
    try:
        return AuctionState.start(market, _params(request, market))
    except InputError as error:
        if isinstance(error.message, Message):
            error = InputError(error.message.having(one=_one(market)), error.place)
        raise error from None


def _with_start(params: AuctionParams, prices: tuple[float, ...]) -> AuctionParams:
    """The settings with prices that clocks start from; as they are if none were set."""
    if not prices:
        return params
    phases = [
        replace(phase, planner=replace(phase.planner, start_prices=prices))  # type: ignore[type-var]
        if hasattr(phase.planner, "start_prices")
        else phase
        for phase in params.phases
    ]
    return replace(params, phases=tuple(phases))


def _second_solver() -> str | None:
    """The solver that can check an outcome; None if none is installed."""
    try:
        return second_solver()
    except BocaError:
        return None


def _state(request: dict[str, Any]) -> AuctionState:
    """The auction as the engine sees it: earlier steps, and what everybody has reported."""
    before = _start(Market.from_dict(request["market"]), request)
    market, params = before.market, before.params
    for step in request["steps"]:
        before = before.apply(Step.from_dict({**step, "questions": []}))
    return AuctionState.of(
        market,
        params,
        _reports(request["reports"], market),
        demands=[_demands(rows, market) for rows in request["demands"]],
        declined=request["declined"],
        num_asked=request["num_asked"],
        use=before.use,
        phase=before.phase,
        planning=before.planning,
        history=before.history,
    )


def _question(question: Question, request: dict[str, Any]) -> dict[str, Any]:
    """A question as plain values; prices are announced in whole units."""
    plain = question.to_dict()
    if isinstance(question, DemandQuery):
        if question.num_bundles != 1:
            raise InputError("This mechanism asks for several bundles at once; choose another.")
        prices = question.prices.tolist()
        plain["prices"] = in_units(prices, request["announced"], request["most_units"])
    return plain


def _demands(rows: list[Any], market: Market) -> Demands:
    """What one bidder has wanted at which prices."""
    shape = (-1, market.num_goods)
    prices = np.array([prices for prices, _ in rows], dtype=float).reshape(shape)
    bundles = np.array([bundle for _, bundle in rows], dtype=np.int64).reshape(shape)
    return Demands(prices, bundles)


def _reports(bidders: list[Any], market: Market) -> list[Reports]:
    """Bundles and values or ranges of everybody; whole units are exact as floats."""
    shape = (-1, market.num_goods)
    return [
        Reports(
            np.array([bundle for bundle, *_ in rows], dtype=np.int64).reshape(shape),
            np.array([units for _, units, *_ in rows], dtype=float),
            np.array([ends[-1] for _, *ends in rows], dtype=float),
        )
        for rows in bidders
    ]


def _versions() -> dict[str, str]:
    """What the result was computed with."""
    return versions_of(("numpy", "jax", "highspy", "pyscipopt"))


if __name__ == "__main__":
    sys.exit(main())
