"""What an auction records about itself: numbers only, no drawing and no printing."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from boca.core.allocation import Allocation
from boca.core.settings import check_number, check_whole
from boca.functions.certificate import Certificate
from boca.queries.planner import Prediction


@dataclass(frozen=True)
class Planning:
    """
    What the planning of a round knew, before anybody answered.

    Parameters
    ----------
    phase
        Name of the phase that the round belongs to.
    prediction
        What winner determination said; None where there was none.
    learning_seconds, solving_seconds
        Time spent on the surrogates and on finding queries.
    fit_r2
        Worst coefficient of determination of an acquisition on its own training reports; None
        without surrogate.
    """

    phase: str = ""
    prediction: Prediction | None = None
    learning_seconds: float = 0.0
    solving_seconds: float = 0.0
    fit_r2: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """What was known as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Planning":
        """The inverse of :meth:`to_dict`."""
        prediction = data["prediction"]
        planning = cls(**{**data, "prediction": Prediction(**prediction) if prediction else None})
        check_number(
            learning_seconds=planning.learning_seconds, solving_seconds=planning.solving_seconds
        )
        if planning.fit_r2 is not None:
            check_number(fit_r2=planning.fit_r2)
        for name, value in vars(planning.prediction or Prediction()).items():
            if value is not None:
                check_number(**{name: value})
        return planning


@dataclass(frozen=True)
class RoundRecord:
    """
    What a finished round brought.

    Parameters
    ----------
    round
        0 for the first round.
    num_queries
        Most questions that any bidder has been asked by the end of the round.
    num_reports
        Reports of all bidders together by the end of the round.
    welfare, allocation
        Largest known welfare of an allocation of reported bundles, and that allocation: who would
        get what if the auction ended here.
    planning
        What the planning of the round knew.
    welfare_bound
        No allocation has a larger welfare, if nobody's answer is off by more than the discrepancy;
        None where the answers prove nothing.
    discrepancy
        The smallest amount by which answers must be off so that each bidder's fit together; 0
        where they do.
    sure_welfare
        What the allocation is worth at least if no answer is off by more; None where the
        discrepancy is 0, so that this is the welfare.
    """

    round: int
    num_queries: int
    num_reports: int
    welfare: float
    allocation: Allocation
    planning: Planning = field(default_factory=Planning)
    welfare_bound: float | None = None
    discrepancy: float = 0.0
    sure_welfare: float | None = None

    @property
    def missing(self) -> float | None:
        """
        The largest share of the optimal welfare that the allocation can lack if no answer is off
        by more than the discrepancy; None if unproven.
        """
        if self.welfare_bound is None:
            return None
        sure = self.welfare if self.sure_welfare is None else self.sure_welfare
        return Certificate(self.welfare_bound).missing(sure)

    @property
    def phase(self) -> str:
        """Name of the phase that the round belongs to."""
        return self.planning.phase

    @property
    def gap(self) -> float | None:
        """Proven relative distance of the planned allocation from the best; None if unproven."""
        return self.planning.prediction.gap if self.planning.prediction else None

    def row(self) -> dict[str, Any]:
        """The numbers of the round under one another, for CSV; the allocation is left out."""
        planning = self.planning
        prediction = asdict(planning.prediction or Prediction())
        return {
            "round": self.round,
            "phase": planning.phase,
            "num_queries": self.num_queries,
            "num_reports": self.num_reports,
            "welfare": self.welfare,
            "welfare_bound": self.welfare_bound,
            "missing": self.missing,
            "discrepancy": self.discrepancy,
            "predicted_welfare": prediction.pop("welfare"),
            **prediction,
            "learning_seconds": planning.learning_seconds,
            "solving_seconds": planning.solving_seconds,
            "fit_r2": planning.fit_r2,
        }

    def to_dict(self) -> dict[str, Any]:
        """The record as plain values, for JSON."""
        return {
            "round": self.round,
            "num_queries": self.num_queries,
            "num_reports": self.num_reports,
            "welfare": self.welfare,
            "allocation": self.allocation.bundles.tolist(),
            "planning": self.planning.to_dict(),
            "welfare_bound": self.welfare_bound,
            **self._contradicting(),
        }

    def _contradicting(self) -> dict[str, float]:
        """What is kept only where answers contradict each other, as in records from before."""
        if not self.discrepancy:
            return {}
        sure = {} if self.sure_welfare is None else {"sure_welfare": self.sure_welfare}
        return {"discrepancy": self.discrepancy, **sure}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RoundRecord":
        """The inverse of :meth:`to_dict`."""
        check_whole(
            **{name: data[name] for name in ("round", "num_queries", "num_reports")},
        )
        check_number(welfare=data["welfare"])
        for name in ("welfare_bound", "discrepancy", "sure_welfare"):
            if data.get(name) is not None:
                check_number(**{name: data[name]})
        allocation = Allocation(np.array(data["allocation"], dtype=np.int64))
        planning = Planning.from_dict(data["planning"])
        return cls(**{**data, "allocation": allocation, "planning": planning})
