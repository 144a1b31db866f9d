"""What every planner is: settings that decide the questions of the next round."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from boca.core.bundle import bundle_keys
from boca.core.demand import Demands
from boca.core.economy import Economy
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.query import Question
from boca.core.randomness import Seeds
from boca.core.report import Reports
from boca.core.settings import plain
from boca.core.wording import did_you_mean
from boca.queries.economies import MarginalUse
from boca.queries.winners import Winners
from boca.surrogates.fitted import Fitted


class Situation(Protocol):
    """
    What a planner may know: everything that was asked and answered, and nothing else.

    An auction's state is one.
    """

    @property
    def market(self) -> Market: ...

    @property
    def reports(self) -> tuple[Reports, ...]:
        """What each bidder has reported."""
        ...

    @property
    def demands(self) -> tuple[Demands, ...]:
        """What each bidder has wanted at which prices."""
        ...

    @property
    def declined(self) -> tuple[np.ndarray, ...]:
        """Bundles each bidder refused to value, ``(num_declined, num_goods)`` for each bidder."""
        ...

    @property
    def num_asked(self) -> tuple[int, ...]:
        """Questions that each bidder was asked."""
        ...

    @property
    def use(self) -> MarginalUse:
        """How often marginal economies were used."""
        ...

    @property
    def at_most(self) -> np.ndarray:
        """Where the market buys, what a unit of each lot costs outside, ``(num_goods,)``."""
        ...

    @property
    def round(self) -> int:
        """Number of the round that is being planned."""
        ...

    @property
    def rounds_in_phase(self) -> int:
        """Rounds of the present phase that are over."""
        ...

    def winners(self, economy: Economy) -> Winners:
        """Who would get what in an economy if the auction closed now."""
        ...


@dataclass(frozen=True)
class Prediction:
    """
    What the winner determination of a round said.

    Parameters
    ----------
    welfare
        Largest acquisition welfare of the main economy.
    bound, gap
        Proven upper bound of ``welfare`` and its relative distance; None if nothing was proven.
    num_solved, num_displaced
        Winner-determination problems of the round, and how many of them were re-solves because the
        best bundle was known already.
    """

    welfare: float | None = None
    bound: float | None = None
    gap: float | None = None
    num_solved: int = 0
    num_displaced: int = 0


@dataclass(frozen=True)
class Plan:
    """
    What a round asks, and how it came about.

    Parameters
    ----------
    questions
        Value and demand queries, in the order they were found. None at all ends the phase.
    use
        How often marginal economies have been used, this round included.
    prediction
        What winner determination said; None where there was none.
    over
        Why the phase ends, in words, where there are no questions.
    """

    questions: tuple[Question, ...]
    use: MarginalUse
    prediction: Prediction | None = None
    over: str = "every bundle has been asked about"


class Planner(ABC):
    """
    Decides what the next round asks. A planner is a frozen dataclass of its settings.

    ``name`` is what files call it, once it is registered with :func:`register_planner`, and
    ``asks_demands`` says whether it may ask what bidders want at prices.
    """

    name: ClassVar[str]
    asks_demands: ClassVar[bool] = False

    @property
    def per_round(self) -> int | None:
        """Most questions that a bidder gets in a round, for the budget; None if unknown."""
        return 1

    @abstractmethod
    def plan(self, situation: Situation, fitted: Mapping[int, Fitted], seeds: Seeds) -> Plan:
        """
        The questions of the next round.

        Parameters
        ----------
        situation
            What has been asked and answered so far.
        fitted
            What was learned about each bidder that has answered anything; empty where the phase
            has no surrogate.
        seeds
            The random streams of this round.
        """

    def check(self, market: Market) -> None:  # noqa: B027, a planner may fit every market
        """Raises an InputError where the planner cannot serve a market."""


PLANNERS: dict[str, type[Planner]] = {}

P = TypeVar("P", bound=type[Planner])


def register_planner(planner: P) -> P:
    """Lets files name a planner; used as a decorator of its class."""
    PLANNERS[planner.name] = planner
    return planner


def planner_to_dict(planner: Planner) -> dict[str, Any]:
    """A planner as plain values."""
    if PLANNERS.get(planner.name) is not type(planner):
        raise InputError(
            f"The planner {type(planner).__name__} cannot be written to a file, because nobody "
            "could read it back; register its class with boca.queries.register_planner."
        )
    return {"name": planner.name, **plain(planner)}


def planner_from_dict(data: Mapping[str, Any]) -> Planner:
    """The inverse of :func:`planner_to_dict`."""
    if not isinstance(data, Mapping):
        raise InputError(f"Received the planner {data!r}; expected a table with its name.")
    values = dict(data)
    name = values.pop("name", None)
    if name not in PLANNERS:
        raise InputError(f"Unknown planner {name!r}; {did_you_mean(str(name), PLANNERS)}")
    valid = [f.name for f in fields(PLANNERS[name])]  # type: ignore[arg-type]
    for key in values:
        if key not in valid:
            raise InputError(
                f"Unknown setting '{key}' of the planner '{name}'; {did_you_mean(key, valid)}"
            )
    return PLANNERS[name](**values)


def known_keys(situation: Situation, bidder: int) -> set[bytes]:
    """Keys of the bundles that a bidder is not asked about again."""
    return {
        *bundle_keys(situation.reports[bidder].bundles),
        *bundle_keys(situation.declined[bidder]),
    }
