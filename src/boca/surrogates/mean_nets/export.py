"""From trained parameters to a frozen numpy function."""

import numpy as np

from boca.functions import MonotoneNet, ReluNet, ValueFunction
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.mean_nets.prepare import MeanTask
from boca.surrogates.mean_nets.training import Layers


def freeze(layers: Layers, problem: MeanTask, params: MeanNetParams) -> ValueFunction:
    """The network in float64 and in units of value."""
    weights = [np.asarray(w, dtype=np.float64) for w in layers.weights]
    biases = [np.asarray(b, dtype=np.float64) for b in layers.biases]
    if params.kind == "relu":
        # The ReLU after the output is a last hidden layer of one neuron.
        relu = ReluNet(weights, biases, np.array([problem.unit]), 0.0, capacities=problem.held)
        return relu.in_units_of(problem.capacities)
    net = MonotoneNet(
        weights=weights[:-1],
        biases=biases,
        cutoffs=[np.ones(len(b)) for b in biases],
        output=problem.unit * weights[-1][:, 0],
        capacities=problem.held,
    )
    return net.in_units_of(problem.capacities)
