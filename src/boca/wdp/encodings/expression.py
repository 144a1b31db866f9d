"""Linear expressions in the variables of a model."""

from dataclasses import dataclass

import numpy as np

from boca.milp import Model


@dataclass(frozen=True)
class Expression:
    """
    ``coefficients . x[columns] + constant``.

    Parameters
    ----------
    columns
        Variables of a model, integer ``(num_terms,)``.
    coefficients
        One number a variable ``(num_terms,)``.
    constant
        Added to the sum.
    """

    columns: np.ndarray
    coefficients: np.ndarray
    constant: float = 0.0

    def __add__(self, other: "Expression") -> "Expression":
        return Expression(
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.coefficients, other.coefficients]),
            self.constant + other.constant,
        )

    def __mul__(self, factor: float) -> "Expression":
        return Expression(self.columns, factor * self.coefficients, factor * self.constant)

    def add_to_objective(self, model: Model) -> None:
        """Adds the expression to what a model maximises."""
        model.add_cost(self.columns, self.coefficients)
        model.offset += self.constant
