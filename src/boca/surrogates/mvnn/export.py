"""From trained parameters to a frozen numpy function."""

import numpy as np

from boca.functions import MonotoneNet
from boca.surrogates.compiled.programs import Array
from boca.surrogates.mvnn.network import Weights


def freeze(weights: Weights, capacities: np.ndarray, scale: float) -> MonotoneNet:
    """
    The network in float64 and in units of value.

    Parameters
    ----------
    weights
        Trained parameters. They are projected once more, skip weights too, because the published
        code did not and its exported networks could fall when a good is added.
    capacities
        Copies of each good, ``(num_goods,)``.
    scale
        What a network value of 1 is worth.
    """

    def above(array: Array) -> np.ndarray:
        return np.maximum(np.asarray(array, dtype=np.float64), 0)

    return MonotoneNet(
        weights=[above(w) for w in weights.hidden],
        biases=[-above(-np.asarray(b)) for b in weights.biases],
        cutoffs=[above(t) for t in weights.cutoffs],
        output=scale * above(weights.output),
        skip=None if weights.skip is None else scale * above(weights.skip),  # type: ignore[arg-type]
        capacities=capacities,
    )
