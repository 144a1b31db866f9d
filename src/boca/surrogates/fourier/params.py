"""What can be chosen about the Fourier functions of one bidder type, and where they exist."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from boca.core.errors import InputError
from boca.core.frozen import set_fields
from boca.core.market import Market
from boca.core.settings import check_types, expect
from boca.functions import Basis
from boca.surrogates.mean_nets.params import MeanNetParams


@dataclass(frozen=True)
class FourierParams:
    """
    Settings of the Fourier functions of one bidder type. Checked on construction.

    Parameters
    ----------
    basis
        ``WHT``, ``FT3`` or ``FT4``.
    num_candidates
        Sets with the largest coefficients of the network that are considered.
    num_terms
        Steps along the path of the lasso, and so the largest number of terms.
    network
        Settings of the network; a mapping of plain values is accepted.
    """

    basis: str = "WHT"
    num_candidates: int = 2000
    num_terms: int = 100
    network: MeanNetParams = field(default_factory=lambda: MeanNetParams(kind="relu"))

    def __post_init__(self) -> None:
        if isinstance(self.network, Mapping):
            set_fields(self, network=MeanNetParams(**self.network))
        check_types(self)
        names = [basis.value for basis in Basis]
        expect(self, self.basis in names, "basis", f"one of {', '.join(names)}")
        for name in ("num_candidates", "num_terms"):
            expect(self, getattr(self, name) >= 1, name, "at least 1")


def check_single_copies(market: Market) -> None:
    """Raises InputError where a good has more than one copy."""
    if (market.capacities != 1).any():
        raise InputError(
            f"Market '{market.name}' has goods with more than one copy; Fourier functions are "
            "defined for single copies. Name the copies one by one, or use another mechanism."
        )
