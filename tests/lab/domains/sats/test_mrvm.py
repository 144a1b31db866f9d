from decimal import Decimal

import numpy as np
import pytest

from boca.lab.domains import load_domain
from boca.lab.domains.sats.canada import distances
from boca.lab.domains.sats.mrvm import REGIONAL_DISCOUNT, region_capacities


def test_draws_are_the_recorded_ones(golden_params):
    """Tests every parameter of every recorded instance, with what follows from further draws."""
    for seed, recorded in golden_params("mrvm").items():
        domain = load_domain("mrvm", seed=seed)
        assert [float(cap) for cap in domain.lot_capacities] == recorded["capacity"]
        for bidder, expected in zip(domain.bidders, recorded["bidders"], strict=True):
            assert float(bidder.alpha) == expected["alpha"]
            assert [float(beta) for beta in bidder.beta] == expected["beta"]
            if "regions_of_interest" in expected:
                of_interest = np.flatnonzero([d > 0 for d in bidder.discounts])
                assert of_interest.tolist() == sorted(expected["regions_of_interest"])
            elif "home" in expected:
                assert bidder.discounts.index(Decimal(1)) == expected["home"]
            else:
                assert [float(g) for g in bidder.coverage[1:]] == expected["gamma_1_2"]


def test_check_list_of_instance_10001():
    """Tests the published numbers of the world and of one bidder of each type."""
    domain = load_domain("mrvm", seed=10001)
    assert region_capacities(domain.lot_capacities)[-1] == Decimal("17.20958260729327302")
    local, regional, national = (domain.bidders[i] for i in (0, 3, 7))
    assert str(local.alpha) == "64.11624869215056"
    assert [r for r in range(14) if local.discounts[r]] == [0, 2, 3, 5, 8, 12]
    assert str(regional.alpha) == "828.3699090852109"
    assert regional.discounts[13] == 1
    assert national.coverage == (1, Decimal("0.97290"), Decimal("0.89159"))


def test_regional_discounts_follow_their_formula():
    """Tests the constants against 2^(-1.25 d) to five decimals."""
    assert [float(d) for d in REGIONAL_DISCOUNT] == [round(2 ** (-1.25 * d), 5) for d in range(8)]


def test_distances_on_the_map():
    """Tests symmetry and the longest way, from the Atlantic to the Pacific."""
    matrix = np.array([distances(home) for home in range(14)])
    assert np.array_equal(matrix, matrix.T)
    assert matrix.max() == matrix[1, 12] == 7
    assert matrix[4, 5] == 3  # Southern Quebec and Eastern Ontario do not touch


@pytest.mark.parametrize("missed", [1, 2, 5])
def test_national_bidder_pays_for_missed_regions(missed):
    """Tests that missing regions costs the coverage factor, the same from two on."""
    domain = load_domain("mrvm", seed=1)
    bundle = np.ones((7, 14), dtype=int)
    bundle[:, :missed] = 0
    function = domain.function(7).function
    expected = function.table[missed:, -1].sum() * function.coverage[min(missed, 2)]
    assert domain.values(7, bundle.reshape(-1))[0] == pytest.approx(expected, rel=1e-14)


def test_goods_name_region_band_and_lot():
    """Tests that item ids and names belong together: lots are slow, regions fast."""
    goods = load_domain("mrvm", seed=1).market.goods
    assert goods[0].name == "Newfoundland unpaired 1"
    assert goods[27].name == "Territories unpaired 2"
    assert goods[28 + 7].name == "Southern Ontario low-paired 1"
    assert goods[97].name == "Territories high-paired 3"
