"""One run of an experiment: what it is, its settings in full, and the key it is stored under."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.settings import check_keys
from boca.core.wording import shortened
from boca.lab.domains import DOMAINS, load_domain
from boca.lab.simulation.mechanisms import get_mechanism, mechanism_params, mechanisms
from boca.lab.simulation.run_folder import RunSetup
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.part_versions import part_versions
from boca.mechanism import AuctionParams
from boca.mechanism.preset import Choices
from boca.surrogates.hyperparameters import TUNED_DOMAINS, best_quantile

Scalar = str | float | int | bool

# Runs from before parts had versions of their own have the number of all parts in their keys, which
# ended with this one.
LAST_COMMON_VERSION = 3
# Keys have had this since the first of them; releases that give the same results keep their runs.
FIRST_VERSION = "0.1.0"
# A mechanism and a bidder type: a table [surrogate.local] is of the latter.
BIDDER_TYPE = "local"


@dataclass(frozen=True)
class Setting:
    """
    How runs are done, whatever the instance: a column of a table.

    Parameters
    ----------
    mechanism
        Name of a mechanism.
    q
        Quantile of the published hyperparameters; None where there are none, or before
        :func:`normalised` has looked up the paper's winner.
    generic
        Whether identical licences are one good with a capacity; always so for mechanisms that
        merge them of their own accord.
    published_start
        Whether the first bundles are those of the published experiments.
    stop_when_efficient
        Whether an observer ends the auction at 0 % loss.
    changes
        Dotted names and values of settings that differ from the mechanism's, sorted by name.
    """

    mechanism: str
    q: float | None = None
    generic: bool = False
    published_start: bool = False
    stop_when_efficient: bool = False
    changes: tuple[tuple[str, Scalar], ...] = ()

    def value(self, name: str, default: Any) -> Any:
        """The value of a changed setting, or the default."""
        return dict(self.changes).get(name, default)

    def label(self, with_q: bool = True) -> str:
        """A name for people: what differs from the plain mechanism."""
        parts = [self.mechanism]
        if with_q and self.q is not None:
            parts.append(f"q={self.q:g}")
        if self.generic and not get_mechanism(self.mechanism).merges_copies:
            parts.append("generic")
        parts += [f"{name}={value}" for name, value in self.changes]
        return " ".join(parts)


@dataclass(frozen=True)
class RunSpec:
    """
    One run.

    Parameters
    ----------
    domain
        Name of a value model or path of a market file.
    seed
        Seed of the instance and of the auction.
    setting
        How the run is done.
    """

    domain: str
    seed: int
    setting: Setting

    @property
    def setup(self) -> RunSetup:
        """What to load and how to start."""
        setting = self.setting
        return RunSetup(
            self.domain,
            self.seed,
            setting.generic,
            setting.published_start,
            setting.stop_when_efficient,
        )

    def params(self) -> AuctionParams:
        """The auction's settings in full."""
        return replace(_params(self.domain, self.setting), seed=self.seed)

    @property
    def key(self) -> str:
        """
        The name that the result is stored under.

        A hash of the set-up, of all settings of the auction, and of what its parts do with them.
        """
        return self._key(self._version)

    @property
    def former_keys(self) -> tuple[str, ...]:
        """Names that the same result has where it was made before parts had their own versions."""
        return tuple(map(self._key, range(self._version + 1, LAST_COMMON_VERSION + 1)))

    @property
    def parts(self) -> dict[str, int]:
        """What decides the run, each part with the number of its last change."""
        return part_versions(self.params().to_dict(), has_limits(self.domain, self.setting.generic))

    @property
    def _version(self) -> int:
        return max(self.parts.values())

    def _key(self, version: int) -> str:
        content = {
            "run": self.setup.to_dict(),
            "auction": self.params().to_dict(),
            "version": FIRST_VERSION,
            "results_version": version,
            "file": market_hash(self.domain),
        }
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """Domain, seed and mechanism in a line."""
        return f"{domain_name(self.domain)} {self.seed} {self.setting.label()}"

    def to_dict(self) -> dict[str, Any]:
        """The run as plain values."""
        values = asdict(self.setting) | {"changes": dict(self.setting.changes)}
        return {"domain": self.domain, "seed": self.seed, **values}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RunSpec":
        """The inverse of :meth:`to_dict`."""
        values = dict(data)
        domain, seed = values.pop("domain"), values.pop("seed")
        values["changes"] = tuple(sorted(values["changes"].items()))
        return cls(domain, seed, Setting(**values))


def domain_name(domain: str) -> str:
    """A value model's name in capitals, as tables have it; a market file's name without ending."""
    return domain.upper() if domain.lower() in DOMAINS else Path(domain).stem


def normalised(spec: RunSpec) -> RunSpec:
    """The run with everything left out that makes no difference to it."""
    setting = spec.setting
    preset = get_mechanism(setting.mechanism)
    domain = spec.domain.lower() if spec.domain.lower() in DOMAINS else spec.domain
    q = setting.q
    if not preset.has_quantiles or domain not in TUNED_DOMAINS:
        q = None
    elif q is None:
        q = best_quantile(domain)
    usual = {f.name: f.default for cls in (Choices, AuctionParams) for f in fields(cls)}
    usual |= {"proof": preset.proof, "solve_seconds": preset.solve_seconds}
    if preset.acquisitions:
        usual["acquisition"] = preset.acquisitions[0]
    changes = tuple(
        sorted(
            (name, value)
            for name, value in _changes_for(setting.mechanism, setting.changes).items()
            if not (name in usual and usual[name] == value)
            and not (name.startswith("surrogate.") and not preset.learns)
            and not (name == "num_initial" and not preset.asks_first_queries)
        )
    )
    # Without first queries it does not matter how many they are, nor which ones.
    published_start = setting.published_start and preset.asks_first_queries
    generic = setting.generic or (preset.merges_copies and domain in DOMAINS)
    setting = replace(
        setting,
        q=q,
        changes=changes,
        published_start=published_start or (preset.published_start and domain in DOMAINS),
        stop_when_efficient=setting.stop_when_efficient or preset.stop_when_efficient,
        generic=generic,
    )
    return RunSpec(domain, spec.seed, setting)


def mechanism_of(name: str) -> str | None:
    """The only mechanism that a setting is for, such as that of ``surrogate.hybrid.epochs``."""
    table, _, rest = name.partition(".")
    word = rest.partition(".")[0] if "." in rest else ""
    is_one = table == "surrogate" and word in mechanisms() and word != BIDDER_TYPE
    return word if is_one else None


def _changes_for(mechanism: str, changes: tuple[tuple[str, Scalar], ...]) -> dict[str, Scalar]:
    """The changes that concern a mechanism, under their plain names; its own come before all's."""
    ours = [(name, value) for name, value in changes if mechanism_of(name) == mechanism]
    every = {name: value for name, value in changes if mechanism_of(name) is None}
    start = f"surrogate.{mechanism}."
    return every | {f"surrogate.{name.removeprefix(start)}": value for name, value in ours}


@cache
def has_limits(domain: str, generic: bool) -> bool:
    """Whether some bidder of a value model or market file cannot hold everything."""
    market = load_domain(domain, seed=1, generic=generic).market
    return any(bidder.limits for bidder in market.bidders)


@cache
def _params(domain: str, setting: Setting) -> AuctionParams:
    """Settings in full, but for the seed. Bidder types are the same in all instances."""
    market = load_domain(domain, seed=1, generic=setting.generic).market
    fixed = [f.name for cls in (Choices, AuctionParams) for f in fields(cls)]
    plain: dict[str, Scalar] = {}
    dotted: dict[str, Scalar] = {}
    for name, value in setting.changes:
        if name in ("mechanism", "phases", "surrogate", "seed", "tuned", "q"):
            raise InputError(
                f"Received '{name}' among the auction's settings; set it with mechanisms, seeds, "
                "q or [surrogate] instead."
            )
        (dotted if "." in name else plain)[name] = value
    check_keys(plain, fixed)
    params = mechanism_params(setting.mechanism, market, tuned=domain, q=setting.q, **plain)
    for name, value in dotted.items():
        try:
            params = params.changed(name, value)
        except TypeError:  # a text, say, that was compared with a number
            kind = type(value).__name__
            raise InputError(
                f"Received {name} = {shortened(str(value))}, of type {kind}; "
                "expected a value of another type."
            ) from None
    return params
