"""Where training starts: random parameters of a monotone network."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from boca.surrogates.mvnn.network import Weights
from boca.surrogates.mvnn.params import MvnnParams


@dataclass(frozen=True)
class UniformMixture:
    """
    With probability ``p`` uniform on [0, B], else uniform on [0, A] (paper, Definition E.1).

    Parameters
    ----------
    largest
        B.
    smaller
        A, at most B.
    probability
        p, of the wider part.
    """

    largest: float
    smaller: float
    probability: float

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Independent weights."""
        wide = rng.random(shape) < self.probability
        return rng.random(shape) * np.where(wide, self.largest, self.smaller)


def scaling_rule(fan_in: int, params: MvnnParams) -> UniformMixture:
    """
    The mixture for which pre-activations of an all-ones input have mean E_init, and variance V_init
    (without the bias), whatever the width (paper, Definition E.2 and Theorem 3).

    Parameters
    ----------
    fan_in
        Width d of the layer before.
    params
        Gives E_init, V_init, B_init, the range of the biases and epsilon.
    """
    d, V = fan_in, params.init_variance
    M = params.init_mean + params.init_bias / 2
    if d <= M**2 / (3 * V):
        return UniformMixture(largest=2 * M / d, smaller=0.0, probability=1.0)

    B = (3 * M**2 + 3 * d * V) / (2 * M * d) + params.init_epsilon / d
    B = max(B, params.init_largest)
    common = B**2 * d**2 - 4 * B * M * d
    p = 1 - (common + 4 * M**2) / (common + 3 * M**2 + 3 * d * V)
    A = (2 * M - B * d * p) / (d * (1 - p))
    return UniformMixture(B, A, p)


def weight_distribution(fan_in: int, fan_out: int, params: MvnnParams) -> UniformMixture:
    """
    How the weights of one layer are drawn.

    The generic choices show what goes wrong (paper, Section 3.2). ``generic_glorot`` is the size of
    a Glorot-uniform weight: the mean of a pre-activation grows like sqrt(fan_in), beyond every
    cut-off. ``generic_shrunk`` is uniform on [0, 2 / fan_in]: the variance vanishes.
    """
    if params.init == "mixture":
        return scaling_rule(fan_in, params)
    glorot = params.init == "generic_glorot"
    bound = (6 / (fan_in + fan_out)) ** 0.5 if glorot else 2 / fan_in
    return UniformMixture(bound, 0.0, 1.0)


def draw_weights(num_goods: int, params: MvnnParams, rng: np.random.Generator) -> Weights:
    """
    Fresh parameters of one network, float32.

    Cut-offs are uniform on [0, 1], biases on [-init_bias, 0], skip weights start at zero.
    """
    widths = (num_goods, *params.hidden)
    hidden = [
        weight_distribution(fan_in, fan_out, params).draw((fan_in, fan_out), rng)
        for fan_in, fan_out in pairwise(widths)
    ]
    biases = [-params.init_bias * rng.random(units) for units in params.hidden]
    cutoffs = [rng.random(units) for units in params.hidden]
    output = weight_distribution(widths[-1], 1, params).draw((widths[-1],), rng)
    single = np.float32
    return Weights(
        hidden=tuple(w.astype(single) for w in hidden),
        biases=tuple(b.astype(single) for b in biases),
        cutoffs=tuple(t.astype(single) for t in cutoffs),
        output=output.astype(single),
        skip=np.zeros(num_goods, single) if params.linear_skip else None,
    )
