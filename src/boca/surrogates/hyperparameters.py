"""
Hyperparameters as data: the published winners, defaults for any market, and files of a user.

The numbers are TOML files in ``surrogates/data``; this module only finds and checks them.
"""

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.market import Market
from boca.surrogates.mvnn.params import MvnnParams

TUNED_DOMAINS = ("lsvm", "srvm", "mrvm")
QUANTILES = (0.6, 0.75, 0.9, 0.95)
BASELINES = ("mvnn-mlca", "nn-mlca", "svr-mlca", "ft-mlca")

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
    found = {}
    for name, entry in _winners(domain, q).items():
        metrics = entry["metrics"]
        at_q = {"quantile_loss": metrics["quantile_loss"][f"{q:g}"]}
        found[name] = LearningMetrics(**(metrics | at_q))
    return found


def tuning(domain: str) -> Tuning:
    """The data that the published winners of a domain were selected on."""
    return Tuning(**_read(f"boca_{_known(domain, TUNED_DOMAINS, 'tuned domain')}")["tuning"])


def defaults(market: Market) -> dict[str, MvnnParams]:
    """
    Hyperparameters for a market that nobody has tuned, by bidder type.

    The middle of the published winners of q = 0.9, pooled by the number of goods: deep and narrow
    for tens of goods, one wide layer for a hundred.
    """
    size = "small" if market.num_goods <= LARGEST_SMALL_MARKET else "large"
    params = MvnnParams(**_read("defaults")[size])
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
    named = [name for name in data if name != "settings"]
    entry = dict(data[_known(domain, named, f"domain with published settings of {mechanism}")])
    types = entry.pop("types", {})
    return Baseline(
        settings=data["settings"] | entry, types={name: dict(t) for name, t in types.items()}
    )


def load_params(path: str | Path, base: Mapping[str, MvnnParams]) -> dict[str, MvnnParams]:
    """
    Hyperparameters from a user's TOML file, on top of others.

    Keys at the top of the file hold for every bidder type, those in a table named after a bidder
    type for that type only::

        epochs = 2000

        [national]
        hidden_units = 64

    Parameters
    ----------
    path
        The file.
    base
        What holds where the file says nothing, by bidder type: ``published`` or ``defaults``.
    """
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"Cannot read hyperparameters from {path}: {error}.") from error
    return override(base, data, source=str(path))


def override(
    base: Mapping[str, MvnnParams], data: Mapping[str, Any], source: str = "the overrides"
) -> dict[str, MvnnParams]:
    """Parameters with some values replaced; ``data`` is laid out as in :func:`load_params`."""
    for_all = {key: value for key, value in data.items() if not isinstance(value, dict)}
    for_type = {key: value for key, value in data.items() if isinstance(value, dict)}
    for name in for_type:
        if name not in base:
            raise InputError(
                f"{source} has a table [{name}]; expected a bidder type of this market. "
                + _nearest(name, base)
            )

    found = {}
    for name, params in base.items():
        changes = for_all | for_type.get(name, {})
        _check_types(changes, source)
        found[name] = replace(params, **changes)
    return found


def _check_types(changes: Mapping[str, Any], source: str) -> None:
    kinds = {f.name: f.type for f in fields(MvnnParams)}
    for key, value in changes.items():
        if key not in kinds:
            raise InputError(
                f"{source} has the key '{key}', which is no hyperparameter. " + _nearest(key, kinds)
            )
        kind: Any = kinds[key] if isinstance(kinds[key], type) else str  # choices are words
        number = kind is float and isinstance(value, int) and not isinstance(value, bool)
        if type(value) is not kind and not number:
            words = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
            raise InputError(f"{source} sets {key} to {value!r}; expected {words[kind]}.")


def _winners(domain: str, q: float) -> dict[str, Any]:
    data = _read(f"boca_{_known(domain, TUNED_DOMAINS, 'tuned domain')}")
    if q not in QUANTILES:
        raise InputError(
            f"Received q = {q:g}; expected one of the tuned quantiles "
            f"{', '.join(map(str, QUANTILES))}."
        )
    return data[f"{q:g}"]


def _known(name: str, names: Sequence[str], what: str) -> str:
    """The name in small letters, if it is among the names."""
    if name.lower() not in names:
        raise InputError(f"Received '{name}'; expected a {what}: {', '.join(names)}.")
    return name.lower()


def _nearest(name: str, names: Iterable[str]) -> str:
    """The most similar valid name as a question, or all of them."""
    names = sorted(names)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"Did you mean '{near[0]}'?" if near else f"Choose from: {', '.join(names)}."


@cache
def _read(name: str) -> dict[str, Any]:
    file = resources.files("boca.surrogates") / "data" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def best_quantile(name: str) -> float | None:
    """The quantile whose hyperparameters won in the paper (Table 1); None for other markets."""
    return {"lsvm": 0.9, "srvm": 0.75, "mrvm": 0.9}.get(name)
