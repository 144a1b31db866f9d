"""Sums of kernels."""

import numpy as np
import pytest

from boca.core import InputError
from boca.functions import KernelExpansion


@pytest.mark.parametrize(
    ("kernel", "numbers", "expected"),
    [
        ("polynomial", [1, 2, 3], 1 + 2 * 4 + 3 * 16),  # x . y = 4
        ("exponential", [2, 5], 2 * np.exp(3 / 5)),  # min(x, y) = 2 + 0 + 1
        ("gaussian", [2, 5], 2 * np.exp(-2 / 5)),  # |x - y| = 1 + 1 + 0
    ],
)
def test_kernels_by_hand(kernel, numbers, expected):
    """Tests each kernel around (2, 1, 1), in a market with more than one copy of a good."""
    function = KernelExpansion(kernel, numbers, [[2, 1, 1]], [1.0], [3, 1, 2])
    other = {"polynomial": [1, 1, 1], "exponential": [2, 0, 1], "gaussian": [3, 0, 1]}[kernel]
    assert function(np.array([other]))[0] == pytest.approx(expected)


def test_copies_do_not_change_the_formula():
    """Tests that the quick path for single copies gives what the general one gives."""
    rng = np.random.default_rng(0)
    centres, bundles = rng.integers(0, 2, (5, 4)), rng.integers(0, 2, (7, 4))
    for kernel in ("exponential", "gaussian"):
        single = KernelExpansion(kernel, [2, 3], centres, np.arange(5))
        several = KernelExpansion(
            kernel, [2, 3], np.vstack([centres, [2, 2, 2, 2]]), [*range(5), 0], [2] * 4
        )
        np.testing.assert_allclose(single(bundles), several(bundles))


@pytest.mark.parametrize(
    "wrong", [("cubic", [1]), ("gaussian", [1]), ("gaussian", [1, 0]), ("exponential", [-1, 2])]
)
def test_kernels_without_meaning_are_refused(wrong):
    """Tests that a kernel's numbers are checked."""
    with pytest.raises(InputError, match="kernel"):
        KernelExpansion(*wrong, [[1, 0]], [1.0])
