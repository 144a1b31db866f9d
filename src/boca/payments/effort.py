"""How long to work on an allocation, and what is told meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from boca.core.errors import InputError

# Simplex iterations of a quick effort, times the number of bidders.
QUICK_ITERATIONS = 200_000


@dataclass(frozen=True)
class Progress:
    """
    How far a computation is.

    Parameters
    ----------
    stage
        What is being solved, in a few words, such as ``main economy``.
    surplus
        The best surplus of this stage so far.
    bound
        No allocation of this stage has a larger surplus; infinite where nothing is known yet.
    seconds
        Wall-clock time since the computation began.
    """

    stage: str
    surplus: float
    bound: float
    seconds: float


@dataclass(frozen=True)
class Effort:
    """
    When to stop, and whom to tell.

    Without ``max_seconds`` the same bids give the same answer on every machine: all other limits
    are counted in nodes and iterations.

    Parameters
    ----------
    max_seconds
        Wall-clock time for everything together; None for as long as it takes. Positive.
    gap
        How far a bound may be above a surplus, relative to it, for an economy to count as solved.
        At least 0.
    progress
        Called from time to time with a :class:`Progress`; None to tell nobody.
    few_nodes
        Nodes of the search over bidders before anything else is tried.
    iterations
        Simplex iterations of the branching on the linear relaxation before others take over.
    root_gap
        Relative gap of the first linear relaxation beyond which they take over at once, because
        such a gap wants cutting planes.
    search_nodes
        ``(num_bidders, num_nodes)`` pairs, ascending: nodes of the search over bidders if at most
        so many bidders bid. About ten seconds where the search is strong and solvers need
        minutes, one or two where there are many bidders; none where there are more than in the
        last pair, because its bound says little there.
    to_the_end
        Whether a mixed-integer program, whose time nobody can foresee, has the last word where
        all counted limits were too small for a proof.
    """

    max_seconds: float | None = None
    gap: float = 0.0
    progress: Callable[[Progress], None] | None = None
    few_nodes: int = 5_000
    iterations: int = 500_000
    root_gap: float = 1.0
    search_nodes: tuple[tuple[int, int], ...] = ((12, 1_000_000), (48, 200_000))
    to_the_end: bool = True
    began: float = field(default_factory=perf_counter, compare=False)

    def __post_init__(self) -> None:
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise InputError(
                f"Received the time limit {self.max_seconds}; expected a positive number of "
                "seconds, or None for no limit."
            )
        if not (np.isfinite(self.gap) and self.gap >= 0):
            raise InputError(
                f"Received the gap {self.gap}; expected a share of the surplus such as 0.01, or 0."
            )

    @classmethod
    def quick(cls, num_bidders: int) -> "Effort":
        """
        For the best allocation that a round is planned from: seconds, whatever the market.

        Simplex iterations take longer the more bidders there are, so there are fewer of them.
        """
        return cls(iterations=QUICK_ITERATIONS // max(1, num_bidders), to_the_end=False)

    @property
    def deadline(self) -> float:
        """Reading of ``perf_counter`` at which to stop."""
        return np.inf if self.max_seconds is None else self.began + self.max_seconds

    def for_share(self, share: float) -> "Effort":
        """The same effort that ends after a share of the time that is left."""
        if self.max_seconds is None:
            return self
        now = perf_counter()
        until = now + share * max(0.0, self.deadline - now)
        return replace(self, max_seconds=max(until - self.began, 1e-9))

    def nodes_for(self, num_bidders: int) -> int:
        """Nodes of the search over bidders if so many of them bid."""
        return next((nodes for most, nodes in self.search_nodes if num_bidders <= most), 0)

    def in_units(self, unit: float) -> "Effort":
        """The same effort for a problem whose amounts are told in other units."""
        tell = self.progress
        if tell is None or unit == 1.0:
            return self

        def progress(now: Progress) -> None:
            tell(replace(now, surplus=now.surplus * unit, bound=now.bound * unit))

        return replace(self, progress=progress)

    def tell(self, stage: str, surplus: float, bound: float) -> None:
        """Reports how far a stage is."""
        if self.progress is not None:
            self.progress(Progress(stage, surplus, bound, perf_counter() - self.began))
