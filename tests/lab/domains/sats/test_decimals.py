from decimal import Decimal

import pytest

from boca.lab.domains.sats.decimals import (
    ceil_log,
    ceil_places,
    divide_away,
    exact,
    half_down_places,
)

LOGARITHMS = "0.69315 1.0987 1.3863 1.6095 1.7918 1.9460 2.0795 2.1973 2.3026 2.3979 2.4850 2.5650"


@pytest.mark.parametrize(("number", "expected"), list(enumerate(LOGARITHMS.split(), 2)))
def test_rounded_logarithms(number, expected):
    """Tests the logarithms of SRVM, whose rounding shows in the fifth digit of values."""
    assert ceil_log(number) == Decimal(expected)


def test_shortest_digits():
    """Tests that a double is read by its shortest digits, not by its binary value."""
    assert exact(0.1) == Decimal("0.1")


def test_roundings():
    """Tests the direction of each rounding on a number where it matters."""
    assert ceil_places(Decimal(2) / 3, 5) == Decimal("0.66667")
    assert ceil_places(Decimal("0.123451"), 5) == Decimal("0.12346")
    assert half_down_places(Decimal("0.123455"), 5) == Decimal("0.12345")  # a tie
    assert half_down_places(Decimal("0.1234551"), 5) == Decimal("0.12346")
    assert divide_away(Decimal(1), Decimal(3), 10) == Decimal("0.3333333334")
