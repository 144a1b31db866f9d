"""Our encoding of an MVNN: at most one binary per neuron, for functions that are maximised."""

import numpy as np

from boca.functions import MonotoneNet
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression
from boca.wdp.encodings.layer import Layer


def encode_mvnn_one_binary(net: MonotoneNet, bundle: BundleVariables) -> Expression:
    """
    The upper side of Theorem 2, which suffices where the value is maximised.

    For every neuron with ``z = min(t, max(0, o))`` and ``l <= o <= u`` over all bundles, with
    ``s = min(t, u)``::

        l < 0 < u:    z <= alpha s,  z <= o - l (1 - alpha),  alpha binary
        0 <= l < t:   z <= s,        z <= o
        otherwise:    z is 0 (u <= 0) or t (l >= t)

    At a given bundle the largest feasible value of the expression is the network's value. No
    weight beyond the first layer is negative, and the first layer's inputs are what they are, so
    raising every z to its true activation keeps all rows and does not
    lower the objective: the paper's lower rows and its beta are redundant. The page
    ``docs/winner_determination.md`` has the proof. A negative factor before the expression would
    break it.
    """
    inputs, scale = bundle.columns, 1 / net.capacities  # the first layer reads x / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        largest = np.clip(upper, 0, net.cutoffs[k])
        outputs = bundle.model.add_variables(
            len(lower), lower=np.clip(lower, 0, net.cutoffs[k]), upper=largest
        )
        layer = Layer(bundle.model, inputs, scale[:, None] * net.weights[k], net.biases[k], outputs)
        open_ = (lower < net.cutoffs[k]) & (upper > 0)
        layer.compare(np.flatnonzero(open_ & (lower >= 0)), "<=")
        switched = np.flatnonzero(open_ & (lower < 0) & (largest > 0))
        alpha = bundle.model.add_variables(len(switched), 0, 1, integer=True)
        layer.compare_switch(switched, "<=", alpha, largest[switched])
        layer.compare(switched, "<=", alpha, lower[switched], -lower[switched])
        inputs, scale = outputs, np.ones(len(outputs))
    hidden = Expression(inputs, scale * net.output, net.offset)
    return hidden + Expression(bundle.columns, net.skip / net.capacities)
