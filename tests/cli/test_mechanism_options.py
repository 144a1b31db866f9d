"""Tests of what mechanisms can do with options."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import pytest
import typer

from boca.cli.mechanism_options import (
    asks_for_demands,
    check_gap_can_be_proven,
    check_options_matter,
)
from boca.core.errors import InputError
from boca.core.goods import Good
from boca.core.market import Bidder, Market
from boca.mechanism import PRESETS, AuctionParams, Phase, StoppingParams, auction_params
from boca.queries.planner import Planner

MARKET = Market((Good("hall"), Good("kitchen")), (Bidder("Ada"), Bidder("Ben")))


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
        ("boca-2023", ()),
        ("mvnn-2022", ()),
        ("nn-2020", ()),
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


def test_planners_say_themselves_whether_they_ask_for_demands():
    """Tests that a planner of one's own counts as much as those that come with boca."""

    @dataclass(frozen=True)
    class Silent(Planner):
        name: ClassVar[str] = "silent"

        def plan(self, situation, fitted, seeds):
            raise NotImplementedError

    @dataclass(frozen=True)
    class Asking(Silent):
        asks_demands: ClassVar[bool] = True

    stopping = StoppingParams(proven_gap=0.1)
    silent, asking = (
        AuctionParams((Phase("mine", planner, share=1.0),), stopping=stopping, mechanism="mine")
        for planner in (Silent(), Asking())
    )
    check_gap_can_be_proven(asking)
    with pytest.raises(InputError, match=r"0\.1 for mine, which asks no demand"):
        check_gap_can_be_proven(silent)
