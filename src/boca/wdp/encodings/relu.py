"""Plain ReLU networks: two-sided, since weights have any sign."""

import numpy as np

from boca.functions import ReluNet
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression
from boca.wdp.encodings.layer import Layer


def encode_relu(net: ReluNet, bundle: BundleVariables) -> Expression:
    """
    The usual encoding of ``z = max(0, o)`` with interval bounds ``l <= o <= u``.

    Where ``l < 0 < u``: ``z >= o``, ``z >= 0``, ``z <= u alpha`` and ``z <= o - l (1 - alpha)``
    with alpha binary; elsewhere z is 0 or o. Exact in both directions.
    """
    inputs, scale = bundle.columns, 1 / net.capacities  # the first layer reads x / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        outputs = bundle.model.add_variables(
            len(lower), lower=np.maximum(lower, 0), upper=np.maximum(upper, 0)
        )
        layer = Layer(bundle.model, inputs, scale[:, None] * net.weights[k], net.biases[k], outputs)
        layer.compare(np.flatnonzero((lower >= 0) & (upper > 0)), "==")
        switched = np.flatnonzero((lower < 0) & (upper > 0))
        alpha = bundle.model.add_variables(len(switched), 0, 1, integer=True)
        layer.compare(switched, ">=")
        layer.compare_switch(switched, "<=", alpha, upper[switched])
        layer.compare(switched, "<=", alpha, lower[switched], -lower[switched])
        inputs, scale = outputs, np.ones(len(outputs))
    return Expression(inputs, scale * net.output, net.output_bias)
