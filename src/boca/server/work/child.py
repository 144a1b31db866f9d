"""
The program of a child process: the only file of the server that knows the engine.

``python -m boca.server.work.child check|plan|decide`` reads one line of JSON from standard input
and prints JSON. It owns nothing: killed at any moment, it can be run again.
"""

import json
import os
import resource
import sys
import threading
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import numpy as np

import boca
from boca.core.errors import BocaError
from boca.core.market import Market
from boca.core.report import Reports
from boca.mechanism import Auction, AuctionParams, AuctionState, RoundRecord, auction_params
from boca.payments import quadratic_core, vcg
from boca.payments.vcg import second_solver
from boca.queries.economies import MarginalUse

NICE = 10
MOST_MEMORY = 8 * 2**30
# The exit code for "this cannot be used", with a sentence on standard error.
REFUSED = 2


def main() -> int:
    """Reads a request, prints a result."""
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    began = perf_counter()
    try:
        result = JOBS[sys.argv[1]](request)
    except BocaError as error:
        print(error, file=sys.stderr)
        return REFUSED
    result["seconds"] = perf_counter() - began
    print(json.dumps(result, allow_nan=False))
    return 0


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Whether the engine can use these rules."""
    market = Market.from_dict(request["market"])
    params = _params(request["rules"], market, seed=0)
    AuctionState.start(market, params)
    try:
        solver = second_solver()
    except BocaError:
        solver = None
    rules = request["rules"]
    more = rules["num_total"] - rules["num_initial"]
    return {
        "name": market.name,
        "num_goods": market.num_goods,
        "num_bidders": market.num_bidders,
        "num_rounds": 1 + -(-more // rules["num_per_round"]),
        "num_queries": rules["num_total"],
        "second_solver": solver,
    }


def plan(request: dict[str, Any]) -> dict[str, Any]:
    """The next questions, or why there are none."""
    auction = Auction(_state(request))
    queries = auction.ask()
    state = auction.state
    carry = {
        "use": state.use.to_dict(),
        "current": state.current.to_dict() if state.current else None,
        "history": [record.to_dict() for record in state.history],
    }
    return {
        "queries": [query.to_dict() for query in queries],
        "stop": state.stopped or None,
        "step": {"carry": carry},
        "versions": _versions(),
    }


def decide(request: dict[str, Any]) -> dict[str, Any]:
    """The allocation and payments that the reports justify."""
    state = _state(request)
    rule = request["rules"]["payment_rule"]
    verify = True
    if not request["must_verify"]:
        try:
            second_solver()
        except BocaError:
            verify = False
    price = quadratic_core if rule == "core" else vcg
    outcome = price(state.reports, state.market, np.array(request["reserve"], float), verify)
    return {
        "allocation": outcome.allocation.bundles.tolist(),
        "payments": outcome.payments.tolist(),
        "without": {
            str(term.bidder): term.allocation_without.bundles.tolist()
            for term in outcome.explanations
        },
        "rule": rule,
        "verified_by": outcome.verified_by,
        "versions": _versions(),
    }


JOBS = {"check": check, "plan": plan, "decide": decide}


def _params(rules: dict[str, Any], market: Market, seed: int) -> AuctionParams:
    return auction_params(
        rules["mechanism"],
        market,
        num_initial=rules["num_initial"],
        num_per_round=rules["num_per_round"],
        num_total=rules["num_total"],
        payment_rule=rules["payment_rule"],
        solve_seconds=rules["solve_seconds"],
        seed=seed,
    )


def _state(request: dict[str, Any]) -> AuctionState:
    market = Market.from_dict(request["market"])
    reports = tuple(
        Reports(
            np.array([bundle for bundle, _ in rows], dtype=np.int64).reshape(-1, market.num_goods),
            np.array([units for _, units in rows], dtype=float),
        )
        for rows in request["reports"]
    )
    declined = tuple(tuple(map(tuple, rows)) for rows in request["declined"])
    carry = request["carry"]
    return AuctionState(
        market,
        _params(request["rules"], market, request["seed"]),
        reports,
        declined=declined,
        num_asked=tuple(request["num_asked"]),
        use=MarginalUse.from_dict(carry["use"]) if carry else MarginalUse.none(market.num_bidders),
        current=RoundRecord.from_dict(carry["current"]) if carry and carry["current"] else None,
        history=tuple(map(RoundRecord.from_dict, carry["history"])) if carry else (),
    )


def _versions() -> dict[str, str]:
    """What the result was computed with."""
    versions = {"boca": boca.__version__, "python": sys.version.split()[0]}
    for package in ("numpy", "jax", "highspy", "pyscipopt"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _end_with_parent() -> None:
    """Ends this process when the server's end of the pipe is gone."""
    # Below Python's buffers, whose locks a daemon thread must not hold at the end.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(3)


if __name__ == "__main__":
    sys.exit(main())
