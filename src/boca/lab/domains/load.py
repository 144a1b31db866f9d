"""One way in to all domains."""

import os
from collections.abc import Callable
from pathlib import Path

from boca.core.errors import InputError
from boca.core.randomness import as_seed
from boca.core.wording import did_you_mean, shortened
from boca.lab.domains.domain import Domain
from boca.lab.domains.endowed import PREFIX, Endowed
from boca.lab.domains.generic import generic_view
from boca.lab.domains.lanes import Lanes
from boca.lab.domains.sats import Gsvm, Lsvm, Mrvm, Srvm
from boca.lab.domains.toy import Toy

MODELS: dict[str, Callable[[int], Domain]] = {
    "gsvm": Gsvm,
    "lsvm": Lsvm,
    "srvm": Srvm,
    "mrvm": Mrvm,
}


def _endowed(model: Callable[[int], Domain]) -> Callable[[int], Domain]:
    return lambda seed: Endowed(model(seed))


#: Name -> what draws an instance from a seed.
DOMAINS: dict[str, Callable[[int], Domain]] = {
    **MODELS,
    "toy": Toy,
    "lanes": Lanes,
    **{f"{PREFIX}{name}": _endowed(model) for name, model in MODELS.items()},
}


def load_domain(
    name: str | os.PathLike[str], seed: int | None = None, generic: bool = False
) -> Domain:
    """
    A market with its true values.

    Parameters
    ----------
    name
        One of ``gsvm``, ``lsvm``, ``srvm``, ``mrvm`` and ``toy``; ``lanes``, which buys; a value
        model as an exchange, such as ``exchange-lsvm``; or the path of a market file.
    seed
        Which instance of a value model: any signed 64-bit integer. Published experiments use
        10001 to 10050. The toy and market files are what they are and need none.
    generic
        Whether identical licences become one good with a capacity.
    """
    domain = _named(os.fspath(name), seed)
    return generic_view(domain) if generic else domain


def _named(name: str, seed: int | None) -> Domain:
    if seed is not None:
        seed = as_seed(seed)
    if name.lower() in DOMAINS:
        if name.lower() == "toy":
            return Toy(seed)
        if seed is None:
            raise InputError(
                f"Domain '{name}' was asked for without a seed; expected a whole number that "
                "says which instance, such as 10001."
            )
        return DOMAINS[name.lower()](seed)
    if name.lower().endswith(".toml") or Path(name).is_file():
        from boca.lab.domains.files import load_market_file

        return load_market_file(Path(name))

    raise InputError(
        f"There is no domain '{shortened(name)}'; {did_you_mean(name, DOMAINS)} "
        "Your own market is named by the path of its file (.toml)."
    )
