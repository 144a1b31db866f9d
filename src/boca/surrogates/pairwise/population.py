"""What all forms together say: how ratings are spread, and what students have in common."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from boca.core.randomness import Seeds
from boca.functions import AdjustedSum
from boca.surrogates.pairwise.params import PairwiseParams
from boca.surrogates.pairwise.pooling import PoolingTest, pooling_test
from boca.surrogates.pairwise.prior import Form, Prior

# A course is worth at least this much of 100.
LEAST_WORTH = 1.0
# Ratings of a group are at least so widely spread; a group of equal ratings says nothing.
LEAST_SPREAD = 1.0
# Of the spread of ratings, at least half is taste, however noisy forms are thought to be.
LEAST_TASTE = 0.5
# A rating below the smallest typed one is not known better than this share of the variance.
LEAST_UNKNOWN = 0.05


@dataclass(frozen=True, eq=False)
class Population:
    """
    The distribution that a student's ratings come from, and the priors that follow from it.

    Latent ratings, those that would have been typed had everything been typed, are normal; what
    was typed is their top share.

    Parameters
    ----------
    params
        How far forms are believed.
    spread
        Standard deviation of latent ratings.
    centres
        Their mean, per course ``(num_goods,)``; all equal unless pooled.
    pair_rates, pair_effects
        How probable it is that a pair has an effect because others typed it, and how large that is
        as a share of the two courses' worth ``(num_goods, num_goods)``; all 0 unless pooled.
    pooling
        How often typed pairs repeat among students.
    is_pooled
        Whether what others typed is used.
    """

    params: PairwiseParams
    spread: float
    centres: np.ndarray
    pair_rates: np.ndarray
    pair_effects: np.ndarray
    pooling: PoolingTest
    is_pooled: bool

    def prior(self, form: AdjustedSum) -> Prior:
        """What is believed of the student with a form."""
        own = Form.of(form)
        mean, variance = self._worth(own)
        params = self.params
        sums = mean[:, None] + mean
        high = _is_high(mean, params.num_high)
        interest = np.where(high[:, None] | high, 1.0, params.minor_share)
        rates = self.pair_rates * interest
        means = np.where(own.stated, own.factors, rates * self.pair_effects)
        # Where others are listened to, a pair that none of them typed is less probable to matter.
        share = params.pair_share * interest * np.where(self.is_pooled, 0.5, 1.0)
        doubted = rates * (1 - rates) * self.pair_effects**2
        variances = np.where(own.stated, params.typed_share**2, share**2 + doubted)
        pairs = means * sums + own.points
        pair_variance = variances * sums**2
        np.fill_diagonal(pairs, 0)
        np.fill_diagonal(pair_variance, 0)
        unit = own.unit
        return Prior(mean * unit, variance * unit**2, pairs * unit, pair_variance * unit**2, unit)

    def _worth(self, form: Form) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of the worth of every course, on the common scale."""
        taste = max(self.spread**2 - self.params.rating_noise**2, (LEAST_TASTE * self.spread) ** 2)
        trust = taste / self.spread**2
        # What was not typed is known to be below what was: a normal distribution cut off above.
        cut = (form.lowest - self.centres) / self.spread
        density = np.exp(-0.5 * cut**2) / np.sqrt(2 * np.pi)
        ratio = density / np.maximum(ndtr(cut), 1e-9)
        if not form.typed.any():
            cut = ratio = np.zeros(len(self.centres))
        latent = np.where(form.typed, form.ratings, self.centres - self.spread * ratio)
        unknown = np.maximum(1 - cut * ratio - ratio**2, LEAST_UNKNOWN) * self.spread**2
        mean = self.centres + trust * (latent - self.centres)
        variance = taste * (1 - trust) + trust**2 * np.where(form.typed, 0.0, unknown)
        return np.maximum(mean, LEAST_WORTH), variance


def read_forms(
    forms: Sequence[AdjustedSum], params: PairwiseParams | None = None, seed: int = 0
) -> Population:
    """
    What all forms together say.

    Parameters
    ----------
    forms
        Ratings and adjustments, one function per student, all for the same courses.
    params
        How far forms are believed.
    seed
        Of the permutations that decide whether to pool.
    """
    params = PairwiseParams() if params is None else params
    all_forms = [Form.of(form) for form in forms]
    stated = [np.argwhere(np.triu(form.stated)) for form in all_forms]
    signs = [
        np.sign((form.factors + form.points)[tuple(pairs.T)])
        for form, pairs in zip(all_forms, stated, strict=True)
    ]
    pooling = pooling_test(stated, signs, Seeds(seed).child("pooling").generator())
    is_pooled = (
        pooling.p_value < params.significance if params.is_pooled is None else params.is_pooled
    )
    ratings = np.array([form.ratings for form in all_forms])
    centre, spread, share = _latent(all_forms)
    num = ratings.shape[1]
    nothing = np.zeros((num, num))
    alone = Population(params, spread, np.full(num, centre), nothing, nothing, pooling, is_pooled)
    if not is_pooled:
        return alone
    typed = ratings > 0
    cut = ndtri(1 - share)
    below = centre - spread * np.exp(-0.5 * cut**2) / np.sqrt(2 * np.pi) / (1 - share)
    centres = centre + _shrunk(np.where(typed, ratings, below))
    pooled = Population(params, spread, centres, nothing, nothing, pooling, is_pooled)
    rates, effects = _common_pairs(all_forms, pooled)
    return Population(params, spread, centres, rates, effects, pooling, is_pooled)


def _latent(forms: Sequence[Form]) -> tuple[float, float, float]:
    """Mean and spread of latent ratings, and the share of them that was typed."""
    typed = np.concatenate([form.ratings[form.typed] for form in forms])
    lowest = [form.lowest for form in forms if form.typed.any()]
    if not len(typed):
        return 50.0, 25.0, 0.5  # nobody typed anything: any scale will do
    num = len(forms[0].ratings)
    # Where all was typed, the smallest is still not the end of the distribution.
    share = float(np.clip(np.mean([form.typed for form in forms]), 0.5 / num, 1 - 0.5 / num))
    cut = ndtri(1 - share)
    lift = np.exp(-0.5 * cut**2) / np.sqrt(2 * np.pi) / share  # mean of the top share
    spread = max((typed.mean() - np.mean(lowest)) / (lift - cut), LEAST_SPREAD)
    return float(typed.mean() - lift * spread), float(spread), share


def _shrunk(latent: np.ndarray) -> np.ndarray:
    """How much more popular each course is than the average one, less what chance explains."""
    noise = latent.var(axis=0, ddof=1).mean() / len(latent) if len(latent) > 1 else np.inf
    popularity = latent.mean(axis=0) - latent.mean()
    between = max(float(popularity.var()) - noise, 0.0)
    if between == 0:
        return np.zeros(len(popularity))
    result: np.ndarray = popularity * between / (between + noise)
    return result


def _common_pairs(forms: Sequence[Form], pooled: Population) -> tuple[np.ndarray, np.ndarray]:
    """How probable an effect of every pair is, and how large it was where it was typed."""
    num = len(forms[0].ratings)
    counts, effects, reasons = np.zeros((num, num)), np.zeros((num, num)), np.zeros((num, num))
    for form in forms:
        mean, _ = pooled._worth(form)
        high = _is_high(mean, pooled.params.num_high)
        # Who has none of the two among the best courses, or rated one of them not at all, had no
        # reason to type anything.
        reasons += (high[:, None] | high) & form.typed[:, None] & form.typed
        counts += form.stated
        effects += form.stated * np.clip(form.factors + form.points / (mean[:, None] + mean), -1, 1)
    rates = np.minimum(counts / (pooled.params.detection * (reasons + 2)), 1.0)
    return rates, effects / np.maximum(counts, 1)


def _is_high(mean: np.ndarray, num: int) -> np.ndarray:
    result: np.ndarray = mean >= np.sort(mean)[-min(num, len(mean))]
    return result
