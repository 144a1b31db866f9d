"""Tests of limits in market files."""

import pytest

from boca.core import InputError
from boca.markets.limits import GoodsTable, read_limits
from boca.markets.sections import Section

GOODS = GoodsTable(("A", "B", "C"), (2, 1, 3), (1.0, 0.0, 2.5), (0.0, 0.0, 0.0))


def limits_of(**table):
    """Coefficients, bound and name of every limit that a table states."""
    limits = read_limits(Section("m.toml", "[every_bidder]", table), GOODS)
    return [(limit.coefficients, limit.bound, limit.name) for limit in limits]


def test_every_kind_is_linear():
    """Tests the coefficients of each key, and their order."""
    assert limits_of(at_most=3) == [((1, 1, 1), 3, "at most 3 in total")]
    assert limits_of(at_most_of_each=1) == [
        ((1, 0, 0), 1, "at most 1 of each"),
        ((0, 0, 1), 1, "at most 1 of each"),
    ]
    assert limits_of(forbidden=["C", "A"]) == [((1, 0, 1), 0, "none of C, A")]
    assert limits_of(conflicts=[["A", "B"], ["B", "C"]]) == [
        ((1, 1, 0), 1, "only one of A, B"),
        ((0, 1, 1), 1, "only one of B, C"),
    ]
    assert limits_of(credit_budget=4) == [((1, 0, 2.5), 4, "at most 4 credits")]
    assert limits_of() == []


def test_limit_on_an_unknown_good():
    """Tests that a misspelt good does not make a limit of nothing."""
    with pytest.raises(InputError, match=r"m\.toml, \[every_bidder\], key 'forbidden': found 'D'"):
        limits_of(forbidden=["D"])
