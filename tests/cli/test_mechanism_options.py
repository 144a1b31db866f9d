"""Tests of what mechanisms can do with options."""

import inspect
import sys
from dataclasses import dataclass, fields
from functools import partial
from typing import ClassVar

import pytest
import typer

import boca.queries
from boca.cli.mechanism_options import (
    DEMAND_PLANNERS,
    asks_for_demands,
    check_gap_can_be_proven,
    check_options_matter,
)
from boca.core.errors import InputError
from boca.core.market import Bidder, Good, Market
from boca.mechanism import PRESETS, AuctionParams, Phase, StoppingParams, auction_params
from boca.queries.planner import PLANNERS, Planner

MARKET = Market((Good("hall"), Good("kitchen")), (Bidder("Ada"), Bidder("Ben")))
MAKES_ONE = "DemandQuery("


def makes_demand_queries(planner: type[Planner]) -> bool:
    """Whether the source of a planner makes demand queries, or that of a planner inside it."""
    if MAKES_ONE in inspect.getsource(planner):
        return True
    parts = [f.type for f in fields(planner) if isinstance(f.type, type)]
    return any(issubclass(part, Planner) and makes_demand_queries(part) for part in parts)


def test_planners_that_make_demand_queries_are_known():
    """Tests the list of names against the source, so that a new planner cannot be forgotten."""
    planners = {
        name: planner
        for name, planner in PLANNERS.items()
        if planner.__module__.startswith("boca.")
    }
    expected = {name for name, planner in planners.items() if makes_demand_queries(planner)}
    assert expected == DEMAND_PLANNERS


def test_only_planners_make_demand_queries():
    """Tests what the test above relies on: no helper function makes them in a planner's place."""
    for name, module in sys.modules.items():
        if name.startswith(f"{boca.queries.__name__}.") and hasattr(module, "DemandQuery"):
            planners = [p for p in PLANNERS.values() if p.__module__ == name]
            inside = sum(inspect.getsource(planner).count(MAKES_ONE) for planner in planners)
            assert inspect.getsource(module).count(MAKES_ONE) == inside > 0, name


def test_mechanisms_that_ask_for_demands():
    """Tests the answer for every mechanism that comes with boca."""
    asking = {name for name in PRESETS if asks_for_demands(auction_params(name, MARKET))}
    assert asking == {"cca", "hybrid", "ml-cca", "mlhca"}


def useless_options(mechanism: str, *options: str) -> str:
    """What is said about options that a mechanism gets; empty if they are taken."""
    messages = []

    def command(
        context: typer.Context,
        initial: int = 10,
        per_round: int = 3,
        budget: int = 25,
        proof: str = "none",
    ) -> None:
        try:
            check_options_matter(context, mechanism, partial(auction_params, mechanism, MARKET))
        except InputError as error:
            messages.append(str(error))

    app = typer.Typer(add_completion=False)
    app.command()(command)
    app(args=options, standalone_mode=False)
    return "".join(messages)


@pytest.mark.parametrize(
    ("mechanism", "useless"),
    [
        ("boca", ()),
        ("mvnn", ()),
        ("mvnn-2022", ()),
        ("nn", ()),
        ("svr", ()),
        ("ft", ()),
        ("random", ("--proof",)),
        ("hybrid", ("--initial",)),
        ("local", ("--initial", "--per-round", "--proof")),
        ("cca", ("--initial", "--per-round", "--proof")),
        ("ml-cca", ("--initial", "--per-round", "--proof")),
        ("mlhca", ("--initial", "--per-round", "--proof")),
    ],
)
def test_options_without_use_are_refused(mechanism, useless):
    """Tests every mechanism with all options, whatever their values, and with none."""
    options = ("--initial", "10", "--per-round", "3", "--budget", "25", "--proof", "none")
    message = useless_options(mechanism, *options)
    assert message.startswith(f"Received {', '.join(useless)} for {mechanism}," if useless else "")
    assert bool(message) == bool(useless)
    assert useless_options(mechanism) == ""


def test_planners_of_plugins_may_prove_what_they_like():
    """Tests that a planner that nobody knows is not said to ask no demand queries."""

    @dataclass(frozen=True)
    class Unknown(Planner):
        name: ClassVar[str] = "unknown"

        def plan(self, situation, fitted, seeds):
            raise NotImplementedError

    stopping = StoppingParams(proven_gap=0.1)
    params = AuctionParams((Phase("mine", Unknown(), share=1.0),), stopping=stopping)
    check_gap_can_be_proven(params)
    with pytest.raises(InputError, match=r"0\.1 for random, which asks no demand"):
        check_gap_can_be_proven(auction_params("random", MARKET, stopping=stopping))
