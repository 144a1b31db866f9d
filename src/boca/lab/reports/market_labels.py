"""Which market a run is about, and what tables call it."""

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

from boca.lab.domains import DOMAINS
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.run_spec import RunSpec

# Letters of a hash that tell two versions of a file apart.
SHORT_HASH = 6


def stored_market(data: Mapping[str, Any]) -> str:
    """
    The market of a stored run: two runs have the same one exactly if its content is the same.

    Parameters
    ----------
    data
        Content of a result file. Old ones do not say what was in a market file, so that its path
        has to do.
    """
    domain = str(data["spec"]["domain"])
    return domain.upper() if _is_model(domain) else str(data.get("market_hash") or domain)


class MarketLabels:
    """
    The markets of an experiment and their names.

    Parameters
    ----------
    stored
        Contents of result files.
    planned
        Runs that there should be.
    """

    def __init__(self, stored: Iterable[Mapping[str, Any]], planned: Iterable[RunSpec] = ()):
        self._paths: dict[str, str] = {}
        self._stored: dict[str, set[str]] = {}
        for data in stored:
            domain = str(data["spec"]["domain"])
            market = stored_market(data)
            self._paths.setdefault(market, domain)
            self._stored.setdefault(domain, set()).add(market)
        for spec in planned:
            self._paths.setdefault(self.planned_market(spec), spec.domain)
        self._labels = label_markets(self._paths)

    def planned_market(self, spec: RunSpec) -> str:
        """The market of a run that may not be done yet."""
        if _is_model(spec.domain):
            return spec.domain.upper()
        known = self._stored.get(spec.domain, set())
        if spec.domain in known:  # runs that do not say what was in the file
            return spec.domain
        if Path(spec.domain).is_file():
            return market_hash(spec.domain)
        # The file is gone; if it was always the same, it is the market of the runs that are here.
        return next(iter(known)) if len(known) == 1 else spec.domain

    def label(self, market: str) -> str:
        """What tables call a market."""
        return self._labels[market]


def label_markets(paths: Mapping[str, str]) -> dict[str, str]:
    """
    Short names, different for different markets.

    A value model has its name in capitals. A market file has its name without ending, as much of
    its folder as tells it from others of that name, and where the same file has changed, the
    beginning of its hash.

    Parameters
    ----------
    paths
        Name of a value model or path of a market file, by market.
    """
    labels = {market: _name(path, 1) for market, path in paths.items()}
    longest = max((len(PurePath(path).parts) for path in paths.values()), default=1)
    for length in range(2, longest + 1):
        for market in _ambiguous(labels):
            labels[market] = _name(paths[market], length)
    for market in _ambiguous(labels):
        labels[market] = f"{_name(paths[market], 1)} ({market[:SHORT_HASH]})"
    return labels


def _ambiguous(labels: Mapping[str, str]) -> list[str]:
    """Markets whose name another market has too."""
    names = list(labels.values())
    return [market for market, label in labels.items() if names.count(label) > 1]


def _name(path: str, length: int) -> str:
    """The last parts of a path, without ending."""
    if _is_model(path):
        return path.upper()
    parts = PurePath(path).parts[-length:]
    # A file must not pass for the value model of its name.
    last = parts[-1] if _is_model(PurePath(path).stem) else PurePath(path).stem
    return "/".join((*parts[:-1], last)).lstrip("/")


def _is_model(domain: str) -> bool:
    return domain.lower() in DOMAINS
