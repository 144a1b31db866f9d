"""What a mechanism can do with the options of a command: nothing is silently ignored."""

from collections.abc import Callable
from typing import Any

import typer

from boca.core.errors import InputError
from boca.core.market import Market
from boca.mechanism import PRESETS, AuctionParams, StoppingParams, auction_params

# Settings that two auctions are compared in, and options with another value of what they set.
PLAIN = {"num_initial": 1, "num_per_round": 1, "num_total": 100, "proof": "none"}
OTHERWISE: dict[str, dict[str, Any]] = {
    "initial": {"num_initial": 2},
    "per_round": {"num_per_round": 2},
    "budget": {"num_total": 99},
    "proof": {"proof": "optimal"},
    "ranges": {"ranges": True},
    "patience": {"stopping": StoppingParams(patience=1)},
    "max_seconds": {"stopping": StoppingParams(max_seconds=1.0)},
    "stop_when_proven": {"stopping": StoppingParams(when_proven=True)},
}


def is_on_command_line(context: typer.Context, name: str) -> bool:
    """Whether somebody has given a parameter, rather than left it at its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def check_options_matter(
    context: typer.Context, mechanism: str, make_params: Callable[..., AuctionParams]
) -> None:
    """
    Refuses options on the command line that make no difference to a mechanism.

    Parameters
    ----------
    context
        The command, with its parameters.
    mechanism
        Name of the mechanism, for the message.
    make_params
        The mechanism's settings, from fields of ``Choices`` and ``AuctionParams``.
    """
    usual = make_params(**PLAIN)
    useless = [
        f"--{name.replace('_', '-')}"
        for name, change in OTHERWISE.items()
        if is_on_command_line(context, name) and make_params(**{**PLAIN, **change}) == usual
    ]
    if useless:
        it = "it" if len(useless) == 1 else "them"
        raise InputError(
            f"Received {', '.join(useless)} for {mechanism}, which has no use for {it}; "
            f"leave {it} out."
        )


def check_gap_can_be_proven(params: AuctionParams) -> None:
    """Refuses to wait for a proof that only answers to demand queries can give."""
    gap = params.stopping.proven_gap
    if gap is not None and not asks_for_demands(params):
        raise InputError(
            f"Received --stop-when-proven {gap:g} for {params.mechanism}, which asks no demand "
            "queries and so proves no such share; leave it out, or choose a mechanism with demand "
            "queries, such as hybrid."
        )


def asks_for_demands(params: AuctionParams) -> bool:
    """Whether a phase may ask what bidders want at prices."""
    return any(phase.planner.asks_demands for phase in params.phases)


def check_sheet_suffices(params: AuctionParams, market: Market) -> None:
    """
    Refuses a mechanism whose questions cannot be answered in a sheet of values.

    Parameters
    ----------
    params
        The settings of an auction that is about to begin.
    market
        Goods and bidders; the message names mechanisms that can serve them.
    """
    if asks_for_demands(params):
        names = ", ".join(name for name in PRESETS if _asks_for_values_only(name, market))
        raise InputError(
            f"Received the mechanism {params.mechanism}, which asks what bidders want at prices; a "
            f"sheet of answers has room for values only. Choose one of {names}."
        )


def _asks_for_values_only(mechanism: str, market: Market) -> bool:
    try:
        is_for_people = PRESETS[mechanism].conduct(market).is_for_people
        return is_for_people and not asks_for_demands(auction_params(mechanism, market))
    except InputError:  # not for this market
        return False
