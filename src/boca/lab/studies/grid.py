"""Which runs an experiment consists of: a product of domains, mechanisms, seeds and parameters."""

import itertools
import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from boca.core.errors import InputError
from boca.core.files import read_text
from boca.core.randomness import format_seeds, parse_seeds
from boca.core.wording import did_you_mean, shortened
from boca.lab.domains import DOMAINS
from boca.lab.studies.run_spec import RunSpec, Scalar, Setting, mechanism_of, normalised
from boca.mechanism import AuctionParams, StoppingParams
from boca.mechanism.preset import Choices

# More combinations than this are a mistake.
MOST_RUNS = 100_000
LONGEST_NAME = 150
LARGEST_FILE = 1_000_000
MOST_DOTS = 100
# Letters of a parser's reason that a message repeats.
MOST_OF_REASON = 200
FLAGS = ("generic", "published_start", "stop_when_efficient")
TOP_KEYS = (
    "name",
    "description",
    "seeds",
    "domains",
    "mechanisms",
    "q",
    *FLAGS,
    "auction",
    "surrogate",
)


@dataclass(frozen=True)
class Grid:
    """
    A grid of runs. Every combination of the entries is one run; combinations that would be the
    same auction (such as two quantiles of a mechanism that learns nothing) are one run.

    Parameters
    ----------
    name
        Name of the experiment and, unless another is chosen, of its folder.
    seeds
        Seeds of the instances. They are the outermost loop, so that a grid that is cut short
        compares all mechanisms on the same first instances.
    domains
        Names of value models, or paths of market files.
    mechanisms
        Names of mechanisms.
    q
        Quantiles whose published hyperparameters are used; None for the paper's winner.
    generic
        Whether identical licences are one good with a capacity; both may be tried, as with the
        next two.
    published_start
        Whether the first bundles are those of the published experiments.
    stop_when_efficient
        Whether an observer ends a run at 0 % loss.
    changes
        Values of further settings by dotted name: fields of ``AuctionParams`` (``num_initial``,
        ``stopping.patience``) and, behind ``surrogate.``, of the surrogate's parameters, for all
        bidder types (``surrogate.epochs``) or one (``surrogate.national.epochs``), of all
        mechanisms or one (``surrogate.hybrid.epochs``).
    description
        What the experiment is about, for people.
    """

    name: str
    seeds: tuple[int, ...]
    domains: tuple[str, ...]
    mechanisms: tuple[str, ...]
    q: tuple[float | None, ...] = (None,)
    generic: tuple[bool, ...] = (False,)
    published_start: tuple[bool, ...] = (False,)
    stop_when_efficient: tuple[bool, ...] = (False,)
    changes: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    description: str = ""

    def __post_init__(self) -> None:
        _check_name(self.name)
        for what in ("seeds", "domains", "mechanisms", "q"):
            if not getattr(self, what):
                raise InputError(f"The experiment '{self.name}' has no {what}; expected some.")
        if self.num_combinations > MOST_RUNS:
            raise InputError(
                f"The experiment '{self.name}' has {self.num_combinations:,} combinations; "
                f"expected at most {MOST_RUNS:,}. Take fewer seeds or values, or divide it."
            )

    @property
    def num_combinations(self) -> int:
        """Number of combinations of the entries, some of which may be the same run."""
        entries = (self.seeds, self.domains, self.mechanisms, self.q)
        flags = (self.generic, self.published_start, self.stop_when_efficient)
        return math.prod(len(values) for values in (*entries, *flags, *self.changes.values()))

    def runs(self) -> list[RunSpec]:
        """All runs, each once, in the order in which they are done."""
        return list(dict.fromkeys(self._product()))

    def only(
        self,
        seeds: Sequence[int] = (),
        domains: Sequence[str] = (),
        mechanisms: Sequence[str] = (),
        changes: Mapping[str, tuple[Scalar, ...]] | None = None,
    ) -> "Grid":
        """The grid with some of its entries replaced; what is empty stays as it is."""
        return replace(
            self,
            seeds=tuple(seeds) or self.seeds,
            domains=tuple(domains) or self.domains,
            mechanisms=tuple(mechanisms) or self.mechanisms,
            changes={**self.changes, **(changes or {})},
        )

    def _product(self) -> Iterator[RunSpec]:
        flags = list(
            itertools.product(self.generic, self.published_start, self.stop_when_efficient)
        )
        changes = [
            tuple(zip(self.changes, values, strict=True))
            for values in itertools.product(*self.changes.values())
        ]
        for seed, domain, mechanism, q, flag, change in itertools.product(
            self.seeds, self.domains, self.mechanisms, self.q, flags, changes
        ):
            setting = Setting(mechanism, q, *flag, change)
            yield normalised(RunSpec(domain, seed, setting))

    def to_toml(self) -> str:
        """The grid as text that :func:`parse_grid` reads."""
        data: dict[str, Any] = {
            "name": self.name,
            "description": self.description,
            "seeds": format_seeds(self.seeds),
            "domains": list(self.domains),
            "mechanisms": list(self.mechanisms),
            "generic": list(self.generic),
            "published_start": list(self.published_start),
            "stop_when_efficient": list(self.stop_when_efficient),
        }
        if self.q != (None,):
            data["q"] = ["best" if q is None else q for q in self.q]
        for name, values in self.changes.items():
            table, _, rest = name.partition(".")
            path = (
                ["surrogate", *rest.split(".")]
                if table == "surrogate"
                else ["auction", *name.split(".")]
            )
            inner = data
            for part in path[:-1]:
                inner = inner.setdefault(part, {})
            inner[path[-1]] = list(values)
        return tomli_w.dumps(data)


def load_grid(path: Path | str) -> Grid:
    """A grid from a TOML file; the keys are those of ``docs/experiments.md``."""
    path = Path(path)
    text = read_text(path, "experiment file")
    _check_size(text, path)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = shortened(str(error), MOST_OF_REASON)
        raise InputError(f"The experiment file '{path}' is not TOML: {reason}.") from None
    grid = parse_grid({"name": path.stem, **data}, str(path))
    # A market file is named relative to the experiment that uses it.
    domains = tuple(
        name
        if name.lower() in DOMAINS or not (path.parent / name).is_file()
        else str(path.parent / name)
        for name in grid.domains
    )
    return replace(grid, domains=domains)


def parse_grid(data: Mapping[str, Any], source: str = "the experiment") -> Grid:
    """
    A grid from plain values, as TOML gives them.

    Parameters
    ----------
    data
        Keys and values, as in ``docs/experiments.md``.
    source
        Where they come from, for messages.
    """
    for key in data:
        if key not in TOP_KEYS:
            raise InputError(
                f"{source} has the unknown key '{shortened(str(key))}'; "
                f"{did_you_mean(str(key), TOP_KEYS)}"
            )
    for key in ("name", "seeds", "domains", "mechanisms"):
        if key not in data:
            raise InputError(f"{source} has no '{key}'; expected seeds, domains and mechanisms.")
    flags = {name: _flags(data[name], name, source) for name in FLAGS if name in data}
    return Grid(
        name=_text(data["name"], "name", source),
        description=_text(data.get("description", ""), "description", source),
        seeds=parse_seeds(data["seeds"]),
        domains=_words(data["domains"], "domains", source),
        mechanisms=_words(data["mechanisms"], "mechanisms", source),
        q=tuple(_quantile(q, source) for q in _as_tuple(data.get("q", "best"))),
        changes={
            **_flat(data.get("auction", {}), "auction", source),
            **_flat(data.get("surrogate", {}), "surrogate", source, "surrogate."),
        },
        **flags,
    )


def check_settings(grid: Grid, source: str) -> None:
    """
    Refuses settings of a file that no mechanism has; those of phases depend on the mechanism.

    Parameters
    ----------
    grid
        What the file says.
    source
        Name of the file, for the message.
    """
    known = {
        "": [f.name for cls in (Choices, AuctionParams) for f in fields(cls)],
        "stopping": [f.name for f in fields(StoppingParams)],
    }
    for name in grid.changes:
        table, _, setting = name.rpartition(".")
        mechanism = mechanism_of(name)
        if mechanism is not None and mechanism not in grid.mechanisms:
            raise InputError(
                f"{source} has the table [surrogate.{mechanism}], but the mechanism is not in it; "
                f"expected one of {', '.join(grid.mechanisms)}."
            )
        if table in known and setting not in known[table]:
            place = f"auction.{table}" if table else "auction"
            raise InputError(
                f"{source}, table [{place}]: unknown setting '{shortened(setting)}'; "
                f"{did_you_mean(setting, known[table])}"
            )


def _check_size(text: str, path: Path) -> None:
    """Refuses what no person writes and what would take a TOML reader minutes."""
    if len(text) > LARGEST_FILE:
        raise InputError(
            f"The experiment file '{path}' has {len(text):,} letters; expected at most "
            f"{LARGEST_FILE:,}."
        )
    for number, line in enumerate(text.splitlines(), 1):
        if any(part.count(".") > MOST_DOTS for part in re.split("[=,{}]", line)):
            raise InputError(
                f"The experiment file '{path}' has a name with more than {MOST_DOTS} dots in line "
                f"{number}; expected names such as stopping.patience."
            )


def _check_name(name: str) -> None:
    is_word = name.isprintable() and not any(letter in name for letter in "/\\ ")
    if not is_word or name.strip(".") == "" or len(name) > LONGEST_NAME:
        raise InputError(
            f"Received the experiment name '{shortened(name)}'; expected a word without blanks or "
            f"slashes, of at most {LONGEST_NAME} letters."
        )


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _text(value: Any, name: str, source: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{source} has {name} = {_shown(value)}; expected text.")
    return value


def _words(value: Any, name: str, source: str) -> tuple[str, ...]:
    return tuple(_text(word, name, source) for word in _as_tuple(value))


def _quantile(value: Any, source: str) -> float | None:
    if value == "best":
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < 1:
        raise InputError(
            f"{source} has q = {_shown(value)}; expected numbers between 0 and 1, or 'best'."
        )
    return float(value)


def _flags(value: Any, name: str, source: str) -> tuple[bool, ...]:
    values = _as_tuple(value)
    if not values or not all(isinstance(entry, bool) for entry in values):
        raise InputError(
            f"{source} has {name} = {_shown(value)}; expected true, false or both in a list."
        )
    return values


def _flat(table: Any, name: str, source: str, prefix: str = "") -> dict[str, tuple[Scalar, ...]]:
    """
    A nested table with dotted names, every value a tuple of the values to try.

    Parameters
    ----------
    table
        The table, or what was written in its place.
    name
        What the file calls it.
    source
        Where it comes from, for messages.
    prefix
        What dotted names begin with.
    """
    if not isinstance(table, Mapping):
        raise InputError(
            f"{source} has {name} = {_shown(table)}; expected a table of settings, such as "
            f"[{name}]."
        )
    settings: dict[str, tuple[Scalar, ...]] = {}
    for key, value in table.items():
        if isinstance(value, Mapping):
            settings |= _flat(value, f"{name}.{key}", source, f"{prefix}{key}.")
            continue
        values = _as_tuple(value)
        if not values or not all(isinstance(entry, Scalar) for entry in values):
            raise InputError(
                f"{source} has {shortened(f'{name}.{key}')} = {_shown(value)}; expected a number, "
                "a text, true or false, or a list of values to try."
            )
        settings[f"{prefix}{key}"] = values
    return settings


def _shown(value: Any) -> str:
    """What was received, in a few letters."""
    try:
        return shortened(repr(value))
    except ValueError:  # Python refuses to write numbers with thousands of digits
        return "a huge number"
