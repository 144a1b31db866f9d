"""Mechanisms as presets: names for choices of the same parts."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.mechanism.params import Acquisition, AuctionParams, ClockParams, Phase, check_keys
from boca.surrogates.baselines import baseline_params, ft_shares
from boca.surrogates.fourier import check_single_copies
from boca.surrogates.hyperparameters import TUNED_DOMAINS, defaults, published

# The quantile whose hyperparameters won in the paper (Table 1).
BEST_Q = {"lsvm": 0.9, "srvm": 0.75, "mrvm": 0.9}

# First prices of published clock auctions, as a share of average values; 0.2 elsewhere.
START_SHARES = {"gsvm": 1.6}


@dataclass(frozen=True)
class Preset:
    """
    A mechanism under its name.

    Parameters
    ----------
    description
        What it is, in a line.
    surrogate
        What learns from reports; ``none`` for nothing.
    acquisition
        What a query maximises.
    baseline
        The mechanism whose published settings the surrogate takes; BOCA's if empty.
    """

    description: str
    surrogate: str
    acquisition: Acquisition
    baseline: str = ""

    @property
    def asks_first_queries(self) -> bool:
        """Whether an auction begins with queries that nothing was learned for yet."""
        return self.acquisition not in ("clock", "full")


PRESETS: dict[str, Preset] = {
    "boca": Preset(
        "BOCA: monotone networks, queries maximise the upper uncertainty bound",
        surrogate="mvnn",
        acquisition="upper",
    ),
    "mvnn": Preset(
        "the paper's OUR-MVNN-MLCA: the same networks, queries maximise the mean",
        surrogate="mvnn",
        acquisition="mean",
    ),
    "mvnn-2022": Preset(
        "MVNN-MLCA: monotone networks with generic initialisation, queries maximise the mean",
        surrogate="mean-net",
        acquisition="mean",
        baseline="mvnn-mlca",
    ),
    "nn": Preset(
        "NN-MLCA: plain ReLU networks, queries maximise the mean",
        surrogate="mean-net",
        acquisition="mean",
        baseline="nn-mlca",
    ),
    "svr": Preset(
        "SVR-MLCA: support vector regression with a quadratic kernel, queries maximise its mean",
        surrogate="svr",
        acquisition="mean",
        baseline="svr-mlca",
    ),
    "ft": Preset(
        "FT-MLCA: rounds with ReLU networks, then queries that show Fourier coefficients, then "
        "sparse Fourier functions in the main economy; rounds and first queries as for the others, "
        "the published split of the rest, renewed candidates in every round",
        surrogate="fourier",
        acquisition="mean",
        baseline="ft-mlca",
    ),
    "cca": Preset(
        "combinatorial clock auction: rising prices, then raised and profit-maximising bids",
        surrogate="none",
        acquisition="clock",
    ),
    "random": Preset(
        "random search: every query is a random bundle", surrogate="none", acquisition="random"
    ),
    "vcg": Preset(
        "VCG with full information, the benchmark of simulations",
        surrogate="none",
        acquisition="full",
    ),
}


def surrogate_params(
    mechanism: str, market: Market, domain: str = "", q: float | None = None
) -> dict[str, dict[str, Any]]:
    """
    Surrogate parameters by bidder type, as plain values.

    Parameters
    ----------
    mechanism
        A key of ``PRESETS``.
    market
        Goods and bidders; its bidder types are looked up.
    domain
        Name of a value model with published hyperparameters; anything else gets the defaults.
    q
        Quantile that the hyperparameters were tuned for; the paper's winner if None.
    """
    preset = get_preset(mechanism)
    domain = domain.lower()  # as load_domain reads names
    if preset.surrogate == "none":
        return {}
    found: Mapping[str, Any]
    if preset.baseline:
        found = baseline_params(preset.baseline, market, domain)
    elif domain in TUNED_DOMAINS:
        found = published(domain, BEST_Q[domain] if q is None else q)
    else:
        found = defaults(market)
    return {kind: asdict(params) for kind, params in found.items()}


def get_preset(mechanism: str) -> Preset:
    """The preset of a name; an error that lists the names otherwise."""
    if mechanism not in PRESETS:
        raise InputError(f"Unknown mechanism '{mechanism}'; expected one of {', '.join(PRESETS)}.")
    return PRESETS[mechanism]


def auction_params(
    mechanism: str,
    market: Market,
    domain: str = "",
    q: float | None = None,
    **changes: Any,
) -> AuctionParams:
    """
    The settings of a mechanism for a market.

    Parameters
    ----------
    mechanism, market, domain, q
        As in :func:`surrogate_params`.
    changes
        Fields of :class:`AuctionParams` that differ from the preset.
    """
    check_keys(AuctionParams, changes)
    preset = get_preset(mechanism)
    domain = domain.lower()  # as load_domain reads names
    settings: dict[str, Any] = {
        "mechanism": mechanism,
        "surrogate": preset.surrogate,
        "acquisition": preset.acquisition,
    }
    if "surrogate_params" not in changes:
        settings["surrogate_params"] = surrogate_params(mechanism, market, domain, q)
    if mechanism == "ft" and "phases" not in changes:
        check_single_copies(market)
        settings["phases"] = fourier_phases(ft_shares(domain))
    if mechanism == "cca" and "clock" not in changes:
        settings["clock"] = ClockParams(start_share=START_SHARES.get(domain, 0.2))
    return AuctionParams(**(settings | changes))


def fourier_phases(shares: tuple[float, float, float]) -> tuple[Phase, ...]:
    """
    The phases of FT-MLCA.

    Parameters
    ----------
    shares
        Of the queries after the first ones; a phase with share 0 is left out.
    """
    network, reconstruction, fourier = shares
    phases = [("network", network, "fourier-network", "mean", "all")]
    phases += [("reconstruction", reconstruction, "fourier", "suggested", "main")]
    phases += [("fourier", fourier, "fourier", "mean", "main")]
    return tuple(Phase(*settings) for settings in phases if settings[1] > 0)  # type: ignore[arg-type]
