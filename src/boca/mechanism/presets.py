"""Mechanisms as presets: names for lists of phases made of the same parts."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

from boca.core.errors import InputError
from boca.core.market import Market
from boca.core.settings import check_at_least, check_keys
from boca.core.wording import did_you_mean
from boca.mechanism.params import AuctionParams
from boca.mechanism.phases import Phase
from boca.queries import (
    Acquisition,
    Clock,
    FirstBundles,
    Planner,
    ProfitBids,
    RaisedBids,
    RandomBundles,
    SuggestedBundles,
)
from boca.surrogates.baselines import baseline_params, ft_shares
from boca.surrogates.fitted import AcquisitionKind
from boca.surrogates.fourier import check_single_copies
from boca.surrogates.hyperparameters import recommended
from boca.surrogates.registry import Surrogate


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
        As in :class:`boca.queries.Acquisition`.
    tuned
        Name of a value model whose published hyperparameters are taken; defaults for any market if
        there are none under this name.
    q
        Quantile that the hyperparameters were tuned for; the paper's winner if None.
    """

    num_initial: int = 40
    num_per_round: int = 4
    acquisition: AcquisitionKind | None = None
    proof: str | float = "none"
    solve_seconds: float | None = None
    tuned: str = ""
    q: float | None = None

    def __post_init__(self) -> None:
        check_at_least(1, num_initial=self.num_initial, num_per_round=self.num_per_round)

    def first(self) -> Phase:
        """The phase of the first queries."""
        planner = FirstBundles(self.num_initial)
        return Phase("first", planner, num_queries=self.num_initial)

    def acquiring(
        self, acquisition: AcquisitionKind, economies: Literal["all", "main"] = "all"
    ) -> Acquisition:
        """The paper's planner with what was chosen."""
        return Acquisition(
            self.acquisition or acquisition,
            economies,
            self.num_per_round,
            self.proof,
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
    has_quantiles
        Whether published hyperparameters exist for several quantiles.
    asks_first_queries
        Whether an auction begins with queries that nothing was learned for yet.
    """

    description: str
    phases: Callable[[Market, Choices], tuple[Phase, ...]]
    acquisitions: tuple[AcquisitionKind, ...] = ()
    has_quantiles: bool = False
    asks_first_queries: bool = True


def auction_params(
    mechanism: str,
    market: Market,
    tuned: str = "",
    q: float | None = None,
    **changes: Any,
) -> AuctionParams:
    """
    The settings of a mechanism for a market.

    Parameters
    ----------
    mechanism
        A key of ``PRESETS``.
    market
        Goods and bidders; its bidder types are looked up.
    tuned, q
        As in :class:`Choices`.
    changes
        Other fields of :class:`Choices` or :class:`AuctionParams`.
    """
    preset = get_preset(mechanism)
    chosen = [f.name for f in fields(Choices)]
    check_keys(changes, [*chosen, *(f.name for f in fields(AuctionParams))])
    choices = Choices(
        tuned=tuned.lower(), q=q, **{key: changes.pop(key) for key in chosen if key in changes}
    )
    _check_acquisition(mechanism, preset, choices.acquisition)
    phases = preset.phases(market, choices)
    return AuctionParams(**{"phases": phases, "mechanism": mechanism, **changes})


def get_preset(mechanism: str) -> Preset:
    """The preset of a name; an error that lists the names otherwise."""
    if mechanism not in PRESETS:
        raise InputError(f"Unknown mechanism '{mechanism}'; {did_you_mean(mechanism, PRESETS)}")
    return PRESETS[mechanism]


def boca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """First queries, then rounds that maximise the upper uncertainty bound."""
    return choices.first(), _learning(choices.acquiring("upper"), _networks(market, choices))


def mvnn(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """The same networks, whose mean is maximised."""
    return choices.first(), _learning(choices.acquiring("mean"), _networks(market, choices))


def baseline(name: str, surrogate: str) -> Callable[[Market, Choices], tuple[Phase, ...]]:
    """A published mechanism whose rounds maximise the mean of another surrogate."""

    def phases(market: Market, choices: Choices) -> tuple[Phase, ...]:
        learner = Surrogate(surrogate, baseline_params(name, market, choices.tuned))
        return choices.first(), _learning(choices.acquiring("mean"), learner)

    return phases


def ft(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """Networks, then queries that show Fourier coefficients, then sparse Fourier functions."""
    check_single_copies(market)
    params = baseline_params("ft-mlca", market, choices.tuned)
    network, fourier = Surrogate("fourier-network", params), Surrogate("fourier", params)
    shares = ft_shares(choices.tuned)
    planners: tuple[tuple[str, Planner, Surrogate], ...] = (
        ("network", choices.acquiring("mean"), network),
        ("reconstruction", SuggestedBundles(choices.num_per_round), fourier),
        ("fourier", choices.acquiring("mean", "main"), fourier),
    )
    return (
        choices.first(),
        *(
            Phase(name, planner, surrogate, share=share)
            for (name, planner, surrogate), share in zip(planners, shares, strict=True)
            if share > 0
        ),
    )


def cca(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """Rising prices, then raised bids, then the most profitable bundles at the final prices."""
    return (
        Phase("clock", Clock(), share=1.0),
        Phase("raised", RaisedBids()),
        Phase("profit-max", ProfitBids()),
    )


def random(market: Market, choices: Choices) -> tuple[Phase, ...]:
    """First queries, then further random bundles."""
    planner = RandomBundles(choices.num_per_round)
    return choices.first(), Phase("random", planner, share=1.0)


PRESETS: dict[str, Preset] = {
    "boca": Preset(
        "BOCA: monotone networks, queries maximise the upper uncertainty bound",
        boca,
        acquisitions=("upper", "mean", "bounded"),
        has_quantiles=True,
    ),
    "mvnn": Preset(
        "the paper's OUR-MVNN-MLCA: the same networks, queries maximise the mean",
        mvnn,
        acquisitions=("mean", "upper", "bounded"),
        has_quantiles=True,
    ),
    "mvnn-2022": Preset(
        "MVNN-MLCA: monotone networks with generic initialisation, queries maximise the mean",
        baseline("mvnn-mlca", "mean-net"),
        acquisitions=("mean",),
    ),
    "nn": Preset(
        "NN-MLCA: plain ReLU networks, queries maximise the mean",
        baseline("nn-mlca", "mean-net"),
        acquisitions=("mean",),
    ),
    "svr": Preset(
        "SVR-MLCA: support vector regression with a quadratic kernel, queries maximise its mean",
        baseline("svr-mlca", "svr"),
        acquisitions=("mean",),
    ),
    "ft": Preset(
        "FT-MLCA: rounds with ReLU networks, then queries that show Fourier coefficients, then "
        "sparse Fourier functions in the main economy",
        ft,
        acquisitions=("mean",),
    ),
    "cca": Preset(
        "combinatorial clock auction: rising prices, then raised and profit-maximising bids",
        cca,
        asks_first_queries=False,
    ),
    "random": Preset("random search: every query is a random bundle", random),
}


def _learning(planner: Acquisition, surrogate: Surrogate) -> Phase:
    """The phase that uses what is left of the budget with a planner that needs a surrogate."""
    return Phase("acquisition", planner, surrogate, share=1.0)


def _networks(market: Market, choices: Choices) -> Surrogate:
    """BOCA's networks, with published hyperparameters where there are any."""
    return Surrogate("mvnn", recommended(market, choices.tuned, choices.q))


def _check_acquisition(mechanism: str, preset: Preset, acquisition: str | None) -> None:
    if acquisition is None or acquisition in preset.acquisitions:
        return
    if not preset.acquisitions:
        raise InputError(
            f"Received the acquisition {acquisition!r} for {mechanism}, which maximises nothing; "
            "leave it out or choose another mechanism."
        )
    raise InputError(
        f"Received the acquisition {acquisition!r} for {mechanism}; expected one of "
        f"{', '.join(preset.acquisitions)}."
    )
