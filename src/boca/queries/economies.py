"""
Which marginal economies a round looks at.

Balanced and global marginal economies (BOCA, Appendix A, adaptation 1): once a round, the marginal
economies used least so far are chosen for everybody, so that few problems are solved and, at the
end, all have been used equally often up to a difference of one.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class MarginalUse:
    """
    How often each marginal economy has been used; an economy is named by the bidder it leaves out.

    Parameters
    ----------
    overall
        Rounds in which the economy without j was chosen, one count a bidder j.
    by_bidder
        ``by_bidder[i][j]``: queries that bidder i got from the economy without j.
    """

    overall: tuple[int, ...]
    by_bidder: tuple[tuple[int, ...], ...]

    @classmethod
    def none(cls, num_bidders: int) -> "MarginalUse":
        """Before the first round."""
        zeros = (0,) * num_bidders
        return cls(zeros, (zeros,) * num_bidders)

    def choose_global(
        self, num_economies: int, generator: np.random.Generator
    ) -> tuple[tuple[int, ...], "MarginalUse"]:
        """The least used economies, ties at random, and the counts after using them."""
        order = generator.permutation(len(self.overall))
        ranked = sorted(order.tolist(), key=lambda j: self.overall[j])
        chosen = tuple(ranked[:num_economies])
        overall = tuple(count + (j in chosen) for j, count in enumerate(self.overall))
        return chosen, replace(self, overall=overall)

    def choose_for(
        self,
        bidder: int,
        chosen: tuple[int, ...],
        num_economies: int,
        generator: np.random.Generator,
    ) -> tuple[tuple[int, ...], "MarginalUse"]:
        """
        The economies of one bidder: at most ``num_economies`` of the chosen ones that it is part
        of, those that it has used least first, ties at random.
        """
        own = self.by_bidder[bidder]
        candidates = [j for j in chosen if j != bidder]
        order = generator.permutation(len(candidates))
        ranked = sorted((candidates[k] for k in order), key=lambda j: own[j])
        kept = set(ranked[:num_economies])
        mine = tuple(j for j in candidates if j in kept)
        counts = tuple(count + (j in kept) for j, count in enumerate(own))
        by_bidder = self.by_bidder[:bidder] + (counts,) + self.by_bidder[bidder + 1 :]
        return mine, replace(self, by_bidder=by_bidder)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values, for JSON."""
        return {"overall": list(self.overall), "by_bidder": [list(row) for row in self.by_bidder]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "MarginalUse":
        """The inverse of :meth:`to_dict`."""
        return cls(tuple(data["overall"]), tuple(tuple(row) for row in data["by_bidder"]))
