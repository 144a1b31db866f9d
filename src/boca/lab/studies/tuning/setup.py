"""What a search is about: the market, whose networks, which ranges, judged how, on what."""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.randomness import Seeds, format_seeds
from boca.core.settings import check_at_least
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.tuning.criteria import get_criterion
from boca.surrogates.hyperparameters import QUANTILES
from boca.surrogates.ranges import Space

# Best trials of every target that are measured again before one of them wins.
NUM_FINALISTS = 5

# How a message calls what two searches differ in.
WORDS = {
    "market": "market",
    "content": "content of the market file or of the reports",
    "bidder_type": "bidder type",
    "space": "ranges",
    "criterion": "criterion",
    "quantiles": "quantiles",
    "instances": "instances",
    "num_train": "number of reports",
    "num_test": "number of test bundles",
    "generic": "view of identical licences",
    "reports": "file of reports",
    "folds": "number of folds",
    "seed": "seed",
}


@dataclass(frozen=True)
class TuningSetup:
    """
    A search in full. Checked on construction.

    Parameters
    ----------
    market
        Name of a value model, or path of a market file.
    bidder_type
        Whose networks are tuned; None for all bidders together.
    space
        What may be chosen.
    criterion
        A name of ``criteria.CRITERIA``.
    quantiles
        Quantiles for which a winner is wanted, each in (0, 1); not used by criteria without any.
    instances
        Seeds of the instances, or numbers of folds where there are ``reports``.
    num_train, num_test
        Bundles per bidder to train on and to test on, as far as the market has so many.
    generic
        Whether identical licences are one good with a capacity.
    reports
        Path of the state of an auction whose reports are learned from; empty to draw random
        bundles of simulated bidders.
    folds
        Parts of a bidder's reports, each of which is held out once.
    seed
        Seed of trainings and choices.
    draw
        Which drawing of bundles, folds and first weights; 0 for the usual one.
    """

    market: str
    bidder_type: str | None
    space: Space
    criterion: str = "paper"
    quantiles: tuple[float, ...] = QUANTILES
    instances: tuple[int, ...] = tuple(range(1, 21))
    num_train: int = 50
    num_test: int = 1024
    generic: bool = False
    reports: str = ""
    folds: int = 5
    seed: int = 0
    draw: int = 0
    content: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        criterion = get_criterion(self.criterion)
        check_at_least(2, num_train=self.num_train, num_test=self.num_test, folds=self.folds)
        if not self.instances:
            raise InputError("Received no instances; expected at least one seed, such as 1-20.")
        if criterion.per_quantile and not self.quantiles:
            raise InputError("Received no quantiles; expected at least one, such as 0.9.")
        for q in self.quantiles:
            if not 0 < q < 1:
                raise InputError(f"Received q = {q:g}; expected a quantile between 0 and 1.")
        if self.reports and criterion.needs_truth:
            raise InputError(
                f"Received --reports with the criterion '{self.criterion}', which asks bidders "
                "more than was reported; take another, such as paper or mae."
            )

    @property
    def targets(self) -> tuple[str, ...]:
        """What a winner is wanted for: each quantile, or ``all``."""
        return get_criterion(self.criterion).targets(self.quantiles)

    @property
    def who(self) -> str:
        """The bidder type in words."""
        return "all bidders" if self.bidder_type is None else self.bidder_type or "(no type)"

    @property
    def title(self) -> str:
        """Market and bidder type in words."""
        generic = " generic" if self.generic else ""
        return f"{short_name(self.market)}{generic}, {self.who}"

    def on(self, instances: tuple[int, ...]) -> "TuningSetup":
        """The same search on other instances."""
        return replace(self, instances=instances)

    def anew(self) -> "TuningSetup":
        """The same bidders, with other bundles and other first weights."""
        return replace(self, draw=self.draw + 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for other processes and as what tells one search from another."""
        values = {name: getattr(self, name) for name in WORDS if name not in ("space", "content")}
        values["quantiles"] = list(self.quantiles)
        values["instances"] = format_seeds(self.instances)
        values["space"] = self.space.to_dict()
        values["draw"] = self.draw
        values["content"] = self.content or content_of(self.market, self.reports)
        return values

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TuningSetup":
        """The inverse of :meth:`to_dict`."""
        from boca.core.randomness import parse_seeds

        values = dict(data)
        values["quantiles"] = tuple(values["quantiles"])
        values["instances"] = parse_seeds(values["instances"])
        values["space"] = Space.from_dict(values["space"])
        return cls(**values)

    def check_same(self, stored: Mapping[str, Any], where: str) -> None:
        """Raises unless a stored search is this one; the message says what differs."""
        own = self.to_dict()
        for name, word in WORDS.items():
            if stored.get(name) != own[name]:
                raise InputError(
                    f"The study in '{where}' differs in its {word}"
                    f"{_both(stored.get(name), own[name])}; choose another --out or --study, or "
                    "repeat its command."
                )


def short_name(market: str) -> str:
    """``lsvm``, or the name of a market file; the name of its folder if it is called market."""
    path = Path(market)
    return path.parent.name if path.stem == "market" and path.parent.name else path.stem


def content_of(market: str, reports: str) -> str:
    """A hash of the files that a search depends on; empty without any."""
    digest = market_hash(market)
    if reports:
        text = read_text(reports, "state file")
        digest += hashlib.sha256(text.encode()).hexdigest()
    return hashlib.sha256(digest.encode()).hexdigest()[:16] if digest else ""


def _both(old: Any, new: Any) -> str:
    """Old and new value, if people can read them."""
    if any(isinstance(value, dict) for value in (old, new)):
        return ""
    return f" ({old!r}, not {new!r})"


def drawn(seeds: Seeds, draw: int) -> Seeds:
    """
    The stream of a drawing.

    Parameters
    ----------
    seeds
        That of the usual drawing.
    draw
        Number of the drawing; 0 for the usual one.
    """
    return seeds.child("draw", draw) if draw else seeds


def as_plain(params: Any) -> dict[str, Any]:
    """Parameters as plain values."""
    return asdict(params)
