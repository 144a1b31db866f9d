"""What the live table of an auction shows."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from boca.cli.progress import COLUMNS, ProgressTable, six_digits
from boca.core import Bidder, Demands, Good, Market, Reports
from boca.mechanism import AuctionParams, AuctionState, auction_params
from boca.mechanism.record import Planning
from boca.mechanism.stepping import finished_round


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (12.5, "12.5"),
        (8320.7, "8,320.7"),
        (999_999.4, "999,999"),
        (999_999.6, "1.00000e+06"),
        (8.3207e9, "8.32070e+09"),
        (8.31996e9, "8.31996e+09"),
        (-8.3e-7, "-8.30000e-07"),
    ],
)
def test_welfare_is_written_in_six_digits(number, text):
    """Tests that large numbers keep their last zeros: losses below each other are compared."""
    assert six_digits(number) == text


def test_large_welfare_fits_its_column():
    """Tests the values of MRVM, which have billions."""
    assert len(six_digits(8.3207e9)) == dict(COLUMNS)["welfare"]


def test_answers_that_contradict_each_other_are_named_once():
    """Tests that a bidder who always takes the dearer good is named, with how much it is off."""
    state = AuctionState.of(
        Market((Good("[A]"), Good("B")), (Bidder("one"), Bidder("two"))),
        AuctionParams(),
        demands=[Demands([[4, 1], [1, 4]], [[1, 0], [0, 1]]), Demands([[4, 1]], [[0, 0]])],
        planning=Planning("clock"),
    )
    out = Console(file=io.StringIO(), width=40)
    table = ProgressTable(out)
    record = finished_round(state)

    table.on_round(state.recorded(record), record)
    table.on_round(state.recorded(record), record)

    text = out.file.getvalue()
    named = (
        "Answers of one contradict each other: [A] wanted at prices ([A] 4, B 1); B wanted at "
        "prices ([A] 1, B 4). All its answers fit together if each is off by up to 3. "
        "What can be missing is claimed only if no answer is off by more."
    )
    assert text.count(named) == 1
    assert "two" not in text


def test_values_alone_are_not_compared_every_round():
    """Tests that nothing is said where nothing would be claimed in any case."""
    market = Market.simple(2, 1)
    state = AuctionState.of(market, AuctionParams(), [Reports([[1, 0], [1, 1]], [2, 1])])
    out = Console(file=io.StringIO())
    record = finished_round(replace(state, planning=Planning("first")))

    ProgressTable(out).on_round(state.recorded(record), record)

    assert "contradict" not in out.file.getvalue()


@pytest.mark.parametrize(("num_bidders", "is_told"), [(3, False), (200, True)])
def test_long_rounds_say_what_they_do_where_there_is_no_terminal(num_bidders, is_told, capsys):
    """Tests that who sends the table into a file still learns how long to wait, and only then."""
    market = Market.simple(2, num_bidders)
    params = auction_params("boca", market)
    state = AuctionState.start(market, params)
    state = replace(state, phase=1)
    table = ProgressTable(Console(file=io.StringIO()))
    table.on_learning(state)
    table.on_solving(state)

    told = capsys.readouterr().err
    assert bool(told) == is_told
    if is_told:
        assert "learning about 200 bidders from 0 reports each, about " in told
        assert "looking for the best queries" in told
