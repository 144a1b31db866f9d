from decimal import Decimal

import numpy as np
import pytest

from boca.lab.domains import load_domain


def test_draws_are_the_recorded_ones(golden_params):
    """Tests every parameter of every recorded instance."""
    for seed, recorded in golden_params("srvm").items():
        for bidder, expected in zip(
            load_domain("srvm", seed=seed).bidders, recorded["bidders"], strict=True
        ):
            assert float(bidder.strength) == expected["strength"]
            assert [float(base) for base in bidder.base_values] == expected["base"]
            assert [float(within) for within in bidder.within] == expected["intra"]
            assert float(bidder.across) == expected["inter"]


def test_bidder_1_of_the_check_list():
    """Tests the published numbers of bidder 1 in instance 10001."""
    bidder = load_domain("srvm", seed=10001).bidders[1]
    assert bidder.strength == Decimal("1.098077597905467")
    assert f"{bidder.base_values[2]:.16g}" == "10.94967836601984"
    assert [str(within) for within in bidder.within] == [
        "1.833320316230414",
        "2.058705631996028",
        "2.120560668289562",
    ]
    assert bidder.across == Decimal("1.0979038709071673")


def test_worthless_band_still_counts_as_held():
    """Tests that a small bidder gains from an A licence beside a C licence."""
    domain = load_domain("srvm", seed=1, generic=True)
    c, a_and_c, a = domain.values(0, [[0, 0, 1], [1, 0, 1], [1, 0, 0]])
    assert a == 0
    assert a_and_c == pytest.approx(c * float(domain.items.bidders[0].across), rel=1e-15)


def test_bands_are_in_order():
    """Tests which items belong to which band."""
    market = load_domain("srvm", seed=1).market
    names = [good.name.split()[1] for good in market.goods]
    assert names == ["A"] * 6 + ["B"] * 14 + ["C"] * 9
    assert np.array_equal(load_domain("srvm", seed=1, generic=True).market.capacities, [6, 14, 9])
