"""What a child process prints, read as if a stranger had written it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from boca.core.conduct import Conduct
from boca.core.errors import BocaError, InputError
from boca.core.message import Message, Place, msg
from boca.live.auction.engine_results import (
    OutcomeResult,
    PlannedQuery,
    PlanResult,
    PriceResult,
    SeatingResult,
    StudentResult,
)
from boca.live.auction.events import Bundle, MissedCourse, RatedPair
from boca.live.work.process import Ended

T = TypeVar("T")
# More than any honest result needs.
MOST_BYTES = 200_000_000
LARGEST = 2**53 - 1
# The exit code of a child that says in a sentence what it cannot use.
REFUSED = 2


class Rubbish(BocaError):
    """A result that cannot be read."""


@dataclass(frozen=True)
class Preview:
    """
    What an auction with these rules will be like.

    Parameters
    ----------
    name, num_goods, num_bidders
        Of the market.
    second_solver
        The solver that will check the outcome; None if none is installed.
    """

    name: str
    num_goods: int
    num_bidders: int
    second_solver: str | None


def check_exit(ended: Ended) -> None:
    """Raises unless a child ended by itself and well."""
    if ended.was_slow:
        raise Rubbish(f"The job took too long and was ended. {ended.message}")
    if ended.code == REFUSED:
        raise _refused(ended)
    if ended.code != 0:
        how = f"signal {-ended.code}" if ended.code < 0 else f"code {ended.code}"
        raise Rubbish(f"The job ended with {how}. {ended.message}")


def _refused(ended: Ended) -> BocaError:
    """Why a child could not use its request, with the place in the rules that it is about."""
    try:
        data = json.loads(ended.output)
        said, place = data["refused"], data["place"]
        message = Message.from_dict(said) if isinstance(said, dict) else _text(said)
        return InputError(message, Place(**place)) if place else Rubbish(message)
    except (KeyError, TypeError, ValueError):
        return Rubbish(ended.message)


def read_result(output: bytes, read: Callable[[dict[str, Any]], T]) -> T:
    """
    The result of a child process.

    Parameters
    ----------
    output
        Everything it printed.
    read
        One of the functions below.
    """
    if len(output) > MOST_BYTES:
        raise Rubbish("The result is too long.")
    try:
        data = json.loads(output, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise Rubbish(f"The result is not JSON: {error}.") from None
    if not isinstance(data, dict):
        raise Rubbish("The result is not an object.")
    try:
        return read(data)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Rubbish(f"The result has the wrong shape: {error!r}.") from None


def read_plan(data: dict[str, Any]) -> PlanResult:
    """The questions of the next round, or why there is none."""
    queries = tuple(
        PlannedQuery(
            _whole(q["bidder"]),
            _bundle(q.get("bundle", [])),
            _table(q["reason"]),
            _bundle(q["prices"]) if "prices" in q else None,
        )
        for q in _list(data["queries"])
    )
    stop = data["stop"]
    if isinstance(stop, dict):
        stop = Message.from_dict(stop)
    elif stop is not None:
        stop = _text(stop) or msg("no further questions")
    return PlanResult(
        queries, stop, _table(data["step"]), _number(data["seconds"]), _texts(data["versions"])
    )


def read_outcome(data: dict[str, Any]) -> OutcomeResult:
    """Allocation and payments."""
    verified = data["verified_by"]
    return OutcomeResult(
        tuple(map(_bundle, _list(data["allocation"]))),
        tuple(map(_number, _list(data["payments"]))),
        {
            int(winner): tuple(map(_bundle, _list(rows)))
            for winner, rows in _table(data["without"]).items()
        },
        _text(data["rule"]),
        None if verified is None else _text(verified),
        _number(data["seconds"]),
        _texts(data["versions"]),
        _bundle(data["outside"]) if "outside" in data else None,
        {int(i): _bundle(row) for i, row in _table(data.get("outside_without", {})).items()},
    )


def read_prices(data: dict[str, Any]) -> PriceResult:
    """Prices for questions about courses."""
    return PriceResult(
        _bundle(data["prices"]),
        _bundle(data["budgets"]),
        _number(data["centre"]),
        _number(data["spread"]),
        _number(data["seconds"]),
        _texts(data["versions"]),
    )


def read_seating(data: dict[str, Any]) -> SeatingResult:
    """An assignment of courses."""
    return SeatingResult(
        tuple(_student(row) for row in _list(data["students"])),
        _bundle(data["prices"]),
        _number(data["centre"]),
        _number(data["spread"]),
        bool(data["clears"]),
        _whole(data["envious"]),
        _whole(data["beyond_one"]),
        _whole(data["against_order"]),
        _number(data["seconds"]),
        _texts(data["versions"]),
    )


def _student(row: dict[str, Any]) -> StudentResult:
    return StudentResult(
        _bundle(row["courses"]),
        _bundle(row["held"]),
        _whole(row["budget"]),
        _whole(row["first"]),
        bool(row["is_best"]),
        tuple(_whole(units) for units in _list(row["ratings"])),
        tuple((_whole(j), _whole(k), _whole(units)) for j, k, units in _list(row["pairs"])),
        tuple(_missed(one) for one in _list(row["missed"])),
    )


def _missed(row: dict[str, Any]) -> MissedCourse:
    instead = row.get("instead")
    return MissedCourse(
        _text(row["course"]),
        _whole(row["price"]),
        None if instead is None else tuple(map(_text, _list(instead))),
        None if instead is None else _whole(row["less"]),
    )


Form = tuple[dict[str, int], tuple[RatedPair, ...]]


def read_forms(data: dict[str, Any]) -> tuple[Form, ...]:
    """Forms of simulated students: ratings and pairs."""
    return tuple(
        (
            {_text(course): _whole(points) for course, points in _table(form["ratings"]).items()},
            tuple(RatedPair(_text(a), _text(b), _whole(n)) for a, b, n in _list(form["pairs"])),
        )
        for form in _list(data["forms"])
    )


def read_mechanisms(data: dict[str, Any]) -> dict[str, Conduct]:
    """What people meet in an auction by each mechanism, by name."""
    return {
        name: Conduct.from_dict(_table(row)) for name, row in _table(data["mechanisms"]).items()
    }


def read_preview(data: dict[str, Any]) -> Preview:
    """What the engine thinks of new rules."""
    solver = data["second_solver"]
    return Preview(
        _text(data["name"]),
        _whole(data["num_goods"]),
        _whole(data["num_bidders"]),
        None if solver is None else _text(solver),
    )


def read_comparison(data: dict[str, Any]) -> dict[str, Any]:
    """Awards side by side."""
    for row in _list(data["scenarios"]):
        _text(row["name"])
        for key in ("cost", "savings", "rule_cost"):
            if row[key] is not None:
                _whole(row[key])
        if row["cost"] is not None:
            for bundle in (*_list(row["supplied"]), row["outside"], row["offers"]):
                _bundle(bundle)
        for title in _list(row["conflict"]):
            _text(title)
    _whole(data["num_offers"])
    _text(data["warning"])
    return data


def read_verdict(data: dict[str, Any]) -> dict[str, Any]:
    """What the verifier says, a line per check."""
    for check in _list(data["checks"]):
        for name in ("check", "title", "state", "sentence"):
            _text(check[name])
        for finding in _list(check["findings"]):
            _text(finding["sentence"])
    _whole(data["exit_code"])
    _text(data["conclusion"])
    return data


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _whole(value: Any) -> int:
    if type(value) is not int or abs(value) > LARGEST:
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not text")
    return value


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{type(value).__name__} is not a list")
    return value


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{type(value).__name__} is not an object")
    return value


def _texts(value: Any) -> dict[str, str]:
    return {name: _text(text) for name, text in _table(value).items()}


def _bundle(value: Any) -> Bundle:
    return tuple(map(_whole, _list(value)))
