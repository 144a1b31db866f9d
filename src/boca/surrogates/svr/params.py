"""What can be chosen about the regression of one bidder type."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from boca.core.frozen import set_fields
from boca.core.settings import check_types, expect
from boca.functions import Kernel

KernelName = Literal["linear", "quadratic", "polynomial", "exponential", "gaussian"]


@dataclass(frozen=True)
class SvrParams:
    """
    Settings of the regression of one bidder type. Checked on construction.

    Parameters
    ----------
    kernel
        Linear and quadratic kernels give a :class:`~boca.functions.Quadratic` function, for which
        winner determination has a proof; the others are searched.
    coefficients
        ``c_k`` of ``sum_k c_k s^k`` with s = x . y, for linear, quadratic and polynomial kernels;
        not negative.
    scale
        Factor of exponential and Gaussian kernels, see :class:`~boca.functions.Kernel`.
    bandwidth
        Distance over which exponential and Gaussian kernels change, see the same.
    penalty
        C: what an error costs, per unit of the scaled value.
    epsilon
        Errors up to this, in scaled values, cost nothing.
    value_scale
        Values are multiplied by this. None: chosen for each bidder so that its largest report
        becomes the kernel of the full bundle with itself, which makes ``penalty`` mean the same
        in every market.
    drop_below
        Dual coefficients below this, in absolute value, are left out.
    """

    kernel: KernelName = "quadratic"
    coefficients: tuple[float, ...] = (0.0, 1.0, 0.01)
    scale: float = 10.0
    bandwidth: float = 10.0
    penalty: float = 100.0
    epsilon: float = 1e-5
    value_scale: float | None = None
    drop_below: float = 1e-8

    def __post_init__(self) -> None:
        check_types(self)
        set_fields(self, coefficients=tuple(map(float, self.coefficients)))
        if self.is_polynomial:
            degree = {"linear": 1, "quadratic": 2}.get(self.kernel)
            fits = degree is None or len(self.coefficients) == degree + 1
            sound = min(self.coefficients, default=-1) >= 0 and max(self.coefficients) > 0
            expect(
                self,
                fits and sound,
                "coefficients",
                "one number of at least 0 for each power from 0, and one of them above 0",
            )
        for name in ("scale", "bandwidth", "penalty"):
            expect(self, getattr(self, name) > 0, name, "a positive number")
        expect(self, self.epsilon >= 0, "epsilon", "zero or more")
        expect(self, self.drop_below >= 0, "drop_below", "zero or more")
        expect(
            self,
            self.value_scale is None or self.value_scale > 0,
            "value_scale",
            "positive, or none",
        )

    @property
    def is_polynomial(self) -> bool:
        """Whether the kernel is a polynomial of the scalar product."""
        return self.kernel in ("linear", "quadratic", "polynomial")

    @property
    def form(self) -> tuple[Kernel, np.ndarray]:
        """The kernel and its numbers."""
        if self.is_polynomial:
            return Kernel.POLYNOMIAL, np.array(self.coefficients)
        return Kernel(self.kernel), np.array([self.scale, self.bandwidth])
