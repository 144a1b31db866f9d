"""
Parameters of the mechanisms that BOCA is compared with: published ones, and defaults elsewhere.

The defaults are middles of what is published for the four value models, in one place each.
"""

from collections.abc import Callable, Mapping
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.surrogates.fourier.params import FourierParams
from boca.surrogates.hyperparameters import Baseline, published_baseline
from boca.surrogates.mean_nets.params import MeanNetParams
from boca.surrogates.svr.params import KernelName, SvrParams

# Where the papers say nothing. Small networks, as every published winner is.
DEFAULT_MONOTONE = MeanNetParams(kind="monotone")
DEFAULT_RELU = MeanNetParams(
    kind="relu",
    hidden_units=32,
    learning_rate=0.005,
    batch_size=4,
    scaling="common",
    value_range=500.0,
)
# The settings of LSVM, whose split of the queries is in between the others.
DEFAULT_FOURIER = FourierParams(
    network=MeanNetParams(
        kind="relu",
        hidden_layers=2,
        hidden_units=32,
        learning_rate=0.01,
        schedule="constant",
        epochs=300,
        batch_size=32,
        l2=1e-5,
        dropout=0.05,
        scaling="common",
        value_range=500.0,
    )
)
DEFAULT_SPLIT = {"num_network": 30, "num_reconstruction": 10, "num_fourier": 30}


def baseline_params(mechanism: str, market: Market, domain: str = "") -> dict[str, Any]:
    """
    Parameters of a mechanism by bidder type.

    Parameters
    ----------
    mechanism
        A name of ``hyperparameters.BASELINES``.
    market
        Goods and bidders; its bidder types are looked up.
    domain
        Name of a value model; anything without published settings gets the defaults.
    """
    if mechanism not in _CHOICES:
        raise InputError(
            f"Received the mechanism '{mechanism}'; expected one of {', '.join(_CHOICES)}."
        )
    try:
        baseline = published_baseline(mechanism, domain) if domain else None
    except InputError:  # nothing is published for this market
        baseline = None
    return _CHOICES[mechanism](market, baseline)


def for_all_types(market: Market, params: Any) -> dict[str, Any]:
    """The same parameters for every bidder type."""
    return {bidder.type: params for bidder in market.bidders}


def mvnn_mlca(market: Market, baseline: Baseline | None) -> dict[str, MeanNetParams]:
    """MVNN-MLCA: monotone networks, each bidder's values scaled to [0, 1]."""
    if baseline is None:
        return for_all_types(market, DEFAULT_MONOTONE)
    common = _pick(baseline.settings, "momentum", "max_attempts", "min_pearson")
    return {
        name: MeanNetParams(kind="monotone", scaling="own", **common, **settings)
        for name, settings in baseline.types.items()
    }


def nn_mlca(market: Market, baseline: Baseline | None) -> dict[str, MeanNetParams]:
    """NN-MLCA: plain networks, the values of all bidders scaled to [0, 500]."""
    if baseline is None:
        return for_all_types(market, DEFAULT_RELU)
    common = _pick(baseline.settings, "momentum", "max_attempts", "min_pearson", "value_range")
    return {
        name: MeanNetParams(kind="relu", scaling="common", **common, **settings)
        for name, settings in baseline.types.items()
    }


def svr_mlca(market: Market, baseline: Baseline | None) -> dict[str, SvrParams]:
    """
    SVR-MLCA with the quadratic kernel, which its authors prefer.

    Elsewhere the weight of the square is 1/4 over the number of copies: the published values lie
    between 0.1 and 0.56 over it.
    """
    if baseline is None:
        square = 0.25 / float(market.capacities.sum())
        return for_all_types(market, SvrParams(coefficients=(0.0, 1.0, square)))
    return for_all_types(market, published_svr(baseline, "quadratic"))


def published_svr(baseline: Baseline, kernel: KernelName) -> SvrParams:
    """The published settings of one kernel."""
    numbers = dict(baseline.settings[kernel])
    penalty = numbers.pop("C")
    if kernel in ("linear", "quadratic"):
        numbers = {"coefficients": tuple(numbers.values())}  # c0, c1, and c2
    common = _pick(baseline.settings, "value_scale", "epsilon", "drop_below")
    return SvrParams(kernel=kernel, penalty=penalty, **numbers, **common)


def ft_mlca(market: Market, baseline: Baseline | None) -> dict[str, FourierParams]:
    """FT-MLCA: a network, and the settings of the Fourier function that is found with its help."""
    if baseline is None:
        return for_all_types(market, DEFAULT_FOURIER)
    settings = baseline.settings
    common = _pick(
        settings, "optimiser", "learning_rate", "epochs", "batch_size", "l2", "dropout", "loss"
    )
    by_type = {}
    for name, widths in baseline.types.items():
        units = widths["hidden_units"]  # one number per layer, all the same
        network = MeanNetParams(
            kind="relu",
            hidden_layers=len(units),
            hidden_units=units[0],
            schedule="constant",
            scaling="common",
            value_range=500.0,
            **common,
        )
        by_type[name] = FourierParams(
            basis=settings["transform"].upper(),
            num_candidates=settings["superset_size"],
            num_terms=settings["support_size"],
            network=network,
        )
    return by_type


def ft_shares(domain: str) -> tuple[float, float, float]:
    """Shares of network, reconstruction and Fourier queries among those after the first ones."""
    try:
        split = published_baseline("ft-mlca", domain).settings
    except InputError:  # nothing is published for this market
        split = DEFAULT_SPLIT
    counts = [split[name] for name in ("num_network", "num_reconstruction", "num_fourier")]
    network, reconstruction, fourier = (count / sum(counts) for count in counts)
    return network, reconstruction, fourier


def _pick(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names}


_CHOICES: dict[str, Callable[[Market, Baseline | None], dict[str, Any]]] = {
    "mvnn-mlca": mvnn_mlca,
    "nn-mlca": nn_mlca,
    "svr-mlca": svr_mlca,
    "ft-mlca": ft_mlca,
}
