"""
Hyperparameters as data: the published winners, defaults for any market, published baselines.

The numbers are TOML files in ``surrogates/data``; this module only finds and checks them. What is
known by the name of a value model is known here and nowhere else.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.surrogates.mvnn.params import MvnnParams

TUNED_DOMAINS = ("lsvm", "srvm", "mrvm")
QUANTILES = (0.6, 0.75, 0.9, 0.95)
BASELINES = ("mvnn-mlca", "nn-mlca", "svr-mlca", "ft-mlca")

# Bidders of a market that nobody has tuned, up to which their networks get all steps. Beyond, steps
# are shared out, so that a round of 200 bidders learns about as long as one of 40: a minute or two
# instead of nine on two processors.
MANY_BIDDERS = 40

# Up to here the winners of LSVM (18 goods) and SRVM (29) are pooled, above those of MRVM (98).
LARGEST_SMALL_MARKET = 50


@dataclass(frozen=True)
class LearningMetrics:
    """
    How well the networks of one bidder type learn from random bundles; means over instances.

    Values are divided by the largest value of the training set.

    Parameters
    ----------
    test_r2
        Coefficient of determination of the mean network on test bundles.
    test_mae
        Mean absolute error of the mean network on test bundles.
    quantile_loss
        Quantile loss of the upper bound on test bundles.
    train_upper_mae
        Mean absolute error of the upper bound on the training bundles.
    """

    test_r2: float
    test_mae: float
    quantile_loss: float
    train_upper_mae: float


@dataclass(frozen=True)
class Tuning:
    """
    The data that the published configurations of a domain were judged on.

    Parameters
    ----------
    num_train, num_test
        Bundles to train on, the full bundle among them, and further ones to test on.
    num_instances
        Instances of the domain, with seeds from 1.
    """

    num_train: int
    num_test: int
    num_instances: int


@dataclass(frozen=True)
class Baseline:
    """
    Published settings of another mechanism in one domain, as plain values.

    Parameters
    ----------
    settings
        What holds for all bidders.
    types
        What holds for one bidder type; empty where the mechanism does not tell types apart.
    """

    settings: dict[str, Any]
    types: dict[str, dict[str, Any]] = field(default_factory=dict)


def published(domain: str, q: float = 0.9) -> dict[str, MvnnParams]:
    """
    The published winners of a domain, by bidder type.

    Parameters
    ----------
    domain
        ``lsvm``, ``srvm`` or ``mrvm``; no others are published.
    q
        Quantile that the configurations were selected for: 0.6, 0.75, 0.9 or 0.95. The larger,
        the further the upper bound lies above the mean.
    """
    return {name: MvnnParams(**entry["params"]) for name, entry in _winners(domain, q).items()}


def published_metrics(domain: str, q: float = 0.9) -> dict[str, LearningMetrics]:
    """How well the published winners learn according to the paper's tuning, by bidder type."""
    by_type = {}
    for name, entry in _winners(domain, q).items():
        metrics = entry["metrics"]
        at_q = {"quantile_loss": metrics["quantile_loss"][f"{q:g}"]}
        by_type[name] = LearningMetrics(**(metrics | at_q))
    return by_type


def best_quantile(domain: str) -> float:
    """
    The quantile whose hyperparameters won a domain's auctions in the paper (Table 1).

    Parameters
    ----------
    domain
        ``lsvm``, ``srvm`` or ``mrvm``; nothing is published about others.
    """
    return float(_read(f"boca_{_known(domain, TUNED_DOMAINS, 'tuned domain')}")["best_quantile"])


def recommended(market: Market, domain: str = "", q: float | None = None) -> dict[str, MvnnParams]:
    """
    The published winners where there are any, the defaults of the market elsewhere; by bidder type.

    Parameters
    ----------
    market
        Goods and bidders, for the defaults.
    domain
        Name of a value model in any capitals, or anything else.
    q
        Quantile that the winners were selected for; the paper's best if None. Defaults have none.
    """
    if domain.lower() not in TUNED_DOMAINS:
        return defaults(market)
    return published(domain, best_quantile(domain) if q is None else q)


def tuning(domain: str) -> Tuning:
    """The data that the published winners of a domain were selected on."""
    return Tuning(**_read(f"boca_{_known(domain, TUNED_DOMAINS, 'tuned domain')}")["tuning"])


def defaults(market: Market) -> dict[str, MvnnParams]:
    """
    Hyperparameters for a market that nobody has tuned, by bidder type.

    The middle of the published winners of q = 0.9, pooled by the number of goods: deep and narrow
    for tens of goods, one wide layer for a hundred. Of more than ``MANY_BIDDERS``, networks get a
    smaller share of the steps.
    """
    size = "small" if market.num_goods <= LARGEST_SMALL_MARKET else "large"
    share = min(1.0, MANY_BIDDERS / market.num_bidders)
    params = MvnnParams(**_read("defaults")[size] | {"steps_fraction": share})
    return {bidder.type: params for bidder in market.bidders}


def published_baseline(mechanism: str, domain: str) -> Baseline:
    """
    The published settings of a mechanism that BOCA is compared with.

    Parameters
    ----------
    mechanism
        ``mvnn-mlca``, ``nn-mlca``, ``svr-mlca`` or ``ft-mlca``.
    domain
        ``gsvm``, ``lsvm``, ``srvm`` or ``mrvm``; SVR and FT have no settings for SRVM.
    """
    mechanism = _known(mechanism, BASELINES, "mechanism with published settings")
    data = _read(mechanism.replace("-", "_"))
    domains = [name for name in data if name != "settings"]
    entry = dict(data[_known(domain, domains, f"domain with published settings of {mechanism}")])
    types = entry.pop("types", {})
    return Baseline(
        settings=data["settings"] | entry, types={name: dict(t) for name, t in types.items()}
    )


def clock_start_share(domain: str = "", mechanism: str = "") -> float:
    """
    First prices of a clock auction, as a share of average values.

    Parameters
    ----------
    domain
        Name of a value model in any capitals; a common share holds where none is published.
    mechanism
        One that has its own share, see :func:`short_clock`; any other for that of plain clock
        auctions.
    """
    data = _read("cca")
    always, here = data["settings"], data.get(domain.lower(), {})
    settings = always | here | always.get(mechanism, {}) | here.get(mechanism, {})
    return float(settings["start_share"])


@dataclass(frozen=True)
class ShortClock:
    """
    The clock before demand queries at prices from networks.

    Parameters
    ----------
    increment
        Share by which prices rise.
    rounds_share
        Share of the questions that the clock has.
    """

    increment: float
    rounds_share: float


def short_clock(mechanism: str, domain: str = "") -> ShortClock:
    """
    The published clock of a mechanism whose networks take over from it.

    Parameters
    ----------
    mechanism
        ``ml-cca`` or ``mlhca``.
    domain
        As in :func:`clock_start_share`.
    """
    data = _read("cca")
    own = data["settings"][mechanism] | data.get(domain.lower(), {}).get(mechanism, {})
    return ShortClock(float(own["increment"]), float(own["rounds_share"]))


def _winners(domain: str, q: float) -> dict[str, Any]:
    data = _read(f"boca_{_known(domain, TUNED_DOMAINS, 'tuned domain')}")
    if q not in QUANTILES:
        raise InputError(
            f"Received q = {q:g}; expected one of the tuned quantiles "
            f"{', '.join(map(str, QUANTILES))}."
        )
    winners: dict[str, Any] = data[f"{q:g}"]
    return winners


def _known(name: str, names: Sequence[str], what: str) -> str:
    """The name in small letters, if it is among the names."""
    if name.lower() not in names:
        raise InputError(f"Received '{name}'; expected a {what}: {', '.join(names)}.")
    return name.lower()


@cache
def _read(name: str) -> dict[str, Any]:
    file = resources.files("boca.surrogates") / "data" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
