"""What can learn from reports, by name: each entry is a parameter class and a `fit` function."""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.report import Reports
from boca.surrogates.fitted import Fitted

# Name -> module and parameter class. The module has `fit(reports, market, params, seed)` and is
# imported when it is first used, because the ML framework takes a second to load.
LEARNERS: dict[str, tuple[str, str]] = {
    "mvnn": ("boca.surrogates.mvnn", "MvnnParams"),
}


@dataclass(frozen=True)
class Learner:
    """
    Reports in, fitted functions out.

    Parameters
    ----------
    name
        A key of ``LEARNERS``.
    params
        Parameters by bidder type, as plain values; checked on construction.
    """

    name: str
    params: Mapping[str, Mapping[str, Any]]

    def __post_init__(self):
        if self.name not in LEARNERS:
            raise InputError(
                f"Received the surrogate {self.name!r}; expected one of {', '.join(LEARNERS)}."
            )

    def fit(self, reports: Sequence[Reports], market: Market, seed: int) -> dict[int, Fitted]:
        """One fitted function a bidder that has reports; the others are left out."""
        module_name, class_name = LEARNERS[self.name]
        module = importlib.import_module(module_name)
        params_class = getattr(module, class_name)
        params = {kind: params_class(**values) for kind, values in self.params.items()}
        return module.fit(reports, market, params, seed)
