"""What can be chosen about an auction; everything else follows from it and the reports."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal, get_args

from boca.core.errors import InputError

Acquisition = Literal["upper", "mean", "bounded", "random", "suggested", "clock", "full"]
Economies = Literal["all", "main"]


@dataclass(frozen=True)
class StoppingParams:
    """
    When an auction ends before its budget is used up.

    Parameters
    ----------
    max_seconds
        No further round starts after this time; None for no limit.
    patience
        Rounds without growth of the reported welfare that are tolerated; None to never stop so.
    min_gain
        Growth, relative to the best welfare so far, that counts for ``patience``.
    when_proven
        Whether to stop once no monotone value functions that agree with the reports could give
        more welfare than the reports do.
    """

    max_seconds: float | None = None
    patience: int | None = None
    min_gain: float = 1e-4
    when_proven: bool = False

    def __post_init__(self):
        if self.max_seconds is not None:
            check_number("max_seconds", self.max_seconds)
            if not self.max_seconds > 0:  # also where it is not a number at all
                raise InputError(
                    f"Received max_seconds = {self.max_seconds}; expected more than 0."
                )
        if self.patience is not None:
            check_whole("patience", self.patience)
            if self.patience < 1:
                raise InputError(f"Received patience = {self.patience}; expected at least 1.")


@dataclass(frozen=True)
class ClockParams:
    """
    Settings of a clock auction; others ignore them.

    Parameters
    ----------
    start_prices
        Price of one copy of each good in the first round. Empty: a simulation takes a share of
        average true values of single copies, as published experiments do.
    start_share
        That share.
    increment
        By which share the price of a good rises when more is wanted than there is.
    num_profit_bids
        Most profitable bundles at the final prices that bidders may bid on at the end.
    """

    start_prices: tuple[float, ...] = ()
    start_share: float = 0.2
    increment: float = 0.05
    num_profit_bids: int = 100

    def __post_init__(self):
        object.__setattr__(self, "start_prices", tuple(map(float, self.start_prices)))
        if any(not 0 < price < float("inf") for price in self.start_prices):
            raise InputError("Received a start price of 0 or less; expected positive ones.")
        if self.increment <= 0 or self.start_share <= 0:
            raise InputError(
                f"Received the increment {self.increment} and the start share "
                f"{self.start_share}; expected positive numbers."
            )
        if self.num_profit_bids < 0:
            raise InputError(f"Received {self.num_profit_bids} profit bids; expected 0 or more.")


@dataclass(frozen=True)
class Phase:
    """
    A part of an auction's rounds that has its own way to find queries.

    Parameters
    ----------
    name
        Shown in the statistics.
    share
        Of the queries after the first ones, in (0, 1]; the shares of all phases add up to 1.
    surrogate, acquisition, economies
        As in :class:`AuctionParams`, whose parameters of the surrogate serve all phases.
    """

    name: str
    share: float
    surrogate: str
    acquisition: Acquisition = "mean"
    economies: Economies = "all"

    def __post_init__(self):
        if not 0 < self.share <= 1:
            raise InputError(f"Phase '{self.name}' has the share {self.share}; expected (0, 1].")
        check_choices(self.acquisition, self.economies)


@dataclass(frozen=True)
class AuctionParams:
    """
    Settings of an auction. Checked on construction.

    Parameters
    ----------
    mechanism
        Name of the preset that these settings came from; a label.
    surrogate
        What learns from reports: a name of :mod:`boca.mechanism.learners`, or ``none``.
    surrogate_params
        Its parameters by bidder type, as plain values.
    acquisition
        What a query maximises: ``upper`` bound (BOCA), ``mean``, ``bounded`` (the smaller of upper
        bound and envelope); or ``random`` bundles, or those ``suggested`` by the surrogate; or
        ``clock`` for rising prices instead of value queries; or ``full`` for the benchmark that
        knows all values and asks nothing, which exists in simulation only.
    economies
        Whose best allocations give queries: the main and marginal ones (``all``), or ``main``.
    phases
        Where rounds differ: each phase replaces ``surrogate``, ``acquisition`` and ``economies``
        for its share of the rounds. Empty: all rounds alike.
    clock
        Prices and increment of a clock auction, whose rounds are at most ``num_total``.
    num_initial, num_per_round, num_total
        Q_init, Q_round and Q_max of the paper: queries a bidder.
    proof
        How good every winner-determination answer must provably be: ``none``, a relative gap, or
        ``optimal``.
    solve_seconds
        Time limit of one winner-determination problem, beside the proof; None for no limit.
    payment_rule
        ``vcg`` or ``core``.
    seed
        Of every random choice of the auction.
    stopping
        When to end before the budget is used up.
    """

    mechanism: str = "boca"
    surrogate: str = "mvnn"
    surrogate_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    acquisition: Acquisition = "upper"
    economies: Economies = "all"
    phases: tuple[Phase, ...] = ()
    clock: ClockParams = ClockParams()
    num_initial: int = 40
    num_per_round: int = 4
    num_total: int = 100
    proof: str | float = "none"
    solve_seconds: float | None = None
    payment_rule: str = "vcg"
    seed: int = 0
    stopping: StoppingParams = StoppingParams()

    def __post_init__(self):
        for name in ("num_initial", "num_per_round", "num_total", "seed"):
            check_whole(name, getattr(self, name))
        if self.num_initial < 1:
            raise InputError(f"Received {self.num_initial} initial queries; expected at least 1.")
        if self.num_per_round < 1:
            raise InputError(f"Received {self.num_per_round} queries a round; expected at least 1.")
        if self.num_total < self.num_initial:
            raise InputError(
                f"Received a budget of {self.num_total} queries with {self.num_initial} initial "
                "ones; expected a budget of at least the initial queries. "
                "Raise the budget or ask fewer initial queries."
            )
        check_choices(self.acquisition, self.economies)
        learned = self.acquisition in ("upper", "mean", "bounded", "suggested")
        if self.surrogate == "none" and learned and not self.phases:
            raise InputError(
                f"Received the acquisition {self.acquisition!r} for a mechanism that learns "
                "nothing; choose one with a surrogate, or leave the acquisition out."
            )
        total = sum(phase.share for phase in self.phases)
        if self.phases and abs(total - 1) > 1e-9:
            raise InputError(f"The shares of the phases add up to {total:g}; expected 1.")
        if self.payment_rule not in ("vcg", "core"):
            raise InputError(
                f"Received the payment rule {self.payment_rule!r}; expected 'vcg' or 'core'."
            )
        if self.acquisition == "full" and self.payment_rule != "vcg":
            raise InputError(
                "Received core payments for the benchmark with full information; it is defined "
                "with VCG payments only. Leave the payment rule out, or choose a mechanism that "
                "asks."
            )
        check_proof(self.proof)

    @property
    def num_rounds(self) -> int:
        """Rounds within the budget (Algorithm 2, line 3)."""
        return (self.num_total - self.num_initial) // self.num_per_round

    def phase_at(self, num_asked: int) -> Phase | None:
        """The phase of the round that follows after so many queries; None without phases."""
        later = max(1, self.num_total - self.num_initial)
        progress, end = (num_asked - self.num_initial) / later, 0.0
        for phase in self.phases:
            end += phase.share
            if progress < end - 1e-9:
                return phase
        return self.phases[-1] if self.phases else None

    def at(self, num_asked: int) -> "AuctionParams":
        """The settings of the round that follows after so many queries."""
        phase = self.phase_at(num_asked)
        if phase is None:
            return self
        return replace(
            self,
            surrogate=phase.surrogate,
            acquisition=phase.acquisition,
            economies=phase.economies,
        )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for JSON and TOML."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "AuctionParams":
        """The inverse of :meth:`to_dict`; unknown keys are errors that name the nearest one."""
        check_keys(cls, data)
        values = dict(data)
        if "stopping" in values:
            check_keys(StoppingParams, values["stopping"])
            values["stopping"] = StoppingParams(**values["stopping"])
        if "clock" in values:
            check_keys(ClockParams, values["clock"])
            values["clock"] = ClockParams(**values["clock"])
        for phase in values.get("phases", ()):
            check_keys(Phase, phase)
        values["phases"] = tuple(Phase(**phase) for phase in values.get("phases", ()))
        return cls(**values)


def check_choices(acquisition: str, economies: str) -> None:
    """Raises unless both are among the known words."""
    if acquisition not in get_args(Acquisition):
        raise InputError(
            f"Received the acquisition {acquisition!r}; expected one of "
            f"{', '.join(get_args(Acquisition))}."
        )
    if economies not in get_args(Economies):
        raise InputError(f"Received economies = {economies!r}; expected 'all' or 'main'.")


def check_whole(name: str, value: Any) -> None:
    """Raises unless a setting is a whole number, such as text from a file is not."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"Received {name} = {value!r}; expected a whole number.")


def check_number(name: str, value: Any) -> None:
    """Raises unless a setting is a number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputError(f"Received {name} = {value!r}; expected a number.")


def check_proof(proof: str | float) -> None:
    """Raises unless the wanted proof is ``none``, ``optimal`` or a gap in (0, 1)."""
    if isinstance(proof, str) and proof in ("none", "optimal"):
        return
    if isinstance(proof, float | int) and 0 < proof < 1:
        return
    raise InputError(
        f"Received proof = {proof!r}; expected 'none', 'optimal' or a relative gap such as 0.005."
    )


def check_keys(cls: type, data: Mapping[str, Any]) -> None:
    """Raises for a key that is no field of the class, naming the nearest one."""
    valid = [f.name for f in fields(cls)]
    for key in data:
        if key not in valid:
            near = get_close_matches(key, valid, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; valid are {', '.join(valid)}."
            raise InputError(f"Unknown setting '{key}'{hint}")
