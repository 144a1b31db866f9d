"""An auction is a list of phases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from boca.core.errors import InputError
from boca.core.settings import check_at_least, check_keys, check_number
from boca.queries.planner import Planner, planner_from_dict, planner_to_dict
from boca.surrogates.registry import Surrogate


@dataclass(frozen=True)
class Phase:
    """
    A part of an auction: who plans its rounds, and how much of the budget they may use.

    With neither ``num_queries`` nor ``share`` the phase is outside of the budget and lasts until
    its planner has no further question.

    Parameters
    ----------
    name
        Shown in tables; no two phases of an auction have the same.
    planner
        Decides what every round asks.
    surrogate
        What is learned before every round; None to learn nothing.
    num_queries
        Questions per bidder that the phase may ask.
    share
        Share of the questions that are left after all fixed numbers, in (0, 1]; the shares of an
        auction's phases add up to at most 1.
    """

    name: str
    planner: Planner
    surrogate: Surrogate | None = None
    num_queries: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.planner, Planner):
            raise InputError(
                f"Phase '{self.name}' has the planner {self.planner!r}; expected an object of a "
                "class such as boca.queries.Acquisition."
            )
        if self.num_queries is not None and self.share is not None:
            raise InputError(
                f"Phase '{self.name}' has a number of queries and a share; expected one of them."
            )
        if self.num_queries is not None:
            check_at_least(1, num_queries=self.num_queries)
        if self.share is not None:
            check_number(share=self.share)
            if not 0 < self.share <= 1:
                raise InputError(
                    f"Phase '{self.name}' has the share {self.share}; expected (0, 1]."
                )

    @property
    def counts(self) -> bool:
        """Whether the phase is part of the budget."""
        return self.num_queries is not None or self.share is not None

    def to_dict(self) -> dict[str, Any]:
        """The phase as plain values, for files."""
        values = {
            "name": self.name,
            "planner": planner_to_dict(self.planner),
            "surrogate": None if self.surrogate is None else self.surrogate.to_dict(),
            "num_queries": self.num_queries,
            "share": self.share,
        }
        return {key: value for key, value in values.items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Phase":
        """The inverse of :meth:`to_dict`."""
        check_keys(data, [f.name for f in fields(cls)], "key of a phase")
        if not {"name", "planner"} <= data.keys():
            raise InputError(
                f"A phase has the keys {', '.join(data)}; expected at least name and planner."
            )
        surrogate = data.get("surrogate")
        return cls(
            name=str(data["name"]),
            planner=planner_from_dict(data["planner"]),
            surrogate=None if surrogate is None else Surrogate.from_dict(surrogate),
            num_queries=data.get("num_queries"),
            share=data.get("share"),
        )


def phase_ends(phases: Sequence[Phase], num_total: int) -> tuple[float, ...]:
    """
    Questions per bidder after which each phase is over; infinite outside of the budget.

    Parameters
    ----------
    phases
        In their order.
    num_total
        The budget of the whole auction, per bidder.
    """
    fixed = sum(phase.num_queries or 0 for phase in phases)
    ends, end = [], 0.0
    for phase in phases:
        end += phase.num_queries or (phase.share or 0.0) * (num_total - fixed)
        ends.append(end if phase.counts else float("inf"))
    return tuple(ends)
