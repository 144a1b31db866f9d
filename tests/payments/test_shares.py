"""How the worth of deals is shared out: examples by hand, and what every rule promises."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.payments.shares import (
    EXCHANGE_RULES,
    RULES,
    in_whole_units,
    offered,
    proportional,
    small,
    threshold,
    vcg,
)


def test_unequal_discounts():
    """Tests D = (9, 5, 1) and V = 9."""
    assert threshold([9, 5, 1], 9) == [Fraction(13, 2), Fraction(5, 2), 0]
    assert proportional([9, 5, 1], 9) == [Fraction(27, 5), 3, Fraction(3, 5)]
    assert small([9, 5, 1], 9) == [3, 5, 1]


def test_bilateral_trade():
    """Tests D = (8, 8) and V = 8: both give up half."""
    assert threshold([8, 8], 8) == [4, 4]


@pytest.mark.parametrize("rule", EXCHANGE_RULES)
def test_vcg_where_it_can_be_afforded(rule):
    """Tests that no rule takes anything away where the gains are enough."""
    assert RULES[rule]([3, 4, 0], 7) == [3, 4, 0]
    assert RULES[rule]([3, 4, 0], 8) == [3, 4, 0]
    assert RULES[rule]([1], 1) == [1]


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=6), st.data())
def test_promises(discounts, data):
    """Tests bounds, sums, whole units, and that threshold has the smallest largest cut."""
    worth = data.draw(st.integers(max(discounts), sum(discounts) + 5))
    cuts = {}
    for rule in ("threshold", "proportional", "small"):
        shares = RULES[rule](discounts, worth)
        assert all(0 <= s <= d for s, d in zip(shares, discounts, strict=True))
        assert sum(shares) == min(worth, sum(discounts))
        units = in_whole_units(shares)
        assert sum(units) == sum(shares)
        assert all(
            abs(u - s) < 1 and u <= d for u, s, d in zip(units, shares, discounts, strict=True)
        )
        cuts[rule] = max(d - s for s, d in zip(shares, discounts, strict=True))
    assert cuts["threshold"] == min(cuts.values())


@pytest.mark.parametrize("rule", [*RULES])
def test_nothing_gained_is_nothing_shared(rule):
    """Tests that no share is divided by a sum of 0."""
    assert RULES[rule]([0, 0], 0) == [0, 0]
    assert RULES[rule]([], 0) == []


def test_odd_units_go_to_the_largest_fractions():
    """Tests 7/3, 7/3 and 4/3: of six units two are 2, and one is 1 and one more."""
    assert in_whole_units([Fraction(7, 3), Fraction(8, 3), Fraction(3, 1)]) == [2, 3, 3]
    assert in_whole_units([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]) == [1, 0, 0]


def test_shares_are_exact_where_nothing_is_whole():
    """Tests fractions: D = (1/3, 1/7) and V = 2/5, of which no binary number is exact."""
    most, worth = [Fraction(1, 3), Fraction(1, 7)], Fraction(2, 5)
    cut = (Fraction(10, 21) - worth) / 2
    assert threshold(most, worth) == [Fraction(1, 3) - cut, Fraction(1, 7) - cut]
    assert proportional(most, worth) == [worth * Fraction(7, 10), worth * Fraction(3, 10)]
    assert small(most, worth) == [worth - Fraction(1, 7), Fraction(1, 7)]
    assert vcg(most, worth) == most
    assert offered(most, worth) == [0, 0]


def test_small_shares_of_equal_discounts_go_to_the_first():
    """Tests that equal ones are served in their order, and who comes too late gets the rest."""
    assert small([4, 2, 4], 9) == [4, 2, 3]
    assert small([4, 4, 4], 5) == [4, 1, 0]
