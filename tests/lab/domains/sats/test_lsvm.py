import math

import numpy as np
import pytest

from boca.lab.domains import load_domain
from boca.lab.domains.sats.lsvm import lowest_components, neighbours, proximity


def test_draws_are_the_recorded_ones(golden_params):
    """Tests every base value, and the order of the draws, of every recorded instance."""
    for seed, recorded in golden_params("lsvm").items():
        drawn = load_domain("lsvm", seed=seed).bidders
        for bidder, expected in enumerate(recorded["bidders"]):
            base = {int(item): value for item, value in expected["base"].items()}
            assert drawn[bidder].base_values == base, (seed, bidder)
            assert list(drawn[bidder].base_values) == expected["draw_order"], (seed, bidder)


def test_bidder_1_of_the_check_list():
    """Tests the published numbers of bidder 1 in instance 10001."""
    bidder = load_domain("lsvm", seed=10001).bidders[1]
    assert bidder.centre == 10
    assert tuple(bidder.base_values) == (10, 4, 11, 16, 9, 5, 3, 17, 15, 8)
    assert bidder.base_values[10] == 13.03415144994425
    assert bidder.base_values[4] == 10.644103906923057
    assert bidder.base_values[11] == 8.581602265446769


@pytest.mark.parametrize(
    ("centre", "expected"),
    [
        (0, (0, 1, 6, 2, 7, 12)),
        (7, (7, 1, 8, 13, 6, 2, 0, 9, 14, 12)),
        (8, (8, 2, 9, 14, 7, 3, 1, 10, 15, 13, 6)),
        (17, (17, 11, 16, 5, 10, 15)),
    ],
)
def test_proximity_order(centre, expected):
    """Tests the breadth-first order at a corner, inside, and in the middle row."""
    assert proximity(centre) == expected


def test_components_agree_with_a_walk():
    """Tests the table of components against a plain search, also across the grid's edges."""
    for mask in np.random.default_rng(0).integers(1, 2**18, 200).tolist():
        items = {j for j in range(18) if mask >> j & 1}
        reached = {min(items)}
        frontier = [min(items)]
        for item in frontier:
            new = [near for near in neighbours(item) if near in items - reached]
            reached.update(new)
            frontier += new
        assert lowest_components()[mask] == sum(1 << j for j in reached)


def test_pieces_are_valued_apart():
    """Tests two pieces, one of them a single item: even that has a factor."""
    domain = load_domain("lsvm", seed=1)
    base = domain.bidders[0].base_values
    bundle = np.zeros(18, dtype=int)
    bundle[[0, 1, 4]] = 1
    pair = 1 + 320 / (100 * (1 + math.exp(10 - 2)))
    single = 1 + 320 / (100 * (1 + math.exp(10 - 1)))
    expected = pair * (base[0] + base[1]) + single * base[4]
    assert domain.values(0, bundle)[0] == pytest.approx(expected, rel=1e-15)


def test_items_out_of_reach_do_not_connect():
    """Tests that an item outside a regional bidder's reach cannot join two pieces."""
    domain = load_domain("lsvm", seed=10001)
    outside = [j for j in range(18) if j not in domain.bidders[1].base_values]
    bundles = np.random.default_rng(1).integers(0, 2, (50, 18))
    without = bundles.copy()
    without[:, outside] = 0
    assert np.array_equal(domain.values(1, bundles), domain.values(1, without))
