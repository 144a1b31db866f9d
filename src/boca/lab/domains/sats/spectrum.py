"""What the four spectrum value models share."""

from collections.abc import Sequence

from boca.core.market import Bidder
from boca.lab.domains.domain import Domain


class SatsDomain(Domain):
    """An instance of a spectrum value model; its optimum is worth keeping on disk."""

    seed: int

    @property
    def cache_key(self) -> str:
        return f"{self.name}-{self.seed}-v{self.version}"


def named_bidders(types: Sequence[str]) -> tuple[Bidder, ...]:
    """Bidders called after their type and index, such as ``national 6``."""
    return tuple(Bidder(f"{kind} {i}", kind) for i, kind in enumerate(types))
