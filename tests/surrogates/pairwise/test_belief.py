"""Beliefs after comparisons: against samples, by properties, and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from boca.core import Comparison, Comparisons, InputError
from boca.surrogates.pairwise import Belief, PairwiseParams, Prior

NUM = 6


def a_prior(rng, unit=1.0):
    """A prior with pairs of both signs."""
    pairs = np.triu(rng.normal(0, 15, (NUM, NUM)), 1)
    spread = np.triu(rng.uniform(2, 12, (NUM, NUM)), 1)
    return Prior(
        rng.uniform(20, 90, NUM) * unit,
        rng.uniform(5, 20, NUM) ** 2 * unit**2,
        (pairs + pairs.T) * unit,
        (spread + spread.T) ** 2 * unit**2,
        unit,
    )


def two_bundles(rng):
    while True:
        rows = rng.integers(0, 2, (2, NUM))
        if (rows[0] != rows[1]).any():
            return rows


def some_answers(rng, count, answers=("first", "second", "same")):
    return [
        Comparison(*two_bundles(rng), answers[rng.integers(len(answers))]) for _ in range(count)
    ]


def features(rows):
    """Courses and pairs of courses as columns."""
    low, high = np.triu_indices(NUM, 1)
    return np.hstack([rows, rows[:, low] * rows[:, high]]).astype(float)


def flat(prior):
    """Means and variances of all worths and effects."""
    low, high = np.triu_indices(NUM, 1)
    return (
        np.append(prior.mean, prior.pairs[low, high]),
        np.append(prior.variance, prior.pair_variance[low, high]),
    )


@pytest.mark.parametrize("seed", range(4))
def test_three_answers_against_samples(seed):
    """Tests means and variances of all utilities against 200,000 weighted draws of the prior."""
    rng = np.random.default_rng(seed)
    prior, params = a_prior(rng), PairwiseParams(doubt=5.0, same_within=15.0)
    mean, variance = flat(prior)
    answers = []
    while len(answers) < 3:  # of differences that can be of either sign, so that draws suffice
        bundles = two_bundles(rng)
        difference = features(bundles).T @ [1, -1]
        if abs(difference @ mean) < 0.5 * np.sqrt(difference**2 @ variance):
            answers.append(Comparison(*bundles, ("first", "second", "same")[len(answers)]))
    belief = Belief(prior, Comparisons(tuple(answers)), params)
    draws = mean + np.sqrt(variance) * rng.standard_normal((200_000, len(mean)))
    weights = np.ones(len(draws))
    for c in answers:
        d = draws @ features(np.array([c.first, c.second])).T @ [1, -1]
        likelihood = {
            "first": ndtr(d / 5),
            "second": ndtr(-d / 5),
            "same": np.exp(-0.5 * (d / 15) ** 2),
        }
        weights *= likelihood[c.answer]
    weights /= weights.sum()
    assert 1 / (weights**2).sum() > 5_000  # as good as so many draws of the posterior
    rows = rng.integers(0, 2, (30, NUM))
    utilities = draws @ features(rows).T
    sampled = weights @ utilities
    scale = np.abs(sampled).max()
    assert np.abs(belief.mean(rows) - sampled).max() < 0.02 * scale
    against = rows[0]
    differences = utilities - utilities[:, :1]
    spread = np.sqrt(weights @ differences**2 - (weights @ differences) ** 2)
    means, variances = belief.differences(rows, against)
    assert np.abs(means - (sampled - sampled[0])).max() < 0.02 * scale
    assert np.abs(np.sqrt(variances) - spread).max() < 0.02 * scale
    assert variances[0] == 0
    # What samples of the belief say is what the belief says.
    drawn = [belief.sample(rng) for _ in range(4_000)]
    own = np.array([function(rows) for function in drawn])
    assert np.abs(own.mean(axis=0) - belief.mean(rows)).max() < 0.03 * scale
    assert np.std(own - own[:, :1], axis=0) == pytest.approx(np.sqrt(variances), rel=0.08, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 8))
def test_an_answer_never_raises_the_variance_of_its_difference(seed, count):
    """Tests it after any number of other answers, contradictions included."""
    rng = np.random.default_rng(seed)
    belief = Belief(a_prior(rng), Comparisons(tuple(some_answers(rng, count))))
    (one,) = some_answers(rng, 1)
    before = belief.differences(one.first[None], one.second)[1][0]
    after = belief.tell(one).differences(one.first[None], one.second)[1][0]
    assert after <= before * (1 + 1e-3)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 5))
def test_an_answer_moves_its_difference_its_way(seed, count):
    """Tests that "first" raises it, "second" lowers it, "same" brings it nearer to 0."""
    rng = np.random.default_rng(seed)
    belief = Belief(a_prior(rng), Comparisons(tuple(some_answers(rng, count))))
    first, second = two_bundles(rng)

    def difference(answer):
        told = belief.tell(Comparison(first, second, answer))
        return told.differences(first[None], second)[0][0]

    before = belief.differences(first[None], second)[0][0]
    rounding = 1e-6  # an answer that everybody expected moves nothing
    assert difference("second") <= before + rounding
    assert difference("first") >= before - rounding
    assert difference("first") > difference("second")
    assert abs(difference("same")) <= abs(before) + rounding


def test_about_the_same_is_a_measurement():
    """Tests by hand: variance 100, error 25, so that a fifth of difference and variance is left."""
    nothing = np.zeros((2, 2))
    prior = Prior([80, 60], [50, 50], nothing, nothing, 1.0)
    belief = Belief(prior).tell(Comparison([1, 0], [0, 1], "same"))
    mean, variance = belief.differences(np.array([[1, 0]]), np.array([0, 1]))
    assert mean[0] == pytest.approx(20 * 25 / 125)
    assert variance[0] == pytest.approx(100 * 25 / 125)
    assert belief.mean.linear.tolist() == pytest.approx([72, 68])


def test_one_preference_by_hand():
    """Tests the formula of a normal distribution times Phi, for an answer without surprise."""
    nothing = np.zeros((2, 2))
    prior = Prior([70, 70], [50, 50], nothing, nothing, 1.0)
    belief = Belief(prior).tell(Comparison([1, 0], [0, 1], "first"))
    mean, variance = belief.differences(np.array([[1, 0]]), np.array([0, 1]))
    share = 100 / 125  # variance over variance with doubt
    assert mean[0] == pytest.approx(10 * np.sqrt(share * 2 / np.pi))
    assert variance[0] == pytest.approx(100 * (1 - share * 2 / np.pi))
    assert belief.chance([1, 0], [0, 1]) == pytest.approx(ndtr(mean[0] / np.sqrt(variance[0] + 25)))
    assert Belief(prior).chance([1, 0], [0, 1]) == 0.5


def test_the_scale_of_a_form_does_not_matter():
    """Tests that points of another size give the same belief in points of that size."""
    one, ten = (a_prior(np.random.default_rng(1), unit) for unit in (1.0, 10.0))
    answers = Comparisons(tuple(some_answers(np.random.default_rng(2), 5)))
    rows = np.random.default_rng(3).integers(0, 2, (20, NUM))
    small, large = Belief(one, answers), Belief(ten, answers)
    assert large.mean(rows) == pytest.approx(10 * small.mean(rows), rel=1e-6)
    assert large.differences(rows, rows[0])[1] == pytest.approx(
        100 * small.differences(rows, rows[0])[1], rel=1e-6, abs=1e-6
    )
    assert large.chance(rows[1], rows[2]) == pytest.approx(small.chance(rows[1], rows[2]))


def test_contradictions_and_repetitions_stay_finite():
    """Tests what people may do: the same pair ten times, with both answers, against all odds."""
    prior = a_prior(np.random.default_rng(5))
    best, worst = np.ones(NUM, dtype=int), np.eye(NUM, dtype=int)[0]
    belief = Belief(prior)
    for answer in ["second"] * 10 + ["first", "same"] * 5:
        belief = belief.tell(Comparison(best, worst, answer))
    mean, variance = belief.differences(best[None], worst)
    assert np.isfinite(mean).all()
    assert 0 < variance[0] < 10**4
    assert abs(mean[0]) < 10  # ten for, ten against and "the same"


def test_the_order_of_answers_does_not_matter():
    """Tests that the same answers on any way give the same belief, but for rounding."""
    rng = np.random.default_rng(8)
    prior, answers = a_prior(rng), some_answers(rng, 8)
    rows = rng.integers(0, 2, (20, NUM))
    one = Belief(prior, Comparisons(tuple(answers))).mean(rows)
    other = Belief(prior, Comparisons(tuple(answers[::-1]))).mean(rows)
    assert other == pytest.approx(one, abs=0.01)


def test_another_market_is_refused():
    """Tests the message."""
    with pytest.raises(InputError, match="bundles of 2 courses; expected 6"):
        Belief(a_prior(np.random.default_rng(0))).tell(Comparison([1, 0], [0, 1], "first"))
