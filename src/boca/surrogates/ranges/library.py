"""Which ranges a search takes unless somebody brings their own."""

import tomllib
from importlib import resources
from pathlib import Path

from boca.core.errors import InputError
from boca.core.files import read_toml
from boca.core.market import Market
from boca.core.wording import did_you_mean
from boca.surrogates.hyperparameters import LARGEST_SMALL_MARKET, TUNED_DOMAINS
from boca.surrogates.ranges.space import Space

# Surrogates with ranges that hold for every market.
EVERYWHERE = {"joint": "joint", "mixed": "mixed", "mean-net": "mean_net"}


def usual_space(surrogate: str, market: Market, domain: str = "") -> Space:
    """
    The ranges of a surrogate for a market: the paper's where it has any, ours elsewhere.

    Parameters
    ----------
    surrogate
        ``mvnn``, ``joint``, ``mixed`` or ``mean-net``.
    market
        Goods and bidders.
    domain
        Name of a value model whose licences are each a good of their own; else anything.
    """
    if surrogate in EVERYWHERE:
        return stored_space(EVERYWHERE[surrogate])
    if surrogate != "mvnn":
        raise InputError(
            f"There are no ranges for the surrogate '{surrogate}'; "
            f"{did_you_mean(surrogate, ['mvnn', *EVERYWHERE])} Or bring a file with --ranges."
        )
    if domain.lower() in TUNED_DOMAINS:
        return stored_space(domain.lower())
    if (market.capacities > 1).any():
        return stored_space("generic")
    return stored_space("small" if market.num_goods <= LARGEST_SMALL_MARKET else "large")


def load_space(path: Path | str) -> Space:
    """Ranges from a user's file, in the form of those that come with boca."""
    return Space.from_dict(read_toml(path, "file of ranges"), f"The file of ranges '{path}'")


def stored_names() -> list[str]:
    """The ranges that come with boca."""
    files = resources.files("boca.surrogates.ranges").iterdir()
    return sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))


def stored_space(name: str) -> Space:
    """Ranges that come with boca, by name."""
    if name not in stored_names():
        raise InputError(f"There are no ranges '{name}'; {did_you_mean(name, stored_names())}")
    file = resources.files("boca.surrogates.ranges") / f"{name}.toml"
    return Space.from_dict(tomllib.loads(file.read_text(encoding="utf-8")), f"{name}.toml")
