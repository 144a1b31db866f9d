"""What can be chosen about the networks of one bidder type and their training."""

from dataclasses import dataclass, field, replace
from typing import Literal

from boca.core.settings import check_types, expect

LossForm = Literal["published", "paper", "main_text"]
ArtificialPoints = Literal["cube", "bundles"]
Batches = Literal["stream", "epochs"]
Checkpoints = Literal["late", "epochs"]
Acceptance = Literal["both", "upper"]
Initialisation = Literal["mixture", "generic_glorot", "generic_shrunk"]


@dataclass(frozen=True)
class MvnnParams:
    """
    Hyperparameters of a bidder's two networks; both share them. Checked on construction.

    The defaults before ``loss`` are in the middle of the paper's ranges (Table 6) and fit most
    markets; the published winners come from :func:`boca.surrogates.published`.

    Parameters
    ----------
    hidden_layers, hidden_units
        Number of bounded-ReLU layers and neurons in each.
    linear_skip
        Whether a linear function of the bundle is added (paper, Definition F.1).
    trainable_cutoffs
        Whether the cut-offs t of the activations are learned or stay as drawn.
    batch_size
        Reports in a mini-batch.
    epochs
        Passes over the reports. Together with ``batch_size`` and ``steps_fraction`` they set the
        number of optimiser steps.
    learning_rate
        Adam's rate at the start; a cosine takes it to zero.
    l2
        Weight decay of weights and biases, not of cut-offs and skip weights.
    mean_smooth_l1_beta
        Threshold of the mean network's smooth L1 loss, in units of the largest report; also of all
        the upper bound's, except in the ``published`` form, which has thresholds of its own.
    clip_grad_norm
        Largest norm of the upper bound's gradient; the mean network is not clipped.
    dropout_prob
        Probability at the start that a hidden neuron is left out of a step, below 1.
    dropout_decay
        Factor on this probability after each epoch, in [0, 1].
    num_artificial
        Artificial points per step, at which the upper bound is pushed up.
    pi_sqr, pi_exp, c_exp, pi_above_mean, pi_below_envelope
        Weights of the terms of the loss; in the paper mu_sqr, mu_exp, c_exp, pi_mean, pi_100uUB.
    init_mean, init_variance, init_bias, init_largest, init_epsilon
        E_init, V_init, b_init, B_init and epsilon of the initialisation (Definition E.2).
    loss
        ``published``: the form that the published hyperparameters were tuned with; ``paper``:
        Definition D.3; ``main_text``: the paper's shorter loss, of Section 3.
    batches
        ``epochs``: every pass over the reports ends with an incomplete mini-batch, which gets a
        step like the others (published); ``stream``: passes go over into each other.
    checkpoints
        ``late``: the parameters that are kept are the best at a few moments of the last tenth of
        the training, judged without dropout; learning rate and dropout fall with every step.
        ``epochs``: those after the best of all epochs, judged by the losses of its steps; both fall
        with every epoch, and each step draws artificial points of its own (published).
    acceptance
        Whether ``both`` networks must reach ``min_r2``, or the ``upper`` bound alone (published).
    artificial
        Where artificial points lie: uniform in the ``cube`` (paper), or on ``bundles`` whose
        density is drawn uniformly, where the envelope is not almost constant.
    init
        ``mixture`` (paper); ``generic_glorot``, uniform with the usual 1/sqrt(width) scaling, which
        saturates; ``generic_shrunk``, uniform with 1/width scaling, whose variance vanishes.
    artificial_fraction
        Share of ``num_artificial`` in each step, in (0, 1]. The gradient is right on average with
        any number of points, but with fewer the upper bound stays lower.
    early_artificial
        Artificial points that are enough in each of the first four fifths of the steps. As many as
        ``num_artificial`` are what the published training has.
    steps_fraction
        Share of the published number of steps, in (0, 1]. The schedules of learning rate and
        dropout are compressed with it. Below 1 upper bounds get worse: with 0.3 their
        quantile losses in SRVM grew by a quarter and more.
    max_attempts
        Trainings at most. Each begins from fresh parameters and with half the learning rate of the
        one before; the one with the smallest loss is kept.
    min_r2
        Coefficient of determination on the reports that networks must reach, at most 1; otherwise
        training starts again.
    """

    hidden_layers: int = 2
    hidden_units: int = 32
    linear_skip: bool = True
    trainable_cutoffs: bool = True
    batch_size: int = 50
    epochs: int = 3000
    learning_rate: float = 0.004
    l2: float = 1e-7
    mean_smooth_l1_beta: float = 1 / 64
    clip_grad_norm: float = 0.002
    dropout_prob: float = 0.3
    dropout_decay: float = 0.93
    num_artificial: int = 256
    pi_sqr: float = 1.0
    pi_exp: float = 0.02
    c_exp: float = 128.0
    pi_above_mean: float = 128.0
    pi_below_envelope: float = 0.25
    init_mean: float = 1.5
    init_variance: float = 0.05
    init_bias: float = 0.05
    init_largest: float = 0.05
    init_epsilon: float = 0.1
    loss: LossForm = "published"
    batches: Batches = field(default="stream", metadata={"later": True})
    checkpoints: Checkpoints = field(default="late", metadata={"later": True})
    acceptance: Acceptance = field(default="both", metadata={"later": True})
    artificial: ArtificialPoints = "cube"
    init: Initialisation = "mixture"
    artificial_fraction: float = 1.0
    early_artificial: int = 100
    steps_fraction: float = 1.0
    max_attempts: int = 2
    min_r2: float = 0.9

    def __post_init__(self) -> None:
        check_types(self)
        positive = (
            "hidden_layers",
            "hidden_units",
            "batch_size",
            "epochs",
            "learning_rate",
            "mean_smooth_l1_beta",
            "clip_grad_norm",
            "num_artificial",
            "early_artificial",
            "c_exp",
            "init_mean",
            "init_variance",
            "max_attempts",
        )
        for name in positive:
            expect(self, getattr(self, name) > 0, name, "a positive number")
        not_negative = (
            "l2",
            "pi_sqr",
            "pi_exp",
            "pi_above_mean",
            "pi_below_envelope",
            "init_bias",
            "init_largest",
            "init_epsilon",
        )
        for name in not_negative:
            expect(self, getattr(self, name) >= 0, name, "zero or more")
        expect(self, 0 <= self.dropout_prob < 1, "dropout_prob", "a probability below 1")
        expect(self, 0 <= self.dropout_decay <= 1, "dropout_decay", "a factor between 0 and 1")
        for name in ("artificial_fraction", "steps_fraction"):
            expect(self, 0 < getattr(self, name) <= 1, name, "a share in (0, 1]")
        expect(self, self.min_r2 <= 1, "min_r2", "at most 1")
        if self.by_epoch:
            expect(self, self.whole_epochs, "batches", "epochs, as checkpoints are")

    @property
    def as_published(self) -> "MvnnParams":
        """The same hyperparameters in the published training."""
        return replace(
            self,
            batches="epochs",
            checkpoints="epochs",
            acceptance="upper",
            early_artificial=self.num_artificial,
        )

    @property
    def by_epoch(self) -> bool:
        """Whether every epoch is a checkpoint."""
        return self.checkpoints == "epochs"

    @property
    def whole_epochs(self) -> bool:
        """Whether mini-batches begin anew with every epoch."""
        return self.batches == "epochs"

    @property
    def hidden(self) -> tuple[int, ...]:
        """Neurons of each hidden layer."""
        return (self.hidden_units,) * self.hidden_layers

    @property
    def pairs_per_step(self) -> int:
        """Artificial points that a step uses, each with its mirror image."""
        return max(1, round(self.artificial_fraction * self.num_artificial / 2))

    @property
    def early_pairs(self) -> int:
        """Those that an early step uses."""
        return min(max(1, round(self.early_artificial / 2)), self.pairs_per_step)
