"""The bundle of one bidder as variables of a model."""

import numpy as np

from boca.milp import Model


class BundleVariables:
    """
    Integer variables for the copies of each good that one bidder gets.

    Parameters
    ----------
    model
        The model they belong to.
    capacities
        Copies of each good ``(num_goods,)``: the upper bounds.
    """

    def __init__(self, model: Model, capacities: np.ndarray):
        self.model = model
        self.capacities = np.asarray(capacities, dtype=np.int64)
        self.columns = model.add_variables(len(self.capacities), 0, self.capacities, integer=True)
        self._levels: dict[int, np.ndarray] = {}

    @property
    def num_goods(self) -> int:
        return len(self.capacities)

    def at_least(self, good: int, level: int) -> int:
        """
        The binary variable that is 1 where the bundle has ``level`` or more copies of a good.

        For a good with one copy this is the variable of the good itself. For others, a row of
        binaries ``u[1] >= u[2] >= ...`` with ``sum(u) = x`` is added when it is first asked for.
        """
        return int(self.levels(good)[level - 1])

    def levels(self, good: int) -> np.ndarray:
        """The variables of :meth:`at_least` for the levels 1 to capacity."""
        if good not in self._levels:
            self._levels[good] = self._add_levels(good)
        return self._levels[good]

    def _add_levels(self, good: int) -> np.ndarray:
        capacity = int(self.capacities[good])
        if capacity == 1:
            return self.columns[good : good + 1]
        levels = self.model.add_variables(capacity, 0, 1, integer=True)
        self.model.add_row(
            [*levels, self.columns[good]], [1.0] * capacity + [-1.0], lower=0, upper=0
        )
        self.model.add_rows(np.stack([levels[:-1], levels[1:]], axis=1), [1.0, -1.0], lower=0)
        return levels

    def outside(self, bundle: np.ndarray) -> np.ndarray:
        """Variables of which at least one is 1 exactly if some count exceeds the given bundle's."""
        return np.array(
            [
                self.at_least(g, int(bundle[g]) + 1)
                for g in range(self.num_goods)
                if bundle[g] < self.capacities[g]
            ],
            dtype=np.int64,
        )
