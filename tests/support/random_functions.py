"""Small random value functions of every kind, and the lattices they live on."""

from itertools import pairwise, product

import numpy as np
from hypothesis import strategies as st

from boca.functions import (
    Envelope,
    FourierSeries,
    Minimum,
    MonotoneNet,
    Quadratic,
    ReluNet,
    Scaled,
    XorTable,
)
from boca.functions.supply import SupplyNet, negated


def all_bundles(capacities) -> np.ndarray:
    """Every bundle of a small market."""
    return np.array(list(product(*(range(c + 1) for c in capacities))), dtype=np.int64)


def some_bundles(rng, capacities, share=0.3) -> np.ndarray:
    """A random part of the lattice; may be empty."""
    bundles = all_bundles(capacities)
    return bundles[rng.random(len(bundles)) < share]


def monotone_net(rng, capacities) -> MonotoneNet:
    """
    A net with up to two hidden layers, with and without skip.

    About a third of the biases are 0 and cut-offs are of the size of the pre-activations, so that
    all five cases of box bounds occur.
    """
    widths = [len(capacities), *rng.integers(1, 5, rng.integers(0, 3))]
    shapes = list(pairwise(widths))
    return MonotoneNet(
        [rng.random(shape) * (rng.random(shape) < 0.8) for shape in shapes],
        [-rng.random(n) * (rng.random(n) < 0.7) for _, n in shapes],
        [1.5 * rng.random(n) for _, n in shapes],
        rng.random(widths[-1]),
        0.3 * rng.random(len(capacities)) if rng.random() < 0.5 else None,
        capacities,
    )


def supply_net(rng, capacities) -> SupplyNet:
    """What a buyer saves by a supply, its cost being a monotone net."""
    return negated(monotone_net(rng, capacities), 0.6 * rng.random(len(capacities)))


def relu_net(rng, capacities) -> ReluNet:
    widths = [len(capacities), *rng.integers(1, 5, rng.integers(0, 3))]
    shapes = list(pairwise(widths))
    return ReluNet(
        [rng.normal(size=shape) for shape in shapes],
        [rng.normal(size=n) for _, n in shapes],
        rng.normal(size=widths[-1]),
        rng.normal(),
        capacities,
    )


def fourier_series(rng, capacities) -> FourierSeries:
    num_terms = rng.integers(0, 6)
    return FourierSeries(
        rng.integers(0, 2, (num_terms, len(capacities))),
        rng.normal(size=num_terms),
        rng.choice(["WHT", "FT3", "FT4"]),
    )


def quadratic(rng, capacities) -> Quadratic:
    size = len(capacities)
    return Quadratic(rng.normal(size=(size, size)), rng.normal(size=size), capacities)


def xor_table(rng, capacities) -> XorTable:
    bundles = some_bundles(rng, capacities)
    return XorTable(bundles, rng.random(len(bundles)), capacities)


def envelope(rng, capacities) -> Envelope:
    """From reports that are not monotone in general."""
    bundles = np.concatenate([some_bundles(rng, capacities), [capacities]])
    bundles = np.unique(bundles, axis=0)
    return Envelope(bundles, rng.random(len(bundles)), capacities)


def scaled(rng, capacities) -> Scaled:
    """In the units of money rather than near 1."""
    return Scaled(monotone_net(rng, capacities), 1e6 * rng.random())


def minimum(rng, capacities) -> Minimum:
    """An upper bound capped by the 100 % bound, in units of money."""
    parts = (monotone_net(rng, capacities), envelope(rng, capacities))
    return Minimum([Scaled(part, 1e6) for part in parts])


KINDS = {
    "monotone net": monotone_net,
    "supply net": supply_net,
    "relu net": relu_net,
    "fourier": fourier_series,
    "quadratic": quadratic,
    "xor": xor_table,
    "envelope": envelope,
    "scaled": scaled,
    "minimum": minimum,
}


def capacities(max_goods=4, max_capacity=3) -> st.SearchStrategy:
    """Capacities of a small market."""
    one = st.integers(1, max_capacity)
    return st.lists(one, min_size=1, max_size=max_goods).map(np.array)


def generators() -> st.SearchStrategy:
    """Random generators, which shrink towards seed 0."""
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)
