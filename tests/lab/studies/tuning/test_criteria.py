"""How configurations are judged."""

import numpy as np
import pytest

from boca.core.errors import InputError
from boca.core.report import Reports
from boca.lab.studies.tuning.criteria import CRITERIA, get_criterion, judge_as_paper, quantile_loss
from boca.surrogates import Fitted


class Constant:
    """A value function with one value."""

    def __init__(self, value):
        self.value = value

    def __call__(self, bundles):
        return np.full(len(bundles), float(self.value))


TRAIN = Reports(np.array([[1, 1]]), np.array([8.0]))
TEST = Reports(np.array([[1, 0], [0, 1]]), np.array([2.0, 10.0]))


def test_quantile_loss_by_hand():
    """Tests the paper's formula: too low costs q, too high 1 - q, per unit."""
    loss = quantile_loss(np.array([6.0, 6.0]), np.array([2.0, 10.0]), q=0.75)

    assert loss == pytest.approx((4 * 0.25 + 4 * 0.75) / 2)


def test_paper_s_criterion_adds_the_error_on_the_reports():
    """Tests the equation of section 4, in units of value, for all quantiles of one training."""
    fitted = Fitted(Constant(0), Constant(6))
    scores = judge_as_paper(fitted, TRAIN, TEST, (0.75, 0.5))

    assert scores == pytest.approx([2.0 + 2.0, 2.0 + 2.0])  # (1 + 3) / 2 and |6 - 8|


def test_the_mean_does_not_enter_the_paper_s_criterion():
    """Tests that both parts look at the upper bound."""
    scores = [judge_as_paper(Fitted(Constant(m), Constant(6)), TRAIN, TEST, (0.9,)) for m in (0, 5)]

    assert scores[0] == scores[1]


def test_surrogate_without_upper_bound():
    """Tests that the message says which criterion to take."""
    with pytest.raises(InputError, match="--criterion mae or r2"):
        judge_as_paper(Fitted(Constant(0)), TRAIN, TEST, (0.9,))


def test_targets():
    """Tests that only criteria with quantiles have several winners."""
    assert CRITERIA["paper"].targets((0.6, 0.75)) == ("0.6", "0.75")
    assert CRITERIA["r2"].targets((0.6, 0.75)) == ("all",)


def test_unknown_criterion():
    """Tests that a slip is answered with what was meant."""
    with pytest.raises(InputError, match="did you mean 'auction'"):
        get_criterion("auctoin")
