"""Quick steps of functions other than monotone networks."""

import numpy as np

from boca.functions import Basis, FourierSeries, Quadratic, ReluNet

# Numbers in one intermediate array; a few of these stay in a core's cache.
BLOCK = 1 << 17


class ReluSteps:
    """
    Steps of a plain network, in single precision.

    A step changes the first layer's pre-activations by one row of its weights, so only the later
    layers are computed anew.

    Parameters
    ----------
    net
        The network; at least one hidden layer.
    """

    def __init__(self, net: ReluNet):
        first, *later = (np.asarray(w) for w in net.weights)
        # The input layer divides by capacity; folding that into the weights lets it take counts.
        weights = [first / np.asarray(net.capacities)[:, None], *later]
        self.weights = [w.astype(np.float32) for w in weights]
        self.biases = [np.asarray(b, dtype=np.float32) for b in net.biases]
        self.output = np.asarray(net.output, dtype=np.float32)
        self.output_bias = np.float32(net.output_bias)
        self.rows = max(1, BLOCK // self.weights[0].size)

    def values(self, bundles: np.ndarray) -> np.ndarray:
        return self._rest(bundles.astype(np.float32) @ self.weights[0] + self.biases[0])

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        answers = np.empty(bundles.shape, dtype=np.float32)
        for first in range(0, len(bundles), self.rows):
            part = bundles[first : first + self.rows].astype(np.float32)
            signs = step[first : first + self.rows].astype(np.float32)
            before = part @ self.weights[0] + self.biases[0]  # (rows, fan_out)
            inner = signs[:, :, None] * self.weights[0]  # (rows, num_goods, fan_out)
            inner += before[:, None, :]
            rest = self._rest(inner.reshape(-1, inner.shape[2]))
            answers[first : first + self.rows] = rest.reshape(part.shape)
        return answers

    def _rest(self, inner: np.ndarray) -> np.ndarray:
        """The network above the first layer's pre-activations, which are overwritten."""
        np.maximum(inner, 0, out=inner)
        for weights, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            inner = inner @ weights
            inner += bias
            np.maximum(inner, 0, out=inner)
        return inner @ self.output + self.output_bias


class QuadraticSteps:
    """
    Steps of a quadratic function: a step s of good j adds ``s (2 Q x + linear)_j + Q_jj``.

    Parameters
    ----------
    function
        ``x' Q x + linear . x``.
    """

    def __init__(self, function: Quadratic):
        self.matrix = np.asarray(function.matrix)
        self.linear = np.asarray(function.linear)

    def values(self, bundles: np.ndarray) -> np.ndarray:
        x = bundles.astype(float)
        values: np.ndarray = ((x @ self.matrix + self.linear) * x).sum(axis=1)
        return values

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        x = bundles.astype(float)
        half = x @ self.matrix  # (num_bundles, num_goods)
        values = ((half + self.linear) * x).sum(axis=1)
        return np.asarray(values[:, None] + step * (2 * half + self.linear) + np.diag(self.matrix))


class FourierSteps:
    """
    Steps of a sum over a Fourier basis; every capacity is 1, so a step takes a good in or out.

    Which terms change, and how, follows from how many goods of each term's set are in the bundle.

    Parameters
    ----------
    series
        The function.
    """

    def __init__(self, series: FourierSeries):
        self.basis = series.basis
        self.sets = np.asarray(series.frequencies, dtype=np.float64)  # (num_terms, num_goods)
        self.sizes = self.sets.sum(axis=1)
        self.coefficients = np.asarray(series.coefficients)
        if self.basis is Basis.FT3:
            self.coefficients = self.coefficients * (1 - 2 * (self.sizes % 2))

    def values(self, bundles: np.ndarray) -> np.ndarray:
        values: np.ndarray = self._terms(bundles.astype(float) @ self.sets.T).sum(axis=1)
        return values

    def after(self, bundles: np.ndarray, step: np.ndarray) -> np.ndarray:
        shared = bundles.astype(float) @ self.sets.T  # (num_bundles, num_terms)
        terms = self._terms(shared)
        values = terms.sum(axis=1, keepdims=True)
        changed = terms @ self.sets  # terms whose set holds the good, (num_bundles, num_goods)
        if self.basis is Basis.WHT:
            return np.asarray(values - 2 * changed)
        if self.basis is Basis.FT3:
            # A set that lacks one good only is complete with it; without any of its goods, broken.
            completed = (self.coefficients * (self.sizes - shared == 1)) @ self.sets
            return np.asarray(values + np.where(step > 0, completed, -changed))
        freed = (self.coefficients * (shared == 1)) @ self.sets
        return np.asarray(values + np.where(step > 0, -changed, freed))

    def _terms(self, shared: np.ndarray) -> np.ndarray:
        """Each term's part of the value, from the goods that its set shares with the bundle."""
        if self.basis is Basis.WHT:
            return np.asarray(self.coefficients * (1 - 2 * (shared % 2)))
        if self.basis is Basis.FT3:
            return np.asarray(self.coefficients * (shared == self.sizes))
        return np.asarray(self.coefficients * (shared == 0))
