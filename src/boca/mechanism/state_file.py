"""An auction's state as plain values, checked as if a stranger had written them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boca.core.allocation import check_feasible
from boca.core.bundle import as_bundles
from boca.core.demand import Demands
from boca.core.errors import InfeasibleAllocation, InputError
from boca.core.files import read_text
from boca.core.market import Market
from boca.core.query import DemandQuery, Question, question_from_dict
from boca.core.report import Reports
from boca.mechanism.params import AuctionParams
from boca.mechanism.record import Planning, RoundRecord
from boca.queries.economies import MarginalUse

if TYPE_CHECKING:
    from boca.mechanism.state import AuctionState

FORMAT = 2


def state_to_dict(state: "AuctionState") -> dict[str, Any]:
    """A state as plain values, for JSON."""
    return {
        "format": FORMAT,
        "market": state.market.to_dict(),
        "params": state.params.to_dict(),
        "reports": [reports.to_dict() for reports in state.reports],
        "demands": [demands.to_dict() for demands in state.demands],
        "declined": [rows.tolist() for rows in state.declined],
        "num_asked": list(state.num_asked),
        "use": state.use.to_dict(),
        "phase": state.phase,
        "pending": [question.to_dict() for question in state.pending],
        "open": len(state.pending),
        "planning": state.planning.to_dict() if state.planning else None,
        "rounds": len(state.history),
        "history": [record.to_dict() for record in state.history],
        "stopped": state.stopped,
        "closed": state.closed,
    }


def state_from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a state from plain values."""
    if data.get("format") != FORMAT:
        raise InputError(
            f"The state has format {data.get('format')!r}; this version of boca reads format "
            f"{FORMAT}."
        )
    market = Market.from_dict(data["market"])
    params = AuctionParams.from_dict(data["params"])
    phase = data["phase"]
    if not isinstance(phase, int) or not 0 <= phase < max(1, len(params.phases)):
        raise InputError(
            f"The state is in phase {phase!r}; expected 0 to {len(params.phases) - 1}."
        )
    return {
        "market": market,
        "params": params,
        "reports": [_reports(entry, market) for entry in _each(data, "reports", market)],
        "demands": [_demands(entry, market) for entry in _each(data, "demands", market)],
        "declined": [
            as_bundles(np.reshape(rows, (-1, market.num_goods)), market.capacities)
            for rows in _each(data, "declined", market)
        ],
        "num_asked": [_count(count) for count in _each(data, "num_asked", market)],
        "use": MarginalUse.from_dict(data["use"]),
        "phase": phase,
        "pending": _pending(data, market),
        "planning": Planning.from_dict(data["planning"]) if data["planning"] else None,
        "history": _history(data, market),
        "stopped": str(data["stopped"]),
        "closed": bool(data["closed"]),
    }


def load_state(path: Path | str) -> dict[str, Any]:
    """The fields of a state from a file; whatever is wrong with it is an InputError."""
    text = read_text(path, "state file")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"The state file {path} is damaged at line {error.lineno}, column {error.colno} "
            f"({error.msg}); it may have been cut off. Start from a copy, or afresh."
        ) from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, deep nesting
        raise InputError(f"The state file {path} cannot be read: {error}.") from None
    try:
        return state_from_dict(data)
    except (InputError, InfeasibleAllocation) as error:
        raise InputError(f"The state file {path} cannot be used: {error}") from None
    except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
        raise InputError(
            f"The state file {path} is not a boca state: {error!r}. "
            "Expected a file written by an auction."
        ) from None


def _each(data: Mapping[str, Any], name: str, market: Market) -> Sequence[Any]:
    """A list with one entry per bidder."""
    entries = data[name]
    if not isinstance(entries, list) or len(entries) != market.num_bidders:
        raise InputError(f"'{name}' is not a list of {market.num_bidders} entries, one per bidder.")
    return entries


def _reports(data: Mapping[str, Any], market: Market) -> Reports:
    bundles = np.reshape(data["bundles"], (-1, market.num_goods))
    highs = np.array(data["highs"], dtype=float) if "highs" in data else None
    values = np.array(data["values"], dtype=float)
    return Reports(as_bundles(bundles, market.capacities), values, highs)


def _demands(data: Mapping[str, Any], market: Market) -> Demands:
    bundles = as_bundles(np.reshape(data["bundles"], (-1, market.num_goods)), market.capacities)
    return Demands(np.reshape(np.array(data["prices"], dtype=float), bundles.shape), bundles)


def _count(count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise InputError(f"A bidder was asked {count!r} questions; expected 0 or more.")
    return count


def _record(data: Mapping[str, Any], market: Market) -> RoundRecord:
    record = RoundRecord.from_dict(data)
    check_feasible(record.allocation, market)
    return record


def _history(data: Mapping[str, Any], market: Market) -> tuple[RoundRecord, ...]:
    """The finished rounds, all of them: an auction that forgot some would go on differently."""
    history = tuple(_record(record, market) for record in data["history"])
    expected = data.get("rounds", len(history))  # earlier files do not say how many there are
    if expected != len(history) or [record.round for record in history] != list(range(expected)):
        raise InputError(
            f"'history' has {len(history)} of {expected!r} rounds, or has them in another order; "
            "expected all, first to last. Start from a copy."
        )
    return history


def _pending(data: Mapping[str, Any], market: Market) -> tuple[Question, ...]:
    """The open questions, all of them: one that is lost was asked, but will not be answered."""
    pending = tuple(_question(question, market) for question in data["pending"])
    expected = data.get("open", len(pending))  # earlier files do not say how many there are
    if expected != len(pending):
        raise InputError(
            f"'pending' has {len(pending)} of {expected!r} open questions; expected all. Start "
            "from a copy."
        )
    return pending


def _question(data: dict[str, Any], market: Market) -> Question:
    question = question_from_dict(data)
    if not 0 <= question.bidder < market.num_bidders:
        raise InputError(
            f"A question is to bidder {question.bidder}; expected 0 to {market.num_bidders - 1}."
        )
    if isinstance(question, DemandQuery):
        if len(question.prices) != market.num_goods:
            raise InputError(f"A demand query has {len(question.prices)} prices.")
    else:
        as_bundles(question.bundle, market.capacities)
    return question
