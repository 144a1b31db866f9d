"""Which bidders take part in a winner-determination problem."""

from dataclasses import dataclass

from boca.core.errors import InputError
from boca.core.market import Market


@dataclass(frozen=True)
class Economy:
    """
    A set of bidders.

    Parameters
    ----------
    bidders
        Indices into ``Market.bidders``, ascending.
    """

    bidders: tuple[int, ...]

    def __post_init__(self) -> None:
        if list(self.bidders) != sorted(set(self.bidders)):
            raise InputError(
                f"An economy lists bidders {self.bidders}; expected each once, ascending."
            )

    @classmethod
    def main(cls, num_bidders: int) -> "Economy":
        """All bidders."""
        return cls(tuple(range(num_bidders)))

    @classmethod
    def without(cls, bidder: int, num_bidders: int) -> "Economy":
        """The marginal economy of all bidders but one."""
        if not 0 <= bidder < num_bidders:
            raise InputError(
                f"Asked to leave out bidder {bidder}; expected one of 0 to {num_bidders - 1}."
            )
        return cls(tuple(i for i in range(num_bidders) if i != bidder))

    def describe(self, market: Market) -> str:
        """``main``, ``without Ann``, or the list of those who take part."""
        names = [bidder.name for bidder in market.bidders]
        absent = [name for i, name in enumerate(names) if i not in self.bidders]
        if not absent:
            return "main"
        if len(absent) == 1:
            return f"without {absent[0]}"
        return "only " + ", ".join(names[i] for i in self.bidders) if self.bidders else "nobody"

    def __contains__(self, bidder: int) -> bool:
        return bidder in self.bidders
