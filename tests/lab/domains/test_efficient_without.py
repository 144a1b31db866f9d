"""Tests of the optimum of marginal economies."""

import pytest

from boca.core import Economy
from boca.core.allocation import check_feasible
from boca.lab.domains import load_domain
from boca.wdp import WelfareProblem, maximise_welfare


def test_toy_marginal_economies_are_those_of_its_table():
    """Tests the numbers in the toy's own comment."""
    domain = load_domain("toy")
    assert [domain.efficient_without(i).welfare for i in range(3)] == [10, 12, 9]


@pytest.mark.parametrize("name", ["gsvm", "lsvm", "srvm", "mrvm"])
def test_a_bidder_more_never_hurts(name):
    """Tests that each marginal optimum is feasible, proven and at most the whole optimum."""
    domain = load_domain(name, seed=10001)
    whole = domain.efficient()
    n = domain.market.num_bidders
    for i in {0, n - 1}:
        rest = domain.efficient_without(i)
        check_feasible(rest.allocation, domain.market, Economy.without(i, n))
        assert rest.proven
        others = whole.welfare - domain.values(i, whole.allocation.bundles[i])[0]
        assert others - 1e-6 <= rest.welfare <= whole.welfare * (1 + 1e-12)


def test_an_independent_search_finds_nothing_better():
    """Tests SRVM's marginal optimum against the winner-determination call on its generic view."""
    domain = load_domain("srvm", seed=10001, generic=True)
    functions = [domain.function(i) for i in range(7)]
    problem = WelfareProblem(domain.market, functions, Economy.without(6, 7))
    assert maximise_welfare(problem).welfare <= domain.efficient_without(6).welfare * (1 + 1e-12)
