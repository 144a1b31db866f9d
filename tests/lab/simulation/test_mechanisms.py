"""Every mechanism from the first query to the payments, with simulated bidders."""

import numpy as np
import pytest

from boca.core import Economy, Market, check_feasible
from boca.functions import XorTable
from boca.lab.domains import load_domain
from boca.lab.domains.domain import Domain
from boca.lab.domains.efficient import Efficient
from boca.lab.simulation.mechanisms import mechanism_params, mechanisms
from boca.lab.simulation.simulated_auction import simulate
from boca.mechanism import AuctionState, Callback
from boca.wdp import WelfareProblem, maximise_welfare

# Mechanisms whose trainings can be cut short.
QUICKER = ("boca", "mvnn")
BUDGET = {"num_initial": 4, "num_per_round": 2, "num_total": 10, "seed": 3}


class Pairs(Domain):
    """Six goods; each of three bidders wants two certain goods together, or one of others."""

    def __init__(self):
        super().__init__("pairs", None, Market.simple(6, 3))

    def build_function(self, bidder):
        bundles = np.zeros((3, 6), dtype=np.int64)
        bundles[0, [2 * bidder, 2 * bidder + 1]] = 1
        bundles[1, (2 * bidder + 2) % 6] = bundles[2, (2 * bidder + 3) % 6] = 1
        return XorTable(bundles, [10.0, 3.0, 4.0])

    def solve(self, absent=frozenset()):
        functions = [self.function(i) for i in range(3)]
        present = Economy(tuple(i for i in range(3) if i not in absent))
        problem = WelfareProblem(self.market, functions, present)
        found = maximise_welfare(problem, proof="optimal")
        return Efficient(found.welfare, found.allocation, found.bound, found.method)


def quick(mechanism, domain):
    """A mechanism with its default settings and short trainings."""
    params = mechanism_params(mechanism, domain.market, **BUDGET)
    return params.changed("surrogate.steps_fraction", 0.05) if mechanism in QUICKER else params


@pytest.mark.parametrize("mechanism", mechanisms())
def test_every_mechanism_ends_with_a_sound_outcome(mechanism):
    """Tests feasibility, individual rationality and the shape of the result, for every preset."""
    domain = Pairs()
    found = simulate(domain, quick(mechanism, domain))

    check_feasible(found.outcome.allocation, domain.market)
    assert (found.outcome.utilities >= -1e-9).all()
    assert (found.outcome.payments >= -1e-9).all()
    assert 0 <= found.efficiency_loss <= 1
    assert found.to_dict()["path"]


def test_clock_auction_tells_the_loss_after_each_phase():
    """Tests the three figures that published clock auctions report."""
    domain = load_domain("gsvm", seed=1)
    found = simulate(domain, mechanism_params("cca", domain.market, tuned="gsvm"))
    losses = found.to_dict()["loss_by_phase"]
    assert losses.keys() == {"clock", "raised", "profit-max"}
    assert losses["profit-max"] == pytest.approx(found.efficiency_loss)
    assert losses["profit-max"] <= losses["raised"] + 1e-12


class StopAt(Callback):
    """Pulls the plug in the middle of an auction, after saving."""

    def __init__(self, path, round_):
        self.path, self.round = path, round_

    def on_asked(self, state, questions):
        state.save(self.path)
        if state.round == self.round:
            raise KeyboardInterrupt


@pytest.mark.parametrize("mechanism", ["ft", "cca", "svr"])
def test_interrupted_auctions_end_the_same(mechanism, tmp_path):
    """Tests that phases and prices follow from the saved state alone."""
    domain = Pairs()
    params = quick(mechanism, domain)
    whole = simulate(domain, params)
    with pytest.raises(KeyboardInterrupt):
        simulate(domain, params, callbacks=[StopAt(tmp_path / "state.json", 2)])

    state = AuctionState.load(tmp_path / "state.json")
    rest = simulate(domain, state.params, state=state)

    assert rest.path == whole.path
    assert rest.state.reports == whole.state.reports
    assert [r.phase for r in rest.state.history] == [r.phase for r in whole.state.history]
    np.testing.assert_array_equal(rest.outcome.payments, whole.outcome.payments)
