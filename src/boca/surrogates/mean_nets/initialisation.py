"""Where training starts: random parameters of a mean network."""

from itertools import pairwise

import numpy as np

from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.training import Layers


def draw_layers(num_goods: int, params: MeanNetParams, rng: np.random.Generator) -> Layers:
    """
    Generic initialisation, float32.

    Weights are Glorot-uniform, biases uniform within 1 / sqrt(fan_in); a monotone network's
    training begins by cutting off the wrong signs.
    """
    widths = (num_goods, *params.hidden, 1)
    weights, biases = [], []
    for fan_in, fan_out in pairwise(widths):
        bound = (6 / (fan_in + fan_out)) ** 0.5
        weights.append(rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32))
        biases.append(rng.uniform(-1, 1, fan_out).astype(np.float32) / np.float32(fan_in**0.5))
    if params.kind == "monotone":
        biases.pop()
    return Layers(tuple(weights), tuple(biases))
