import numpy as np
import pytest
from hypothesis import given, settings
from random_functions import all_bundles, capacities, envelope, generators, some_bundles

from boca.core import InputError, Reports
from boca.functions import Envelope
from boca.functions.arrays import contained


def monotone_reports(rng, capacities):
    """Random bundles, with the full one, and values of a random monotone function."""
    bundles = all_bundles(capacities)
    values = rng.random(len(bundles))
    values[0] = 0
    values = np.where(contained(bundles, bundles, capacities), values[:, None], 0).max(axis=0)
    asked = rng.random(len(bundles)) < 0.3
    asked[-1] = True
    return bundles[asked], values[asked]


def largest_monotone_function(reported, values, capacities):
    """
    The largest monotone function through the reports, by lowering until nothing changes.

    Starts above every candidate, sets the reported values, and lowers each bundle to the value of
    the bundles with one more copy: what is left is above no monotone function, and monotone.
    """
    bundles = all_bundles(capacities)
    place = {tuple(b): i for i, b in enumerate(bundles.tolist())}
    found = np.full(len(bundles), np.inf)
    for bundle, value in zip(reported.tolist(), values, strict=True):
        found[place[tuple(bundle)]] = value
    found[0] = 0
    changed = True
    while changed:
        changed = False
        for i, bundle in enumerate(bundles.tolist()):
            for g in range(len(capacities)):
                above = place.get((*bundle[:g], bundle[g] + 1, *bundle[g + 1 :]))
                if above is not None and found[i] > found[above]:
                    found[i], changed = found[above], True
    return found


def test_value_by_hand():
    """Tests the bound with two reports besides the full bundle."""
    bound = Envelope([[1, 1, 0], [0, 1, 1], [1, 1, 1]], [4.0, 3.0, 9.0])

    bundles = [[0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 1]]
    assert bound(bundles).tolist() == [0, 3, 4, 3, 9, 4, 9]


@given(generators(), capacities(max_goods=3))
@settings(max_examples=40, deadline=None)
def test_it_is_the_largest_monotone_function_through_the_reports(rng, capacities):
    """Tests Theorem 1 with and without further copies."""
    reported, values = monotone_reports(rng, capacities)

    bound = Envelope(reported, values, capacities)

    expected = largest_monotone_function(reported, values, capacities)
    np.testing.assert_allclose(bound(all_bundles(capacities)), expected)


@given(generators(), capacities())
@settings(max_examples=40, deadline=None)
def test_as_monotone_net_is_the_same_function(rng, capacities):
    """Tests Equation 27 and our further layer for goods with more copies."""
    bound = envelope(rng, capacities)
    net = bound.as_monotone_net()

    np.testing.assert_allclose(net(all_bundles(capacities)), bound(all_bundles(capacities)))
    assert net.depth == (2 if (capacities == 1).all() else 3)


@given(generators(), capacities())
@settings(max_examples=30, deadline=None)
def test_contradictory_reports_give_a_monotone_bound_above_all_of_them(rng, capacities):
    """Tests reports of people, who may value a part more than the whole."""
    reported = np.unique(np.concatenate([some_bundles(rng, capacities), [capacities]]), axis=0)
    values = rng.random(len(reported))

    bound = Envelope(reported, values, capacities)

    bundles = all_bundles(capacities)
    everywhere = bound(bundles)
    parts = contained(bundles, bundles, capacities)
    assert (everywhere[:, None] <= np.where(parts, everywhere, np.inf)).all()
    asked = reported.any(axis=1)
    assert (bound(reported[asked]) >= values[asked]).all()


def test_a_part_worth_more_than_the_full_bundle_stays():
    """Tests that the largest report is kept although it sorts behind the full bundle."""
    bound = Envelope([[1, 0], [1, 1]], [5.0, 4.0])

    assert bound([[1, 0], [0, 1], [1, 1]]).tolist() == [5, 5, 5]


def test_the_full_bundle_is_needed():
    """Tests that a missing full bundle is not guessed, but may be replaced by a known top."""
    reports = Reports(np.array([[1, 0]]), np.array([2.0]))

    with pytest.raises(InputError, match="full bundle is not among the reports"):
        Envelope.from_reports(reports)
    assert Envelope.from_reports(reports, top=7.0)([[1, 0], [0, 1]]).tolist() == [2, 7]


def test_the_empty_bundle_is_worth_nothing():
    """Tests normalisation, also where somebody reports the empty bundle."""
    assert Envelope([[0, 0], [1, 1]], [1.0, 3.0])([[0, 0], [1, 0]]).tolist() == [0, 3]


def test_reports_are_kept_once_by_value_and_read_only():
    """
    Tests what is kept: the empty bundle at 0, reports by value, the full bundle, as whole numbers
    that nobody can change afterwards.
    """
    bound = Envelope([[0, 0], [0, 1], [1, 1], [1, 0]], [3.0, 4.0, 9.0, 2.0])

    assert bound.bundles.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert bound.values.tolist() == [0, 2, 4, 9]  # the 3 reported for nothing counts nowhere
    assert bound.top == 9
    assert bound.bundles.dtype == np.int64
    assert not bound.bundles.flags.writeable
    assert not bound.values.flags.writeable


def test_top_is_never_below_a_report():
    """Tests a bidder who says that nothing is worth more than 3 and reports 5."""
    bundles = [[1, 0, 0], [0, 1, 0]]

    assert Envelope(bundles, [2.0, 5.0], top=3.0)([1, 1, 1]).tolist() == [5]
    assert Envelope(bundles, [0.0, 0.25], top=0.5)([1, 1, 1]).tolist() == [0.5]


def test_wrong_reports_are_refused():
    """Tests one bundle instead of a stack, and one negative value among others."""
    with pytest.raises(InputError, match=r"bundles of shape \(2,\); expected \(num_reports"):
        Envelope([1, 1], [1.0])
    with pytest.raises(InputError, match="Received the value -2; expected at least 0"):
        Envelope([[1, 0], [0, 1], [1, 1]], [1.0, -2.0, 4.0])
