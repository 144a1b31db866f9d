"""What every ``fit`` makes of its arguments: who has reported, with which parameters, from which
stream."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.core.report import Reports

Params = TypeVar("Params")


def reporting(reports: Sequence[Reports]) -> dict[int, Reports]:
    """The reports of the bidders that have any; nobody is learned about from nothing."""
    return {bidder: rows for bidder, rows in enumerate(reports) if len(rows)}


def params_of(bidder_type: str, params: Mapping[str, Params]) -> Params:
    """The parameters of a bidder type."""
    if bidder_type not in params:
        raise InputError(
            f"There are no parameters for bidder type '{bidder_type}'; received some for "
            f"{', '.join(map(repr, params)) or 'no type'}."
        )
    return params[bidder_type]


def training_stream(seeds: Seeds) -> Seeds:
    """
    The stream that trainings draw from.

    It starts from an integer of 31 bits, because auctions used to hand over such an integer and
    their trajectories should repeat.
    """
    return Seeds(seeds.integer(31))
