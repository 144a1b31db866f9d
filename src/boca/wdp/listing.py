"""Up to which size the bundles of a market are listed."""

from dataclasses import dataclass

from boca.core import InputError


@dataclass(frozen=True)
class Listing:
    """
    How large a market may be for its bundles to be listed one by one.

    Parameters
    ----------
    most_of_nets
        Bundles up to which the values of a monotone network are listed: a few matrix products.
        0 to list none.
    most_called
        Bundles up to which other functions are called on every bundle. 0 to call none.
    most_candidates
        Bundles of all bidders together that prices may leave over for packing; with more of
        them a mixed-integer program takes over. At least 0.
    """

    most_of_nets: int = 1 << 20
    most_called: int = 1 << 18
    most_candidates: int = 200_000

    def __post_init__(self) -> None:
        for name in ("most_of_nets", "most_called", "most_candidates"):
            if getattr(self, name) < 0:
                raise InputError(f"Received {name}={getattr(self, name)}; expected at least 0.")
