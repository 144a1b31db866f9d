"""What learning hands to optimisation: frozen functions of a bundle."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from boca.core.errors import InputError
from boca.functions import Minimum, ValueFunction
from boca.surrogates.fitted_file import read_fitted, write_fitted

AcquisitionKind = Literal["mean", "upper", "bounded", "envelope"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """
    What was learned about one bidder, in units of value.

    Parameters
    ----------
    mean
        The best guess of the bidder's value function.
    upper
        The upper uncertainty bound; None if the surrogate has none.
    envelope
        The largest monotone function through the reports (100 % bound); None if unknown.
    diagnostics
        How the fit went: numbers by name, such as ``mean_r2``, ``upper_mae`` or ``attempts``.
    suggestions
        Bundles ``(num_bundles, num_goods)`` from whose values the surrogate would learn most, the
        best first; None if it has no such wishes.
    """

    mean: ValueFunction
    upper: ValueFunction | None = None
    envelope: ValueFunction | None = None
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    suggestions: np.ndarray | None = None

    def save(self, path: Path | str) -> None:
        """
        Writes everything to one ``.npz`` file of plain numbers, which is never left half-written.

        Parameters
        ----------
        path
            The file. Functions of one's own, from outside :mod:`boca.functions`, are refused.
        """
        write_fitted(path, {part.name: getattr(self, part.name) for part in fields(self)})

    @classmethod
    def load(cls, path: Path | str) -> "Fitted":
        """Reads what :meth:`save` wrote; the functions give the same values, to the last bit."""
        parts = read_fitted(path)
        names = {part.name for part in fields(cls)}
        if parts.keys() != names or not isinstance(parts["mean"], ValueFunction):
            raise InputError(f"'{path}' does not hold what Fitted.save writes.")
        return cls(**parts)

    def acquisition(self, kind: AcquisitionKind = "upper") -> ValueFunction:
        """
        The function of a bundle that the next query maximises.

        Parameters
        ----------
        kind
            ``mean``; ``upper`` (the paper); ``bounded``, the smaller of upper and envelope; or
            ``envelope``, the 100 % bound, which the paper advises against.
        """
        if kind not in get_args(AcquisitionKind):
            raise InputError(
                f"Received the acquisition {kind!r}; expected one of "
                f"{', '.join(get_args(AcquisitionKind))}."
            )
        if kind == "mean":
            return self.mean
        if kind == "envelope":
            return self._known_envelope()
        if self.upper is None:
            raise InputError(
                f"This surrogate has no upper bound, so the acquisition {kind!r} does not exist; "
                "use 'mean'."
            )
        if kind == "upper":
            return self.upper
        return Minimum((self.upper, self._known_envelope()))

    def _known_envelope(self) -> ValueFunction:
        if self.envelope is None:
            raise InputError("This surrogate has no envelope; use the acquisition 'upper'.")
        return self.envelope
