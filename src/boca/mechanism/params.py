"""What can be chosen about an auction; everything else follows from it and the answers."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.core.message import Place, msg
from boca.core.report import LARGEST_VALUE
from boca.core.settings import (
    check_at_least,
    check_choice,
    check_keys,
    check_positive,
    check_types,
    check_whole,
    expect,
)
from boca.core.wording import did_you_mean
from boca.mechanism.phases import Phase, phase_ends
from boca.surrogates.registry import Surrogate

# Of sales; of purchases "offered" as well; of exchanges the last three, and VCG.
PAYMENT_RULES = ("vcg", "core", "none", "offered", "threshold", "proportional", "small")


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
    proven_gap
        Stop once the answers prove that at most this share of the optimal welfare is missing, in
        (0, 1); None to never stop so. Needs demand queries.
    """

    max_seconds: float | None = None
    patience: int | None = None
    min_gain: float = 1e-4
    when_proven: bool = False
    proven_gap: float | None = None

    def __post_init__(self) -> None:
        check_types(self)
        if self.max_seconds is not None:
            check_positive(max_seconds=self.max_seconds)
        if self.patience is not None:
            check_at_least(1, patience=self.patience)
        if self.proven_gap is not None:
            check_positive(proven_gap=self.proven_gap)
            if self.proven_gap >= 1:
                raise InputError(
                    f"Received proven_gap = {self.proven_gap}; expected a share below 1."
                )


@dataclass(frozen=True)
class AuctionParams:
    """
    Settings of an auction. Checked on construction.

    Parameters
    ----------
    phases
        What is asked, phase by phase. Without any phase nothing is asked.
    mechanism
        What people call the list of phases; a label.
    num_total
        Q_max of the paper: questions per bidder, over all phases that count.
    payment_rule
        ``vcg``, ``core`` or ``none``; of a purchase also ``offered``; of an exchange ``threshold``,
        ``proportional``, ``small``, ``vcg`` or ``none``.
    reserve
        Price of one copy of each good below which the seller keeps it; empty for none. Of a
        purchase the at-most price of a unit of each lot, for which it is bought outside; infinite
        where it must be covered.
    seed
        Of every random choice of the auction.
    stopping
        When to end before the budget is used up.
    """

    phases: tuple[Phase, ...] = ()
    mechanism: str = "custom"
    num_total: int = 100
    payment_rule: str = "vcg"
    reserve: tuple[float, ...] = ()
    seed: int = 0
    stopping: StoppingParams = StoppingParams()

    def __post_init__(self) -> None:
        expect(self, isinstance(self.phases, Iterable), "phases", "a list of phases")
        expect(self, isinstance(self.stopping, StoppingParams), "stopping", "a table of settings")
        expect(self, isinstance(self.mechanism, str), "mechanism", "a name")
        set_fields(self, phases=tuple(self.phases), reserve=_prices(self.reserve))
        check_at_least(1, num_total=self.num_total)
        check_whole(seed=self.seed)
        check_choice(PAYMENT_RULES, payment_rule=self.payment_rule)
        self._check_phases()

    def _check_phases(self) -> None:
        names = [phase.name for phase in self.phases]
        if len(set(names)) < len(names):
            raise InputError(f"Phases are called {', '.join(names)}; give each its own name.")
        total = sum(phase.share or 0.0 for phase in self.phases)
        if total > 1 + 1e-9:
            raise InputError(f"The shares of the phases add up to {total:g}; expected at most 1.")
        fixed = sum(phase.num_queries or 0 for phase in self.phases)
        if fixed > self.num_total:
            raise InputError(
                msg(
                    "Received a budget of {total} queries per {one} for phases that need {least}. "
                    "Raise the budget or ask fewer first queries.",
                    total=self.num_total,
                    one=msg("bidder"),
                    least=fixed,
                ),
                Place("auction", "num_total"),
            )

    @property
    def phase_ends(self) -> tuple[float, ...]:
        """Questions per bidder after which each phase is over."""
        return phase_ends(self.phases, self.num_total)

    def phase(self, name: str) -> Phase:
        """The phase of a name."""
        for phase in self.phases:
            if phase.name == name:
                return phase
        names = [phase.name for phase in self.phases]
        raise InputError(f"There is no phase '{name}'; {did_you_mean(name, names)}")

    def with_phase(self, phase: Phase) -> "AuctionParams":
        """These settings with another phase in the place of the one of the same name."""
        self.phase(phase.name)
        phases = [phase if phase.name == old.name else old for old in self.phases]
        return replace(self, phases=tuple(phases))

    def changed(self, name: str, value: Any) -> "AuctionParams":
        """
        These settings with one of them changed.

        Parameters
        ----------
        name
            A field of these settings; ``stopping.FIELD``; ``PHASE.FIELD`` for a phase's planner
            (``PHASE.PART.FIELD`` for a planner inside it);
            ``surrogate.FIELD`` or ``surrogate.TYPE.FIELD`` for the parameters of every surrogate.
        value
            Its new value.
        """
        first, dot, rest = name.partition(".")
        if not dot:
            check_keys({name: value}, [f.name for f in fields(self)])
            return AuctionParams.from_dict({**self.to_dict(), name: value})
        if first == "stopping":
            return replace(self, stopping=_changed(self.stopping, name, rest, value))
        if first == "surrogate":
            return replace(self, phases=_changed_surrogates(self.phases, rest, value))
        phase = self.phase(first)
        return self.with_phase(replace(phase, planner=_changed(phase.planner, name, rest, value)))

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values, for JSON and TOML."""
        return {
            "mechanism": self.mechanism,
            "num_total": self.num_total,
            "payment_rule": self.payment_rule,
            "reserve": list(self.reserve),
            "seed": self.seed,
            "stopping": asdict(self.stopping),
            "phases": [phase.to_dict() for phase in self.phases],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "AuctionParams":
        """The inverse of :meth:`to_dict`; unknown keys are errors that name the nearest one."""
        check_keys(data, [f.name for f in fields(cls)])
        values = dict(data)
        if "stopping" in values:
            check_keys(values["stopping"], [f.name for f in fields(StoppingParams)])
            values["stopping"] = StoppingParams(**values["stopping"])
        phases = values.get("phases", ())
        if not isinstance(phases, list | tuple):
            raise InputError(f"Received phases = {phases!r}; expected a list of phases.")
        values["phases"] = tuple(
            phase if isinstance(phase, Phase) else Phase.from_dict(phase) for phase in phases
        )
        return cls(**values)


def _prices(reserve: Any) -> tuple[float, ...]:
    """Reserve prices as plain numbers; all zero is the same as none."""
    try:
        prices = tuple(float(price) for price in reserve)
    except (TypeError, ValueError):
        raise InputError(f"Received reserve = {reserve!r}; expected one price per good.") from None
    if any(not (0 <= price <= LARGEST_VALUE or price == float("inf")) for price in prices):
        raise InputError(
            f"Received a reserve price outside of 0 to {LARGEST_VALUE:g}; expected prices in it."
        )
    return prices if any(prices) else ()


def _changed(settings: Any, name: str, field: str, value: Any) -> Any:
    """A frozen dataclass with one field changed, or a field of one of its fields."""
    field, _, inner = field.partition(".")
    valid = [f.name for f in fields(settings)]
    if field not in valid:
        raise InputError(f"Unknown setting '{name}'; {did_you_mean(field, valid)}")
    if inner:
        part = getattr(settings, field)
        if not is_dataclass(part):
            raise InputError(f"Unknown setting '{name}'; '{field}' has no settings of its own.")
        value = _changed(part, name, inner, value)
    return replace(settings, **{field: value})


def _changed_surrogates(phases: tuple[Phase, ...], name: str, value: Any) -> tuple[Phase, ...]:
    """Phases whose surrogates have one parameter changed, where they have it."""
    surrogates = [phase.surrogate for phase in phases if phase.surrogate is not None]
    kinds = dict.fromkeys(kind for surrogate in surrogates for kind in surrogate.params)
    kind, dot, rest = name.partition(".")
    field = rest if dot else name
    if dot and kind not in kinds:
        raise InputError(
            f"Received 'surrogate.{name}'; expected a bidder type: {', '.join(kinds)}."
        )
    valid = dict.fromkeys(
        f.name
        for surrogate in surrogates
        for params in surrogate.params.values()
        if is_dataclass(params)
        for f in fields(params)
    )
    if field not in valid:
        raise InputError(f"Received 'surrogate.{name}'; {did_you_mean(field, valid)}")

    def change(surrogate: Surrogate) -> Surrogate:
        params = {
            own: replace(old, **{field: value}) if not dot or own == kind else old
            for own, old in surrogate.params.items()
        }
        return replace(surrogate, params=params)

    return tuple(
        phase if phase.surrogate is None else replace(phase, surrogate=change(phase.surrogate))
        for phase in phases
    )
