"""What others have published about the same mechanisms on the same instances."""

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from boca.studies.run_spec import Setting

# Settings that decide whether a published run asked the same number of queries.
BUDGET = {"num_per_round": 4, "num_total": 100}
NUM_INITIAL = 40


@dataclass(frozen=True)
class Published:
    """
    A published cell.

    Parameters
    ----------
    source
        Table and column, in words.
    loss
        Mean efficiency loss and half width of its confidence interval, in per cent.
    revenue
        The same of the revenue; None where it was not published.
    hours
        Mean time of an auction; None where it was not published.
    """

    source: str
    loss: tuple[float, float]
    revenue: tuple[float, float] | None = None
    hours: float | None = None


def find_published(domain: str, setting: Setting) -> Published | None:
    """
    The published cell that a setting of ours stands beside, if there is one.

    Parameters
    ----------
    domain
        Name as in tables.
    setting
        Ours. Its budget of queries must be the published one; that other settings differ is for
        the reader to judge.
    """
    if setting.generic or any(
        setting.value(name, usual) != usual for name, usual in BUDGET.items()
    ):
        return None
    num_initial = setting.value("num_initial", NUM_INITIAL)
    for row in _data()["tables"]:
        place = (row["domain"], row["mechanism"], row["q"], row["num_initial"])
        if place == (domain, setting.mechanism, setting.q, num_initial):
            column = "BOCA" if setting.mechanism == "boca" else "OUR-MVNN-MLCA"
            source = f"Table {row['table']}, {column}, q={row['q']:g}"
            return Published(source, tuple(row["loss"]), tuple(row["revenue"]), row["hours"])
    column = _data()["columns"].get(setting.mechanism)
    cell = _data()["table1"].get(domain, {}).get(column)
    if cell is None or num_initial != NUM_INITIAL or setting.mechanism == "boca":
        return None
    return Published(f"Table 1, {column}", tuple(cell))


def published_instances(domain: str, setting: Setting, what: str = "loss") -> dict[int, float]:
    """
    Published values of single instances by seed, in per cent; empty where there are none.

    Parameters
    ----------
    domain
        Name as in tables.
    setting
        Ours, as in :func:`find_published`.
    what
        ``loss`` or ``revenue``.
    """
    if domain != "MRVM" or find_published(domain, setting) is None:
        return {}
    num_initial = setting.value("num_initial", NUM_INITIAL)
    wanted = {
        "what": what,
        "num_initial": num_initial,
        "mechanism": setting.mechanism,
        "q": setting.q,
    }
    data = _instances()
    if wanted not in data["columns"]:
        return {}
    place = data["columns"].index(wanted)
    return {int(seed): row[place] for seed, row in data["rows"].items()}


def published_p(domain: str, setting: Setting) -> float | None:
    """Table 1's p-value of the test that a mechanism's loss is not above BOCA's."""
    if find_published(domain, setting) is None:
        return None
    column = _data()["columns"].get(setting.mechanism)
    p: float | None = _data()["table1"].get(domain, {}).get("p", {}).get(column)
    return p


def state_of_the_art(domain: str) -> tuple[float, float] | None:
    """MLHCA's loss, with demand queries too."""
    pair = _data()["mlhca"].get(domain)
    return (pair[0], pair[1]) if pair else None


def noise(domain: str) -> str | None:
    """How much two published runs of one configuration differ."""
    text: str | None = _data()["noise"].get(domain)
    return text


def sources() -> dict[str, str]:
    """Where the numbers come from."""
    return dict(_data()["sources"])


@cache
def _data() -> dict[str, Any]:
    file = resources.files("boca.reports") / "data" / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _instances() -> dict[str, Any]:
    file = resources.files("boca.reports") / "data" / "published_mrvm.json"
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content
