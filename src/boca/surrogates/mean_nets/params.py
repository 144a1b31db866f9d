"""What can be chosen about the mean network of one bidder type and its training."""

from dataclasses import dataclass
from typing import Literal

from boca.core.settings import check_types, expect

Kind = Literal["monotone", "relu"]
Optimiser = Literal["adam", "sgd"]
LossKind = Literal["mae", "mse"]
RateSchedule = Literal["cosine", "constant"]
Scaling = Literal["own", "common"]


@dataclass(frozen=True)
class MeanNetParams:
    """
    Hyperparameters of a bidder's network. Checked on construction.

    Parameters
    ----------
    kind
        ``monotone``: an MVNN with cut-offs fixed at 1 and without skip connection (Weissteiner et
        al., 2022); ``relu``: a plain network with a ReLU after the output.
    hidden_layers, hidden_units
        Number of hidden layers and neurons in each.
    optimiser
        ``adam``, or ``sgd`` with ``momentum``.
    learning_rate
        Rate at the start.
    schedule
        ``cosine`` takes the rate to zero, epoch by epoch; ``constant`` keeps it.
    l2
        Weight decay of all parameters, added to the gradient.
    batch_size
        Reports in a mini-batch; the last one of a pass may be smaller.
    epochs
        Passes over the reports, each of them shuffled anew.
    loss
        Mean absolute (``mae``) or squared (``mse``) error.
    momentum
        Share of the last step that ``sgd`` adds to the next, in [0, 1).
    dropout
        Probability that a hidden neuron is left out of a step.
    scaling
        Whose largest report becomes ``value_range``: the bidder's ``own``, or that of all bidders
        (``common``).
    value_range
        Largest target of the training.
    max_attempts
        Trainings at most, each from a fresh start; the one with the smallest loss is kept.
    min_pearson
        Correlation of predictions with reports below which training starts again.
    steps_fraction
        Share of the epochs, in (0, 1]; the schedule is compressed with it.
    """

    kind: Kind = "monotone"
    hidden_layers: int = 1
    hidden_units: int = 60
    optimiser: Optimiser = "adam"
    learning_rate: float = 0.002
    schedule: RateSchedule = "cosine"
    l2: float = 1e-7
    batch_size: int = 2
    epochs: int = 250
    loss: LossKind = "mae"
    momentum: float = 0.9
    dropout: float = 0.0
    scaling: Scaling = "own"
    value_range: float = 1.0
    max_attempts: int = 20
    min_pearson: float = 0.9
    steps_fraction: float = 1.0

    def __post_init__(self) -> None:
        check_types(self)
        for name in ("hidden_layers", "hidden_units", "batch_size", "epochs", "max_attempts"):
            expect(self, getattr(self, name) >= 1, name, "a positive whole number")
        for name in ("learning_rate", "value_range"):
            expect(self, getattr(self, name) > 0, name, "a positive number")
        expect(self, self.l2 >= 0, "l2", "zero or more")
        expect(self, 0 <= self.momentum < 1, "momentum", "a number in [0, 1)")
        expect(self, 0 <= self.dropout < 1, "dropout", "a probability below 1")
        expect(self, self.min_pearson <= 1, "min_pearson", "at most 1")
        expect(self, 0 < self.steps_fraction <= 1, "steps_fraction", "a share in (0, 1]")

    @property
    def hidden(self) -> tuple[int, ...]:
        """Neurons of each hidden layer."""
        return (self.hidden_units,) * self.hidden_layers

    @property
    def num_epochs(self) -> int:
        """Passes over the reports that are made."""
        return max(1, round(self.steps_fraction * self.epochs))
