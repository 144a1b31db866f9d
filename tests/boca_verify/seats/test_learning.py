"""What the verifier learns from forms and answers, against the engine's own way."""

import numpy as np
import pytest

from boca.core.comparison import Comparison, Comparisons
from boca.functions import AdjustedSum, Adjustment
from boca.surrogates.pairwise import Belief, PairwiseParams, read_forms
from boca_verify.seats.learning import LoggedForm, learned, spread_of

ALONE = PairwiseParams(is_pooled=False)


def drawn(rng, num):
    """A form, and answers about random schedules, some of which contradict each other."""
    rated = rng.choice(num, rng.integers(1, num + 1), replace=False)
    ratings = {int(j): int(rng.integers(0, 101)) for j in rated}
    pairs = {}
    for _ in range(rng.integers(0, 3)):
        a, b = sorted(int(j) for j in rng.choice(num, 2, replace=False))
        pairs[a, b] = int(rng.integers(1, 60)) * int(rng.choice([-1, 1]))
    answers = []
    for _ in range(rng.integers(0, 9)):
        first, second = (tuple(np.flatnonzero(rng.random(num) < 0.4).tolist()) for _ in range(2))
        if first != second:
            answers.append((first, second, bool(rng.random() < 0.3)))
    return LoggedForm(ratings, pairs, tuple(answers))


def bundle(courses, num):
    row = np.zeros(num, dtype=np.int64)
    row[list(courses)] = 1
    return row


@pytest.mark.parametrize("seed", range(40))
def test_both_ways_agree(seed):
    """Tests centre, spread, worths and effects of pairs to a thousandth of a point."""
    rng, num = np.random.default_rng(seed), 6
    forms = [drawn(rng, num) for _ in range(4)]
    functions = [
        AdjustedSum(
            [form.ratings.get(j, 0) for j in range(num)],
            tuple(Adjustment.together(list(both), n) for both, n in form.pairs.items()),
        )
        for form in forms
    ]
    population = read_forms(functions, ALONE)
    centre, spread = spread_of(forms, num)
    assert (centre, spread) == pytest.approx((population.centres[0], population.spread), abs=1e-9)
    for form, function in zip(forms, functions, strict=True):
        if not form.answers:
            continue
        given = [
            Comparison(bundle(a, num), bundle(b, num), "same" if same else "first")
            for a, b, same in form.answers
        ]
        mean = Belief(population.prior(function), Comparisons(tuple(given)), ALONE).mean
        worth, effects = learned(form, num, centre, spread)
        assert worth == pytest.approx(mean.linear, abs=2e-3)
        for (j, k), effect in effects.items():
            assert effect == pytest.approx(2 * mean.matrix[j, k], abs=2e-3)


def test_nobody_has_typed_anything():
    """Tests that there is a distribution before the first form."""
    assert spread_of([LoggedForm({}, {}), LoggedForm({1: 0}, {})], 4) == (50.0, 25.0)
