"""
Upper bounds on a monotone network less prices, over boxes of bundles.

In a box the smallest and the largest pre-activation of a neuron are those at its two corners, or
at two others where weights of the first layer are negative.
Between them the bounded ReLU lies below two lines: a constant, and the chord from its lower end (or
the identity, where that has left 0 already). Weights beyond the first layer are non-negative, so
upper bounds go through the network: any mixture of the two lines at every neuron gives a linear
function above the network, and the best corner for that function bounds the box. The mixtures are
improved by looking at which line is the lower one at that corner.
"""

from dataclasses import dataclass

import numpy as np

from boca.functions import MonotoneNet


@dataclass(frozen=True, eq=False)
class BoxBounds:
    """
    What is known about each of a stack of boxes.

    Parameters
    ----------
    bounds
        No bundle in the box has a larger utility, ``(num_boxes,)``.
    slopes
        Slope of the linear bound in each good, prices deducted, ``(num_boxes, num_goods)``.
    corners
        The corner at which the linear bound is largest, ``(num_boxes, num_goods)``.
    influence
        How much each good has to do with the distance of bound and network; for branching.
    mixtures
        Share of the rising line at every neuron, all layers side by side; parts of a box start
        from those of the whole.
    """

    bounds: np.ndarray
    slopes: np.ndarray
    corners: np.ndarray
    influence: np.ndarray
    mixtures: np.ndarray


class Relaxation:
    """
    A network less prices, ready to be bounded.

    Parameters
    ----------
    net
        The network.
    factor
        What its values are multiplied by.
    prices
        Price of one copy of each good.
    """

    def __init__(self, net: MonotoneNet, factor: float, prices: np.ndarray):
        capacities = np.asarray(net.capacities, dtype=float)
        self.weights = [np.asarray(w, dtype=float) for w in net.weights]
        self.weights[0] = self.weights[0] / capacities[:, None]
        self.biases = [np.asarray(b, dtype=float) for b in net.biases]
        self.cutoffs = [np.asarray(t, dtype=float) for t in net.cutoffs]
        self.output = np.asarray(net.output, dtype=float) * factor
        self.linear = np.asarray(net.skip, dtype=float) * factor / capacities - prices
        self.offset = net.offset * factor
        falling = np.minimum(self.weights[0], 0.0)
        self.falling = falling if falling.any() else None

    def utilities(self, bundles: np.ndarray) -> np.ndarray:
        """Value less price of each bundle."""
        z = bundles.astype(float)
        linear = z @ self.linear
        for weights, bias, cutoff in zip(self.weights, self.biases, self.cutoffs, strict=True):
            z = np.clip(z @ weights + bias, 0.0, cutoff)
        utilities: np.ndarray = z @ self.output + linear + self.offset
        return utilities

    def bound(
        self,
        lower: np.ndarray,
        upper: np.ndarray,
        rounds: int,
        start: np.ndarray | None = None,
        begun: int = 1,
    ) -> BoxBounds:
        """
        Bounds boxes of bundles.

        Parameters
        ----------
        lower, upper
            Corners of the boxes, ``(num_boxes, num_goods)``.
        rounds
            How often the mixtures are improved.
        start
            Mixtures to begin with, ``(num_boxes, num_neurons)``; those of the centre if None.
        begun
            How many rounds the start is worth: the more, the smaller the first changes.
        """
        lower, upper = lower.astype(float), upper.astype(float)
        lines = self._lines(lower, upper)
        if start is None:
            mixtures = self._lower_lines(lines, (lower + upper) / 2)
        else:
            ends = np.cumsum([len(bias) for bias in self.biases])[:-1]
            mixtures = [part.astype(float) for part in np.split(start, ends, axis=1)]
        best = np.full(len(lower), np.inf)
        slopes = np.empty_like(lower)
        corners = np.empty_like(lower)
        for k in range(rounds + 1):
            constant, slope, inner = self._mixed(lines, mixtures)
            corner = np.where(slope > 0, upper, lower)
            bound = constant + (slope * corner).sum(axis=1)
            better = bound < best
            best = np.where(better, bound, best)
            slopes[better], corners[better] = slope[better], corner[better]
            if k < rounds:
                active = self._lower_lines(lines, corner)
                for mixture, now in zip(mixtures, active, strict=True):
                    mixture += (now - mixture) / (k + begun + 1)
        loose = self._looseness(lines, inner)
        influence = (upper - lower) * (loose + 1e-6 * np.abs(slopes))
        kept = np.concatenate(mixtures, axis=1).astype(np.float32)
        return BoxBounds(best, slopes, corners, influence, kept)

    def _lines(self, lower: np.ndarray, upper: np.ndarray) -> list[tuple[np.ndarray, ...]]:
        """For each layer slope and intercept of the rising line, and the constant."""
        lines: list[tuple[np.ndarray, ...]] = []
        low, high = lower, upper
        for weights, bias, cutoff in zip(self.weights, self.biases, self.cutoffs, strict=True):
            least, most = low @ weights + bias, high @ weights + bias
            if not lines and self.falling is not None:
                # Goods with negative weights count from the other corner.
                shift = (high - low) @ self.falling
                least, most = least + shift, most - shift
            low, high = np.clip(least, 0.0, cutoff), np.clip(most, 0.0, cutoff)
            crossing = least < 0
            slope = np.where(crossing, high / np.where(crossing, high - least, 1.0), 1.0)
            intercept = np.where(crossing, -slope * least, 0.0)
            lines.append((slope, intercept, high))
        return lines

    def _lower_lines(self, lines: list[tuple[np.ndarray, ...]], at: np.ndarray) -> list[np.ndarray]:
        """For each layer whether (1.0) or not (0.0) the rising line is the lower one."""
        z = at
        active = []
        for (slope, intercept, top), weights, bias in zip(
            lines, self.weights, self.biases, strict=True
        ):
            rising = slope * (z @ weights + bias) + intercept
            active.append((rising < top).astype(float))
            z = np.minimum(rising, top)
        return active

    def _mixed(
        self, lines: list[tuple[np.ndarray, ...]], mixtures: list[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Constant and slopes of the linear bound; the weight of every layer's neurons in it."""
        inner = np.broadcast_to(self.output, mixtures[-1].shape)
        constant = np.full(len(inner), self.offset)
        weight = []
        for k in reversed(range(len(lines))):
            slope, intercept, top = lines[k]
            weight.append(inner)
            rising = inner * mixtures[k]
            constant += (rising * intercept + (inner - rising) * top).sum(axis=1)
            rising = rising * slope
            constant += rising @ self.biases[k]
            inner = rising @ self.weights[k].T  # (num_boxes, fan_in)
        return constant, inner + self.linear, weight[::-1]

    def _looseness(
        self, lines: list[tuple[np.ndarray, ...]], inner: list[np.ndarray]
    ) -> np.ndarray:
        """
        How much each good has to do with neurons that are not bounded tightly.

        A chord that starts below 0 is up to its intercept too high, times what the neuron counts.
        """
        carried: np.ndarray | float = 0.0
        for k in reversed(range(len(lines))):
            slope, intercept, _ = lines[k]
            carried = (carried * slope + inner[k] * intercept) @ np.abs(self.weights[k]).T
        assert isinstance(carried, np.ndarray)
        return carried
