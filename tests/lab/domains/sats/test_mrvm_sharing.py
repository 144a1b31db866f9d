from itertools import product

import numpy as np
import pytest

from boca.lab.domains.sats.mrvm_sharing import share_regions


def welfare_of(tables, coverages, shares):
    """Welfare of counts by bidder and region, with one band."""
    total = 0.0
    for table, coverage, share in zip(tables, coverages, shares, strict=True):
        missed = sum(count == 0 for count in share)
        value = sum(table[region, count] for region, count in enumerate(share))
        total += value * coverage[min(missed, 2)]
    return total


def brute_force(tables, coverages):
    """Largest welfare over all ways to share out every region, by trying them."""
    num_regions, lots = tables[0].shape[0], tables[0].shape[1] - 1
    splits = [s for s in product(range(lots + 1), repeat=len(tables)) if sum(s) <= lots]
    return max(
        welfare_of(tables, coverages, np.array(choice).T)
        for choice in product(splits, repeat=num_regions)
    )


@pytest.mark.parametrize("seed", range(6))
def test_small_countries_against_brute_force(seed):
    """
    Tests one ordinary and two national bidders in three regions with two lots each. Discounts
    are harsh, so that in some instances a national bidder takes a region only for coverage.
    """
    generator = np.random.default_rng(seed)
    tables = []
    for _ in range(3):
        steps = generator.random((3, 2))
        tables.append(np.concatenate([np.zeros((3, 1)), steps.cumsum(axis=1)], axis=1))
    coverages = [(1.0, 1.0, 1.0), (1.0, 0.6, 0.3), (1.0, 0.9, 0.5)]

    best, shares = share_regions(tables, coverages)

    assert best == pytest.approx(brute_force(tables, coverages), rel=1e-12)
    assert welfare_of(tables, coverages, shares[:, :, 0]) == pytest.approx(best, rel=1e-12)
    assert (shares.sum(axis=0) <= 2).all()


def test_region_taken_for_coverage_alone():
    """Tests that a worthless lot is taken when it lifts the factor on everything else."""
    local = np.array([[0.0, 0.0], [0.0, 1.0]])
    national = np.array([[0.0, 10.0], [0.0, 0.0]])
    best, shares = share_regions([local, national], [(1.0,) * 3, (1.0, 0.8, 0.5)])
    assert best == 10.0  # keeping region 1 for the local bidder gives 8 + 1
    assert shares[1, :, 0].tolist() == [1, 1]
