"""What can be chosen about networks that learn from values and demands."""

from dataclasses import dataclass

from boca.core.settings import check_types, expect

POSITIVE = (
    "hidden_layers",
    "hidden_units",
    "steps",
    "learning_rate",
    "smooth_l1_beta",
    "inputs_per_neuron",
    "stretches",
    "kept_stretches",
    "members",
    "init_mean",
    "init_variance",
)
NOT_NEGATIVE = ("l2", "l1_per_good", "demand_weight", "moves", "spread", "init_bias")


@dataclass(frozen=True)
class MixedParams:
    """
    Hyperparameters of a bidder type. Checked on construction.

    Parameters
    ----------
    hidden_layers, hidden_units
        Number of bounded-ReLU layers and neurons in each.
    linear_skip
        Whether a linear function of the bundle is added.
    steps
        Optimiser steps, each on all answers.
    learning_rate
        Adam's rate at the start; a cosine takes it to zero.
    l2
        Weight decay of weights, biases and skip weights, not of cut-offs.
    l1_per_good
        Added to the gradient of every weight of the first layer, times the number of goods: the
        more goods there are, the more of them should not matter to a neuron.
    smooth_l1_beta
        Threshold of the smooth L1 loss, in units of the bidder's largest value.
    demand_weight
        Weight of what was wanted, relative to what was valued.
    inputs_per_neuron
        Goods that a neuron of the first layer looks at when training starts, on average. A sparse
        start makes networks generalise from few answers.
    stretches
        Parts of the training; before each, competitors of the wanted bundles are looked for.
    moves
        Hill-climbing moves of that search for each answer.
    kept_stretches
        Parts for which a competitor is remembered.
    members
        Networks per bidder, from different starts. Their average is the mean.
    spread
        With several members, the upper bound is their mean plus so many standard deviations.
    init_mean, init_variance, init_bias
        E_init, V_init and b_init of the initialisation (BOCA, Definition E.2).
    """

    hidden_layers: int = 1
    hidden_units: int = 64
    linear_skip: bool = True
    steps: int = 1000
    learning_rate: float = 0.01
    l2: float = 1e-6
    l1_per_good: float = 1.2e-5
    smooth_l1_beta: float = 1 / 64
    demand_weight: float = 1.0
    inputs_per_neuron: float = 4.3
    stretches: int = 6
    moves: int = 10
    kept_stretches: int = 2
    members: int = 1
    spread: float = 1.0
    init_mean: float = 1.5
    init_variance: float = 0.05
    init_bias: float = 0.05

    def __post_init__(self) -> None:
        check_types(self)
        for name in POSITIVE:
            expect(self, getattr(self, name) > 0, name, "a positive number")
        for name in NOT_NEGATIVE:
            expect(self, getattr(self, name) >= 0, name, "zero or more")
        expect(self, self.stretches <= self.steps, "stretches", "at most as many as steps")

    def share_of_inputs(self, num_goods: int) -> float:
        """Probability that a weight of the first layer is not zero at the start."""
        return min(1.0, self.inputs_per_neuron / num_goods)
