"""Which bidders take part in a winner-determination problem."""

from dataclasses import dataclass

from boca.core.errors import InputError


@dataclass(frozen=True)
class Economy:
    """
    A set of bidders.

    Parameters
    ----------
    bidders
        Indices into ``Market.bidders``, ascending.
    left_out
        The one bidder that is missing, in a marginal economy; None otherwise.
    """

    bidders: tuple[int, ...]
    left_out: int | None = None

    def __post_init__(self):
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
        others = tuple(i for i in range(num_bidders) if i != bidder)
        return cls(others, left_out=bidder)

    @property
    def name(self) -> str:
        """``main``, ``without 3``, or the list of bidders."""
        if self.left_out is not None:
            return f"without {self.left_out}"
        if self.bidders == tuple(range(len(self.bidders))):
            return "main"
        return "bidders " + ", ".join(map(str, self.bidders))

    def __contains__(self, bidder: int) -> bool:
        return bidder in self.bidders
