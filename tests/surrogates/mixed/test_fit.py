"""From values and demands to fitted functions."""

import numpy as np
import pytest
from random_functions import all_bundles

from boca.core import Bidder, Good, InputError, Limit, Market, Reports, Seeds
from boca.core.demand import Demands
from boca.surrogates.mixed import MixedParams
from boca.surrogates.mixed.answers import Answers
from boca.surrogates.mixed.fit import KEPT, Kept, fit, fit_bidder

CAPACITIES = [1, 2, 1, 1]
MARKET = Market.simple(4, 2, CAPACITIES)
BUNDLES = all_bundles(CAPACITIES)
TINY = MixedParams(hidden_units=16, steps=300)
ANY = {"": TINY}


def true_values(bundles, scale=100.0):
    """Decreasing returns in the number of copies, and good 0 is worth twice the others."""
    return scale * (np.asarray(bundles) @ [2, 1, 1, 1]) ** 0.7


def answers_of(num_values=8, num_demands=6, seed=0, scale=100.0):
    """Truthful answers; the full bundle's value is always among them."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(np.arange(1, len(BUNDLES) - 1))[: num_values - 1]
    rows = BUNDLES[[*chosen, -1]] if num_values else BUNDLES[:0]
    demands = Demands.empty(4)
    for _ in range(num_demands):
        prices = scale * rng.uniform(0.1, 1.2, 4)
        profits = true_values(BUNDLES, scale) - BUNDLES @ prices
        demands = demands.add(prices, BUNDLES[profits.argmax()])
    return Reports(rows, true_values(rows, scale)), demands


@pytest.fixture(scope="module")
def fitted():
    """Two bidders, whose values differ a thousandfold, fitted once."""
    answers = [answers_of(seed=i, scale=100.0 * 1000**i) for i in range(2)]
    reports, demands = zip(*answers, strict=True)
    return reports, demands, fit(reports, demands, MARKET, ANY, Seeds(5))


def same(first, second) -> bool:
    """Whether two networks agree to the last bit."""
    return np.array_equal(first.weights[0], second.weights[0]) and np.array_equal(
        first.output, second.output
    )


def test_values_and_choices_are_learned(fitted):
    """Tests that values are met, and that wanted bundles are about the best for the network."""
    reports, demands, found = fitted
    for i, one in found.items():
        assert one.diagnostics["mean_r2"] > 0.95
        largest = reports[i].values.max()
        for prices, bundle in demands[i]:
            profits = one.mean(BUNDLES) - BUNDLES @ prices
            wanted = one.mean(bundle[None])[0] - bundle @ prices
            assert profits.max() - wanted < 0.05 * largest


def test_choices_teach_what_values_do_not():
    """Tests that with one value and many choices predictions are better than with the value."""
    reports, demands = answers_of(num_values=1, num_demands=30)
    both = fit([reports] * 2, [demands] * 2, MARKET, ANY, Seeds(1))[0].mean
    alone = fit([reports] * 2, [Demands.empty(4)] * 2, MARKET, ANY, Seeds(1))[0].mean
    truth = true_values(BUNDLES)
    assert np.abs(both(BUNDLES) - truth).mean() < 0.6 * np.abs(alone(BUNDLES) - truth).mean()


def test_without_values_the_scale_is_what_was_spent():
    """Tests a bidder that was only asked for demands, as in a clock auction."""
    reports, demands = answers_of(num_values=0, num_demands=20)
    mean = fit([reports] * 2, [demands] * 2, MARKET, ANY, Seeds(1))[0].mean
    spent = (demands.prices * demands.bundles).sum(axis=1).max()
    assert mean(BUNDLES[-1:])[0] > 0.5 * spent


def test_networks_are_monotone(fitted):
    """Tests that training leaves the networks valid."""
    parts = (BUNDLES[:, None, :] <= BUNDLES[None, :, :]).all(axis=2)
    for one in fitted[2].values():
        values = one.mean(BUNDLES)
        assert values[0] == 0
        assert (values[:, None] <= values[None, :] + 1e-9)[parts].all()


def test_bound_is_the_revealed_one(fitted):
    """Tests that the envelope holds for the true values, and goes through the reports."""
    reports, _, found = fitted
    for i, one in found.items():
        assert (one.envelope(BUNDLES) >= true_values(BUNDLES, 100.0 * 1000**i) * (1 - 1e-9)).all()
        np.testing.assert_allclose(one.envelope(reports[i].bundles), reports[i].values)


def test_round_does_not_matter_and_new_answers_do(fitted):
    """Tests that a bidder without new answers keeps its network, whatever the seed's path."""
    reports, demands, found = fitted
    later = fit(reports, demands, MARKET, ANY, Seeds(5).child("round", 7))
    assert same(later[0].mean, found[0].mean)
    more = reports[0].add(BUNDLES[:1], [0.0])
    again = fit([more, reports[1]], demands, MARKET, ANY, Seeds(5))
    assert not same(again[0].mean, found[0].mean)
    assert same(again[1].mean, found[1].mean)


def test_memory_changes_nothing(fitted):
    """Tests that a fit made anew equals the one that was kept, and that few are kept."""
    reports, demands, found = fitted
    KEPT.forget()
    assert same(fit(reports, demands, MARKET, ANY, Seeds(5), num_threads=1)[1].mean, found[1].mean)

    kept = Kept(most=1)
    answers = [Answers(reports[i], demands[i], MARKET, i) for i in range(2)]
    first = kept.fit(answers[0], TINY, Seeds(0))
    assert kept.fit(answers[0], TINY, Seeds(0)) is first
    kept.fit(answers[1], TINY, Seeds(0))
    assert kept.fit(answers[0], TINY, Seeds(0)) is not first


def test_members_differ_and_average():
    """Tests that several members give an upper bound at least as high as their mean."""
    reports, demands = answers_of()
    answers = Answers(reports, demands, MARKET, 0)
    one = fit_bidder(answers, MixedParams(hidden_units=8, steps=60, members=3), Seeds(2))
    spread = one.upper(BUNDLES) - one.mean(BUNDLES)
    assert (spread >= -1e-9).all()
    assert spread.max() > 0
    assert one.mean.weights[0].shape == (4, 24)


def test_silent_bidders_are_left_out_and_worthless_answers_give_nothing():
    """Tests a bidder who said nothing, and one who wants nothing even for nothing."""
    silent, free = Demands.empty(4), Demands.empty(4).add(np.zeros(4), np.zeros(4))
    found = fit([Reports.empty(4)] * 2, [silent, free], MARKET, ANY, Seeds(0))
    assert list(found) == [1]
    assert (found[1].mean(BUNDLES) == 0).all()
    assert (found[1].envelope(BUNDLES) == 0).all()


def test_limits_keep_impossible_bundles_out():
    """
    Tests that a wanted bundle competes only with allowed ones: the bidder may have one good, and
    wants the dearest although more would be better still.
    """
    goods = tuple(Good(f"good {j}") for j in range(3))
    market = Market(goods, (Bidder("one", limits=(Limit((1.0, 1.0, 1.0), 1.0),)),))
    demands = Demands.empty(3)
    for _ in range(5):
        demands = demands.add([1.0, 1.0, 3.0], [0, 0, 1])
    reports = Reports([[0, 0, 1]], [10.0])
    one = fit([reports], [demands], market, ANY, Seeds(0))[0]
    assert one.diagnostics["loss_demand"] < 1e-3
    assert one.mean([[0, 0, 1]])[0] == pytest.approx(10.0, rel=0.05)


def test_unknown_types_and_strange_bundles_are_refused():
    """Tests the messages."""
    reports, demands = answers_of()
    with pytest.raises(InputError, match="no parameters for bidder type ''"):
        fit([reports] * 2, [demands] * 2, MARKET, {"national": TINY}, Seeds(0))
    beyond = Reports([[1, 3, 1, 1]], [1.0])
    with pytest.raises(InputError, match="A report of bidder 'bidder 0' cannot be used"):
        fit([beyond] * 2, [demands] * 2, MARKET, ANY, Seeds(0))


def test_suppliers_who_chose_nothing_said_nothing_about_costs():
    """
    Tests a purchase: whoever would supply nothing is left out rather than believed to cost
    nothing; with costs of 0 there is a bound too; and offered bundles are learned from.
    """
    goods = tuple(Good(f"lot {j}", c) for j, c in enumerate(CAPACITIES))
    market = Market(goods, tuple(map(Bidder, "ABC")), sense="buy")
    declined = Demands([[5.0] * 4], [[0] * 4])
    offered = Demands([[50.0] * 4, [1.0] * 4], [[1, 0, 0, 1], [0] * 4])
    free = Reports([[1, 0, 0, 0]], [0.0])
    reports = [Reports.empty(4), free, Reports.empty(4)]
    params = {"": MixedParams(hidden_units=4, steps=60, members=2)}

    fitted = fit(reports, [declined, declined, offered], market, params, Seeds(1))

    assert sorted(fitted) == [1, 2]
    assert fitted[1].upper([[1, 1, 1, 1]]).tolist() == [0]
    assert fitted[2].envelope is None
    assert fitted[2].mean([[1, 0, 0, 1]])[0] <= 101  # it was offered for 100
    selling, answers = Market.simple(4, 3, CAPACITIES), [declined, declined, offered]
    sale = fit(reports, answers, selling, params, Seeds(1))
    assert sorted(sale) == [0, 1, 2]
