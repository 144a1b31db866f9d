"""Published numbers as data: right where they stand, and beside the right settings."""

from dataclasses import replace

import numpy as np
import pytest
from fake_runs import make_spec

from boca.lab.reports.published import (
    find_published,
    noise,
    published_instances,
    published_p,
    published_path,
    state_of_the_art,
)


def setting(mechanism, domain="lsvm", q=None, **changes):
    return make_spec(domain, 1, mechanism, q, **changes).setting


def test_table_3_to_6_by_quantile_and_initial_queries():
    """Tests one cell of each table against the paper."""
    boca = find_published("LSVM", setting("boca"))
    assert boca.source == "Table 3, BOCA, q=0.9"
    assert (boca.loss, boca.revenue, boca.hours) == ((0.39, 0.30), (73.53, 3.72), 15.64)
    mean = find_published("MRVM", setting("mvnn", "mrvm"))
    assert (mean.source, mean.loss) == ("Table 4, OUR-MVNN-MLCA, q=0.9", (7.51, 0.47))
    fewer = find_published("SRVM", setting("boca", "srvm", q=0.6, num_initial=20))
    assert (fewer.source, fewer.loss) == ("Table 5, BOCA, q=0.6", (0.14, 0.04))
    both = find_published("MRVM", setting("mvnn", "mrvm", q=0.95, num_initial=20))
    assert (both.source, both.hours) == ("Table 6, OUR-MVNN-MLCA, q=0.95", 9.44)


def test_random_search_stands_beside_table_1():
    """Tests a mechanism that only Table 1 has."""
    found = find_published("MRVM", setting("random", "mrvm"))

    assert (found.source, found.loss, found.revenue) == ("Table 1, RS", (48.79, 1.13), None)


def test_rivals_have_merged_licences_and_instances_of_their_own():
    """Tests MLHCA's and ML-CCA's figures, which hold for merged licences only."""
    mlhca = find_published("MRVM", replace(setting("mlhca", "mrvm"), generic=True))
    ml_cca = find_published("LSVM", replace(setting("ml-cca"), generic=True))

    assert mlhca.source == "MLHCA on other instances"
    assert (mlhca.loss, mlhca.revenue, mlhca.hours) == ((4.81, 0.57), (27.97, 2.16), 168.6)
    assert (ml_cca.loss, ml_cca.revenue, ml_cca.hours) == ((8.36, 1.70), None, None)
    assert find_published("MRVM", replace(setting("hybrid", "mrvm"), generic=True)) is None
    assert find_published("MRVM", replace(setting("mlhca", "mrvm"), generic=False)) is None


def test_nothing_stands_beside_another_budget():
    """Tests that runs with fewer queries or other goods are not put beside published ones."""
    assert find_published("LSVM", setting("boca", num_total=60)) is None
    assert find_published("LSVM", setting("random", num_initial=20)) is None
    assert find_published("LSVM", replace(setting("boca"), generic=True)) is None
    assert find_published("GSVM", setting("boca", "gsvm")) is None
    assert find_published("TOY", setting("random", "toy")) is None


@pytest.mark.parametrize("num_initial", [40, 20])
@pytest.mark.parametrize("q", [0.6, 0.75, 0.9, 0.95])
def test_instances_agree_with_the_tables(q, num_initial):
    """Tests that the published means are the means of the published instances."""
    own = setting("boca", "mrvm", q=q, num_initial=num_initial)
    found = find_published("MRVM", own)
    losses = published_instances("MRVM", own)

    assert sorted(losses) == list(range(10001, 10051))
    assert np.mean(list(losses.values())) == pytest.approx(found.loss[0], abs=0.006)


def test_revenue_of_instances_agrees_with_the_table():
    """Tests the revenues in the same way."""
    own = setting("boca", "mrvm")
    revenues = published_instances("MRVM", own, "revenue")

    found = find_published("MRVM", own)
    assert np.mean(list(revenues.values())) == pytest.approx(found.revenue[0], abs=0.006)


def test_other_domains_have_no_published_instances():
    """Tests that nothing is made up."""
    assert published_instances("LSVM", setting("boca")) == {}
    assert published_instances("MRVM", setting("mvnn", "mrvm")) == {}


def test_p_values_belong_to_mechanisms_of_table_1():
    """Tests that our mvnn, which has other networks than MVNN-MLCA, gets no p-value of it."""
    assert published_p("LSVM", setting("mvnn")) is None
    assert published_p("LSVM", setting("random")) is None
    assert published_p("LSVM", replace(setting("random"), mechanism="nn")) == 3e-4


def test_yardsticks():
    """Tests the figures a reader compares with."""
    assert state_of_the_art("MRVM") == (4.81, 0.57)
    assert "1.43" in noise("MRVM")
    assert noise("GSVM") is None


def test_paths_of_clock_bids():
    """Tests that they are found where identical licences are merged, or where there are none."""
    merged = replace(setting("ml-cca", "mrvm"), generic=True)

    assert published_path("MRVM", merged) == (
        [5, 20, 40, 50, 70, 99],
        [40.8, 44.5, 39.0, 10.3, 7.28, 6.92],
    )
    assert published_path("LSVM", setting("cca"))[1][-2:] == [21.1, 17.44]
    assert published_path("MRVM", setting("cca", "mrvm")) is None
    assert published_path("LSVM", setting("boca")) is None
    assert published_path("LSVM", setting("cca", num_total=60)) is None
