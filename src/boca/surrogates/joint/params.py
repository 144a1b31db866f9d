"""What can be chosen about networks with a shared hidden layer."""

from dataclasses import dataclass

from boca.core.settings import check_types, expect


@dataclass(frozen=True)
class JointParams:
    """
    Hyperparameters, the same for all bidders of a market. Checked on construction.

    Parameters
    ----------
    hidden_units
        Bounded-ReLU neurons that all bidders share.
    steps, batch_size
        Optimiser steps, and reports in each.
    learning_rate
        Adam's rate at the start; a cosine takes it to zero.
    l1, l2
        Decay of the shared weights; the second also of the bidders' own.
    smooth_l1_beta
        Threshold of the smooth L1 loss, in units of a bidder's largest report.
    dropout_prob
        Dropout probability at the start; it falls to zero at half time.
    members
        Networks, from different starts, whose average is the mean.
    init_mean, init_variance, init_bias
        E_init, V_init and b_init of the initialisation (BOCA, Definition E.2).
    """

    hidden_units: int = 128
    steps: int = 2000
    batch_size: int = 100
    learning_rate: float = 0.004
    l1: float = 1e-4
    l2: float = 1e-7
    smooth_l1_beta: float = 1 / 64
    dropout_prob: float = 0.3
    members: int = 2
    init_mean: float = 1.3
    init_variance: float = 0.04
    init_bias: float = 0.05

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("hidden_units", "steps", "batch_size", "learning_rate", "smooth_l1_beta"):
            expect(self, getattr(self, name) > 0, name, "a positive number")
        for name in ("members", "init_mean", "init_variance"):
            expect(self, getattr(self, name) > 0, name, "a positive number")
        for name in ("l1", "l2", "init_bias"):
            expect(self, getattr(self, name) >= 0, name, "zero or more")
        expect(self, 0 <= self.dropout_prob < 1, "dropout_prob", "a probability below 1")
