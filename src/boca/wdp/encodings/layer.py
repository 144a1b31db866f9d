"""What the encodings of networks share: rows over one layer's inputs and outputs."""

from dataclasses import dataclass

import numpy as np

from boca.milp import Model


@dataclass(frozen=True)
class Layer:
    """
    One hidden layer inside a model; ``o = inputs @ weights + biases`` is its pre-activation.

    Parameters
    ----------
    model
        Where rows are added.
    inputs
        Variables of the layer before ``(fan_in,)``.
    weights, biases
        ``(fan_in, fan_out)`` and ``(fan_out,)``.
    outputs
        The variables z of this layer ``(fan_out,)``.
    """

    model: Model
    inputs: np.ndarray
    weights: np.ndarray
    biases: np.ndarray
    outputs: np.ndarray

    def compare(
        self,
        neurons: np.ndarray,
        sense: str,
        switches: np.ndarray | None = None,
        slopes: np.ndarray | None = None,
        shift: np.ndarray | float = 0.0,
    ) -> None:
        """
        For every given neuron the row ``z (sense) o + slopes * switch + shift``.

        Parameters
        ----------
        neurons
            Which neurons, integers.
        sense
            ``<=``, ``>=`` or ``==``.
        switches, slopes
            A binary variable for each neuron and its factor; none if None.
        shift
            Added to the right-hand side, one number for all or one each.
        """
        if not len(neurons):
            return
        columns = [self.outputs[neurons][:, None], np.tile(self.inputs, (len(neurons), 1))]
        coefficients = [np.ones((len(neurons), 1)), -self.weights.T[neurons]]
        if switches is not None and slopes is not None:
            columns.append(switches[:, None])
            coefficients.append(-slopes[:, None])
        side = self.biases[neurons] + shift
        self.model.add_rows(
            np.concatenate(columns, axis=1),
            np.concatenate(coefficients, axis=1),
            lower=side if sense in (">=", "==") else -np.inf,
            upper=side if sense in ("<=", "==") else np.inf,
        )

    def compare_switch(
        self, neurons: np.ndarray, sense: str, switches: np.ndarray, slopes: np.ndarray
    ) -> None:
        """For every given neuron the row ``z (sense) slopes * switch``."""
        if not len(neurons):
            return
        self.model.add_rows(
            np.stack([self.outputs[neurons], switches], axis=1),
            np.stack([np.ones(len(neurons)), -slopes], axis=1),
            lower=0.0 if sense == ">=" else -np.inf,
            upper=0.0 if sense == "<=" else np.inf,
        )
