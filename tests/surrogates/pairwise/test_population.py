"""From forms to beliefs: by hand, at the edges, and with what students have in common."""

import numpy as np
import pytest
from scipy.stats import norm, truncnorm

from boca.core import InputError
from boca.functions import AdjustedSum, Adjustment
from boca.lab.domains.courses import NINE, CourseSetting, draw_courses
from boca.surrogates.pairwise import PairwiseParams, read_forms
from boca.surrogates.pairwise.pooling import pooling_test

ALONE = PairwiseParams(is_pooled=False)
POOLED = PairwiseParams(is_pooled=True)


def latent_forms(num, num_courses, seed, centre=40.0, spread=25.0, share=0.5):
    """Forms whose typed ratings are the top share of normal ones, with the highest at 100."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(centre, spread, (num, num_courses))
    keep = int(num_courses * share)
    rows[np.argsort(np.argsort(rows)) < num_courses - keep] = 0
    return [AdjustedSum(np.maximum(row, 0)) for row in rows]


def test_centre_and_spread_of_what_was_not_typed_are_found():
    """Tests that the top half tells where all of it lies, on the scale of the highest ratings."""
    forms = latent_forms(400, 40, 1)
    highest = np.mean([form.ratings.max() for form in forms])
    population = read_forms(forms, ALONE)
    assert population.centres[0] == pytest.approx(40 * 100 / highest, rel=0.12)
    assert population.spread == pytest.approx(25 * 100 / highest, rel=0.08)
    assert np.ptp(population.centres) == 0


def test_a_prior_by_hand():
    """Tests shrinking, the cut-off of what was not typed, and the variances, formula by formula."""
    ratings = np.array([100.0, 80, 60, 0, 0, 0])
    population = read_forms([AdjustedSum(ratings)], ALONE)
    # Half was typed: the top half of a normal distribution has its mean 0.798 above the centre.
    lift = norm.pdf(0) / 0.5
    spread = (80 - 60) / lift
    centre = 80 - lift * spread
    assert (population.spread, population.centres[0]) == pytest.approx((spread, centre))
    taste = max(spread**2 - 20**2, spread**2 / 4)
    trust = taste / spread**2
    prior = population.prior(AdjustedSum(ratings))
    assert prior.mean[:3] == pytest.approx(centre + trust * (ratings[:3] - centre))
    assert prior.variance[:3] == pytest.approx(np.full(3, taste * (1 - trust)))
    below = truncnorm(-np.inf, (60 - centre) / spread, centre, spread)
    assert prior.mean[3:] == pytest.approx(centre + trust * (np.full(3, below.mean()) - centre))
    assert prior.variance[3:] == pytest.approx(
        np.full(3, taste * (1 - trust) + trust**2 * below.var())
    )
    # Pairs that nobody typed: with one of the best three, and without.
    sums = prior.mean[:, None] + prior.mean
    assert (prior.pairs == 0).all()
    assert prior.pair_variance[0, 5] == pytest.approx((0.12 * sums[0, 5]) ** 2)
    assert prior.pair_variance[4, 5] == pytest.approx((0.3 * 0.12 * sums[4, 5]) ** 2)
    assert (np.diag(prior.pair_variance) == 0).all()


def test_noise_that_explains_everything_leaves_a_quarter():
    """Tests that ratings are never taken for noise alone."""
    form = AdjustedSum(np.array([100.0, 98, 96, 0, 0, 0]))
    population = read_forms([form], ALONE)
    prior = population.prior(form)
    assert population.spread < 20
    assert prior.mean[0] - prior.mean[2] == pytest.approx(4 / 4)


def test_typed_pairs():
    """Tests shares, points, and sets of three whose points are spread over pairs."""
    ratings = np.array([50.0, 40, 30, 20, 10, 0])
    form = AdjustedSum(
        ratings,
        (
            Adjustment([0, 1], factors=[0, 0, -0.4]),
            Adjustment.together([2, 3], 25.0),
            Adjustment.together([1, 3, 4], 30.0),
        ),
    )
    prior = read_forms([form], ALONE).prior(form)
    sums = prior.mean[:, None] + prior.mean
    assert prior.pairs[0, 1] == pytest.approx(-0.4 * sums[0, 1])
    assert prior.pairs[3, 2] == pytest.approx(25)
    assert prior.pairs[1, 3] == prior.pairs[4, 1] == pytest.approx(10)
    assert prior.pairs[0, 2] == 0
    assert prior.pair_variance[0, 1] == pytest.approx((0.15 * sums[0, 1]) ** 2)
    assert prior.pair_variance[2, 3] == pytest.approx((0.15 * sums[2, 3]) ** 2)


def test_the_scale_of_one_form_is_its_own():
    """Tests that a student who writes 0 to 10 among others who write 0 to 100 is understood."""
    forms = list(draw_courses(CourseSetting(num_students=30), 20_003).forms)
    ten = [AdjustedSum(forms[0].ratings / 10, forms[0].adjustments), *forms[1:]]
    one, other = read_forms(forms, ALONE), read_forms(ten, ALONE)
    assert other.spread == pytest.approx(one.spread)
    assert other.prior(ten[0]).mean * 10 == pytest.approx(one.prior(forms[0]).mean)
    assert other.prior(ten[0]).variance * 100 == pytest.approx(one.prior(forms[0]).variance)
    assert other.prior(ten[0]).pair_variance * 100 == pytest.approx(
        one.prior(forms[0]).pair_variance
    )


@pytest.mark.parametrize("params", [ALONE, POOLED])
def test_forms_that_say_little(params):
    """Tests an empty form, one rating, all ratings equal, all courses rated, one student."""
    forms = [
        AdjustedSum(np.zeros(5)),
        AdjustedSum(np.array([7.0, 0, 0, 0, 0])),
        AdjustedSum(np.full(5, 3.0)),
        AdjustedSum(np.array([5.0, 4, 3, 2, 1])),
        AdjustedSum(np.array([1e-300, 0, 0, 0, 0])),
    ]
    for some in (forms, [forms[0]] * 3, [forms[3]]):
        population = read_forms(some, params)
        for form in some:
            prior = population.prior(form)
            for array in (prior.mean, prior.variance, prior.pairs, prior.pair_variance):
                assert np.isfinite(array).all()
            assert (prior.mean > 0).all()
            assert (prior.variance > 0).all()
    empty = read_forms(forms, ALONE).prior(forms[0])
    assert np.ptp(empty.mean) == 0  # nobody knows what this student likes
    full = read_forms(forms, ALONE).prior(forms[3])
    assert (np.diff(full.mean) < 0).all()


def test_pooling_adds_popularity_and_pairs_of_others():
    """Tests that a student who typed nothing of it is believed to like what others do."""
    rng = np.random.default_rng(4)
    forms = []
    for _ in range(40):
        ratings = rng.uniform(20, 60, 10)
        ratings[0] += 40  # everybody likes the first course
        ratings[rng.permutation(np.arange(1, 10))[:5]] = 0
        ratings[1] = 30
        forms.append(AdjustedSum(ratings, (Adjustment([0, 1], factors=[0, 0, 0.4]),)))
    late = AdjustedSum(np.array([0.0, 50, 50, 50, 50, 40, 0, 0, 0, 0]))
    alone, pooled = read_forms([*forms, late], ALONE), read_forms([*forms, late], POOLED)
    assert alone.prior(late).mean[0] == pytest.approx(alone.prior(late).mean[9])
    assert pooled.prior(late).mean[0] > pooled.prior(late).mean[9] + 5
    assert alone.prior(late).pairs[0, 1] == 0
    sums = pooled.prior(late).mean[0] + pooled.prior(late).mean[1]
    assert pooled.prior(late).pairs[0, 1] == pytest.approx(0.4 * sums)  # rate 1, one of the best
    assert pooled.prior(late).pairs[5, 6] == 0
    # Of 40 students two typed a pair: the rate is 2 / (0.25 * (those with a reason + 2)).
    assert pooled.pair_rates[0, 1] == 1
    few = [*(AdjustedSum(f.ratings) for f in forms[2:]), *forms[:2]]
    population = read_forms(few, POOLED)
    rate = population.pair_rates[0, 1]
    assert rate == pytest.approx(2 / (0.25 * 42))
    # What is doubtful is uncertain: rate (1 - rate) effect^2 on top of half the usual deviation.
    prior = population.prior(few[0])
    spread = rate * (1 - rate) * 0.4**2 + (0.06) ** 2
    sums = prior.mean[0] + prior.mean[1]
    assert prior.pair_variance[0, 1] == pytest.approx(spread * sums**2)


def test_the_test_finds_what_is_shared():
    """Tests the default decision on drawn students who have courses in common, or nothing."""
    shared = [read_forms(draw_courses(NINE, seed).forms) for seed in range(20_001, 20_003)]
    assert all(p.is_pooled and p.pooling.p_value == 0.001 for p in shared)
    alone = CourseSetting(is_alike=False)
    own = [read_forms(draw_courses(alone, seed).forms) for seed in range(20_001, 20_005)]
    assert not any(p.is_pooled for p in own)
    assert read_forms(draw_courses(alone, 20_001).forms, POOLED).is_pooled
    assert not read_forms(draw_courses(NINE, 20_001).forms, ALONE).is_pooled


def test_repeats_are_counted_by_pair_and_sign():
    """Tests the statistic by hand, and that popular courses alone are not a reason to pool."""
    pairs = [np.array([[0, 1]]), np.array([[1, 0], [2, 3]]), np.array([[0, 1]])]
    signs = [np.array([1.0]), np.array([1.0, -1.0]), np.array([-1.0])]
    test = pooling_test(pairs, signs, np.random.default_rng(0))
    assert (test.num_typed, test.repeats) == (4, 1)
    # Everybody's pair has course 0, each time with another partner.
    star = [np.array([[0, k % 12 + 1]]) for k in range(36)]
    rng = np.random.default_rng(1)
    same = pooling_test(star, [np.ones(1)] * 36, rng)
    assert same.p_value > 0.5
    assert same.repeats == pytest.approx(same.expected, rel=0.4)
    nothing = pooling_test([np.zeros((0, 2))], [np.zeros(0)], rng)
    assert (nothing.num_typed, nothing.repeats, nothing.p_value) == (0, 0, 1.0)


def test_p_values_are_uniform_without_anything_shared():
    """Tests that chance is called something in common as often as it says, at most."""
    rng = np.random.default_rng(7)
    count = 0
    for _ in range(10):
        pairs = [rng.choice(10, 2, replace=False)[None] for _ in range(30)]
        signs = [rng.choice([-1.0, 1.0], 1) for _ in range(30)]
        count += pooling_test(pairs, signs, rng).p_value < 0.2
    assert count <= 6  # 2 expected, standard deviation 1.3


@pytest.mark.parametrize(
    "wrong",
    [
        {"doubt": 0},
        {"rating_noise": float("nan")},
        {"same_within": -1},
        {"detection": 0},
        {"minor_share": 1.5},
        {"num_high": 0},
    ],
)
def test_settings_are_checked(wrong):
    """Tests one message each."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        PairwiseParams(**wrong)
