"""What others have published about the same mechanisms on the same instances."""

import json
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any

from boca.lab.studies.run_spec import Setting

# How many queries per bidder published runs asked, which is also what our settings say unless they
# are changed; some published runs began with other numbers of initial queries.
NUM_INITIAL = 40
BUDGET = {"num_per_round": 4, "num_total": 100}

# Quantiles with the same published hyperparameters.
SAME_CONFIGURATION = {0.9: 0.95, 0.95: 0.9}


@dataclass(frozen=True)
class Published:
    """
    A published cell.

    Parameters
    ----------
    source
        Table and column, in words.
    loss
        Mean efficiency loss and half the width of its confidence interval, in per cent.
    num_instances
        How many instances the means are over.
    revenue
        Mean revenue and half the width of its confidence interval, in per cent of the largest
        possible welfare; None where it was not published.
    hours
        Mean time of an auction; None where it was not published.
    is_winner
        Whether the cell is marked in grey: in Table 1 by a t-test with a significance level of
        1 %, in Tables 3 to 6 as the quantile with the lowest loss.
    """

    source: str
    loss: tuple[float, float]
    num_instances: int
    revenue: tuple[float, float] | None = None
    hours: float | None = None
    is_winner: bool = False


def find_published(domain: str, setting: Setting) -> Published | None:
    """
    The published cell that a setting of ours is compared with, if there is one.

    Parameters
    ----------
    domain
        Name of the domain, as in tables.
    setting
        Our setting. Its budget of queries must be the published one; whether other differences
        matter is for the reader to judge.
    """
    if not _has_published_budget(setting):
        return None
    if setting.generic:
        return _rival(domain, setting)
    rows = _rows(domain, setting)
    for row in rows:
        if row["q"] == setting.q:
            column = "OUR-MVNN-MLCA" if setting.mechanism == "mvnn" else "BOCA"
            return Published(
                source=f"Table {row['table']}, {column}, q={row['q']:g}",
                loss=_pair(row["loss"]),
                num_instances=_num_instances("boca"),
                revenue=_pair(row["revenue"]),
                hours=row["hours"],
                is_winner=row["loss"][0] == min(other["loss"][0] for other in rows),
            )
    column = _data()["columns"].get(setting.mechanism)
    table = _data()["table1"].get(domain, {})
    if column not in table or rows or _num_initial(setting) != NUM_INITIAL:
        return None
    return Published(
        f"Table 1, {column}",
        _pair(table[column]),
        _num_instances("mvnn"),
        is_winner=column in table.get("winners", ()),
    )


def published_best_q(domain: str, setting: Setting) -> float | None:
    """The quantile with the lowest published loss, for a mechanism that has several; else None."""
    rows = _rows(domain, setting)
    return min(rows, key=lambda row: row["loss"][0])["q"] if rows else None


def published_instances(domain: str, setting: Setting, what: str = "loss") -> dict[int, float]:
    """
    Published values of single instances by seed, in per cent; empty where there are none.

    Parameters
    ----------
    domain
        Name of the domain, as in tables.
    setting
        Our setting, as in :func:`find_published`.
    what
        ``loss`` or ``revenue``.
    """
    if domain != "MRVM" or find_published(domain, setting) is None:
        return {}
    wanted = {
        "what": what,
        "num_initial": _num_initial(setting),
        "mechanism": _published_name(setting.mechanism),
        "q": setting.q,
    }
    data = _instances()
    if wanted not in data["columns"]:
        return {}
    place = data["columns"].index(wanted)
    return {int(seed): row[place] for seed, row in data["rows"].items()}


def published_path(domain: str, setting: Setting) -> tuple[list[int], list[float]] | None:
    """
    Queries per bidder and mean losses in per cent that were published of a mechanism on its way.

    They are known of clock bids, on other instances. Where a domain has identical licences, they
    were merged, and nothing stands beside a setting that names them.

    Parameters
    ----------
    domain
        Name of the domain, as in tables.
    setting
        Our setting, as in :func:`find_published`.
    """
    if not _has_published_budget(setting):
        return None
    for row in _data()["paths"]:
        is_same = (row["mechanism"], row["domain"]) == (setting.mechanism, domain)
        if is_same and (setting.generic or not row["merged"]):
            return row["queries"], row["loss"]
    return None


def published_p(domain: str, setting: Setting) -> float | None:
    """Table 1's p-value of the test that a mechanism's loss is not above BOCA's."""
    if find_published(domain, setting) is None:
        return None
    column = _data()["columns"].get(setting.mechanism)
    p: float | None = _data()["table1"].get(domain, {}).get("p", {}).get(column)
    return p


def is_table1_winner(domain: str, setting: Setting) -> bool:
    """Whether Table 1 marks a mechanism in grey."""
    published = find_published(domain, setting)
    column = _data()["columns"].get(setting.mechanism)
    if published is None or column not in _data()["table1"].get(domain, {}).get("winners", ()):
        return False
    return published.is_winner and _num_initial(setting) == NUM_INITIAL


def state_of_the_art(domain: str) -> tuple[float, float] | None:
    """MLHCA's loss, with demand queries too."""
    losses = [row["loss"] for row in _rivals("mlhca", domain)]
    return _pair(losses[0]) if losses else None


def published_again(domain: str, setting: Setting) -> dict[int, float]:
    """
    Published losses of single instances from a second run of the same configuration, by seed.

    In every domain the published hyperparameters of q = 0.9 are those of 0.95, which were run
    separately: what differs between the two is chance. Empty where there is no such run.
    """
    other = SAME_CONFIGURATION.get(setting.q) if setting.q is not None else None
    return {} if other is None else published_instances(domain, replace(setting, q=other))


def noise(domain: str) -> str | None:
    """How much two published runs of one configuration differ."""
    text: str | None = _data()["noise"].get(domain)
    return text


def sources() -> dict[str, str]:
    """Where the numbers come from."""
    return dict(_data()["sources"])


def _rows(domain: str, setting: Setting) -> list[dict[str, Any]]:
    """Rows of Tables 3 to 6 for a mechanism and its number of initial queries, one per quantile."""
    place = (domain, _published_name(setting.mechanism), _num_initial(setting))
    return [
        row
        for row in _data()["tables"]
        if (row["domain"], row["mechanism"], row["num_initial"]) == place
    ]


def _published_name(mechanism: str) -> str:
    """What tables of published figures call a mechanism."""
    return "boca" if mechanism == "boca-2023" else mechanism


def _rival(domain: str, setting: Setting) -> Published | None:
    """What was published about a mechanism with demand queries."""
    for row in _rivals(setting.mechanism, domain):
        revenue = _pair(row["revenue"]) if "revenue" in row else None
        source = f"{setting.mechanism.upper()} on other instances"
        num_instances = _num_instances(setting.mechanism)
        return Published(source, _pair(row["loss"]), num_instances, revenue, row.get("hours"))
    return None


def _rivals(mechanism: str, domain: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = _data()["rivals"]
    return [row for row in rows if (row["mechanism"], row["domain"]) == (mechanism, domain)]


def _num_instances(source: str) -> int:
    num: int = _data()["instances"][source]
    return num


def _has_published_budget(setting: Setting) -> bool:
    return all(setting.value(name, num) == num for name, num in BUDGET.items())


def _num_initial(setting: Setting) -> Any:
    return setting.value("num_initial", NUM_INITIAL)


def _pair(values: list[float]) -> tuple[float, float]:
    mean, half_width = values
    return mean, half_width


@cache
def _data() -> dict[str, Any]:
    file = resources.files("boca.lab.reports") / "data" / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


@cache
def _instances() -> dict[str, Any]:
    file = resources.files("boca.lab.reports") / "data" / "published_mrvm.json"
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content
