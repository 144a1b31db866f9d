"""Prices of a planner become whole units before anybody is asked."""

from hypothesis import given
from hypothesis import strategies as st

from boca.live.work.announced import in_units

MOST = 1000


def test_prices_are_rounded_to_the_nearest_unit():
    """Tests the first prices of an auction."""
    assert in_units([12.4, 12.6, 0.0], None, MOST) == [12, 13, 0]


def test_rising_clock_never_stands_still():
    """Tests that 5 % of a low price are a unit all the same, upwards and downwards."""
    assert in_units([5 * 1.05, 5 / 1.05, 5.0], [5, 5, 5], MOST) == [6, 4, 5]


def test_positive_price_does_not_become_nothing():
    """Tests that a clock can come back from its lowest price."""
    assert in_units([0.2, 2 / 3], None, MOST) == [1, 1]
    assert in_units([2 / 3], [1], MOST) == [1]


def test_noise_is_no_change():
    """Tests that a price which floats carry along is the same price."""
    assert in_units([300 * (1 / 3) * 3], [300], MOST) == [300]


def test_no_price_exceeds_the_largest_value():
    """Tests prices above which nobody can want anything."""
    assert in_units([1e300, 2000.0], None, MOST) == [MOST, MOST]


@given(st.floats(0, 900), st.none() | st.integers(0, 900))
def test_price_is_within_a_unit_of_the_planners(price, before):
    """Tests that announcing changes no price by more than the unit it is announced in."""
    units = in_units([price], None if before is None else [before], MOST)[0]
    assert abs(units - price) <= 1
