"""The paper's encoding of an MVNN: two binaries per neuron, exact in both directions."""

import numpy as np

from boca.functions import MonotoneNet
from boca.wdp.encodings.bundle_variables import BundleVariables
from boca.wdp.encodings.expression import Expression
from boca.wdp.encodings.layer import Layer


def encode_mvnn_paper(net: MonotoneNet, bundle: BundleVariables) -> Expression:
    """
    Theorem 2 of the paper, with a linear skip connection (Appendix F.3).

    For every neuron with ``z = min(t, max(0, o))`` and ``l <= o <= u`` over all bundles::

        z <= alpha t          z <= o - l (1 - alpha)
        z >= beta t           z >= o + (t - u) beta         alpha, beta binary

    The box bounds l and u decide part of this in advance (Appendix F.2): (1) l >= t: z = t; (2)
    u <= 0: z = 0; (3) 0 <= l, u <= t: z = o; (4) 0 <= l: alpha = 1; (5) u <= t: beta = 0. Neurons
    that are decided are variables with equal bounds, which any presolve removes.
    """
    inputs, scale = bundle.columns, 1 / net.capacities  # the first layer reads x / capacities
    for k, (lower, upper) in enumerate(net.bounds()):
        outputs = bundle.model.add_variables(
            len(lower),
            lower=np.clip(lower, 0, net.cutoffs[k]),
            upper=np.clip(upper, 0, net.cutoffs[k]),
        )
        layer = Layer(bundle.model, inputs, scale[:, None] * net.weights[k], net.biases[k], outputs)
        _add_neurons(layer, net.cutoffs[k], lower, upper)
        inputs, scale = outputs, np.ones(len(outputs))
    hidden = Expression(inputs, scale * net.output, net.offset)
    return hidden + Expression(bundle.columns, net.skip / net.capacities)


def _add_neurons(layer: Layer, t: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> None:
    """Lemma 1 for all neurons of a layer, by the cases above."""
    open_ = (lower < t) & (upper > 0)  # neither case 1 nor case 2
    linear = np.flatnonzero(open_ & (lower >= 0) & (upper <= t))  # case 3
    layer.compare(linear, "==")

    no_alpha = np.flatnonzero(open_ & (lower >= 0) & (upper > t))  # case 4
    layer.compare(no_alpha, "<=")
    needs_alpha = np.flatnonzero(open_ & (lower < 0))
    alpha = layer.model.add_variables(len(needs_alpha), 0, 1, integer=True)
    layer.compare_switch(needs_alpha, "<=", alpha, t[needs_alpha])
    below = lower[needs_alpha]
    layer.compare(needs_alpha, "<=", alpha, below, -below)

    no_beta = np.flatnonzero(open_ & (lower < 0) & (upper <= t))  # case 5
    layer.compare(no_beta, ">=")
    needs_beta = np.flatnonzero(open_ & (upper > t))
    beta = layer.model.add_variables(len(needs_beta), 0, 1, integer=True)
    layer.compare_switch(needs_beta, ">=", beta, t[needs_beta])
    layer.compare(needs_beta, ">=", beta, (t - upper)[needs_beta])
