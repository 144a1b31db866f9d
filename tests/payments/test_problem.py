"""How money of a problem is counted."""

from fractions import Fraction

import numpy as np
import pytest

from boca.core import Market, Reports
from boca.payments.program import Chosen
from boca.payments.sales import sale

INF = np.inf


def chosen(*options) -> Chosen:
    return Chosen(np.array(options), 0.0, 0.0, "scripted", True)


def test_money_is_counted_in_its_unit():
    """Tests cents, thirds of a cent, and amounts without a unit."""
    problem = sale([Reports([[1]], [0.29])], Market.simple(1, 1))
    assert problem.is_whole
    assert problem.worth(chosen(1)) == 29
    assert problem.money(29) == 0.29
    assert problem.money(Fraction(29, 3)) == pytest.approx(0.29 / 3, rel=1e-15)
    assert problem.money(-INF) == -INF
    free = sale([Reports([[1]], [np.pi])], Market.simple(1, 1))
    assert not free.is_whole
    assert free.worth(chosen(1)) == Fraction(np.pi)
    assert free.money(Fraction(np.pi)) == np.pi
    assert free.largest == np.pi
