"""What a preset is, and what one may choose about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from boca.core.conduct import Conduct
from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.settings import check_at_least, check_types
from boca.mechanism.phases import Phase
from boca.queries import Acquisition, FirstBundles
from boca.surrogates.fitted import AcquisitionKind


@dataclass(frozen=True)
class Choices:
    """
    What one may choose about a preset without knowing its phases.

    Parameters
    ----------
    num_initial, num_per_round
        Q_init and Q_round of the paper: questions per bidder at first, and in each later round.
    acquisition
        What queries maximise; the preset's own if None.
    proof, solve_seconds
        As in :class:`boca.queries.Acquisition`; the preset's own where None.
    tuned
        Name of a value model whose published hyperparameters are taken; defaults for any market if
        there are none under this name.
    q
        Quantile that the hyperparameters were tuned for; the paper's winner if None.
    ranges
        Whether bidders may answer with ranges; the last tenth of the questions then narrows those
        that may decide something.
    num_total
        Questions per bidder in all.
    """

    num_initial: int = 40
    num_per_round: int = 4
    acquisition: AcquisitionKind | None = None
    proof: str | float | None = None
    solve_seconds: float | None = None
    tuned: str = ""
    q: float | None = None
    ranges: bool = False
    num_total: int = 100

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(1, num_initial=self.num_initial, num_per_round=self.num_per_round)

    def first(self, full_bundle: bool = True) -> Phase:
        """The phase of the first queries, the full bundle among them or not."""
        planner = FirstBundles(self.num_initial, full_bundle)
        return Phase("first", planner, num_queries=self.num_initial)

    def acquiring(
        self, acquisition: AcquisitionKind, economies: Literal["all", "main"] = "all"
    ) -> Acquisition:
        """The paper's planner with what was chosen."""
        return Acquisition(
            self.acquisition or acquisition,
            economies,
            self.num_per_round,
            "none" if self.proof is None else self.proof,
            self.solve_seconds,
        )


@dataclass(frozen=True)
class Preset:
    """
    A mechanism under its name.

    Parameters
    ----------
    description
        What it is, in a line.
    phases
        The list of phases for a market and what was chosen.
    acquisitions
        What queries may maximise, the preset's own choice first; empty where nothing is
        maximised.
    learns
        Whether anything is learned from answers.
    has_quantiles
        Whether published hyperparameters exist for several quantiles.
    asks_first_queries
        Whether an auction begins with queries that nothing was learned for yet.
    merges_copies
        Whether identical licences are one good with a capacity unless somebody wants otherwise.
    proof, solve_seconds
        How good winner determination must provably be, and its time limit, unless somebody wants
        otherwise.
    published_start, stop_when_efficient
        Whether simulations begin with the first bundles of the published experiments, and end at
        0 % loss, which only an observer sees; such a mechanism is not for people.
    """

    description: str
    phases: Callable[[Market, Choices], tuple[Phase, ...]]
    acquisitions: tuple[AcquisitionKind, ...] = ()
    learns: bool = True
    has_quantiles: bool = False
    asks_first_queries: bool = True
    merges_copies: bool = False
    proof: str | float = "none"
    solve_seconds: float | None = None
    published_start: bool = False
    stop_when_efficient: bool = False

    def conduct(self, market: Market) -> Conduct:
        """What people meet, told by the planners of its phases."""
        planners = [phase.planner for phase in self.phases(market, Choices())]
        return Conduct(
            is_for_people=not self.stop_when_efficient
            and all(getattr(planner, "num_bundles", 1) == 1 for planner in planners),
            announces_prices=any(planner.asks_demands for planner in planners),
            needs_start_prices=hasattr(planners[0], "start_prices"),
            has_own_pace=not self.asks_first_queries,
            learns=self.learns,
        )

    def check_acquisition(self, mechanism: str, acquisition: str | None) -> None:
        """Refuses what a mechanism of this preset, given by name, does not maximise."""
        if acquisition is None or acquisition in self.acquisitions:
            return
        if not self.acquisitions:
            raise InputError(
                f"Received the acquisition {acquisition!r} for {mechanism}, which maximises "
                "nothing; leave it out or choose another mechanism."
            )
        raise InputError(
            f"Received the acquisition {acquisition!r} for {mechanism}; expected one of "
            f"{', '.join(self.acquisitions)}."
        )
