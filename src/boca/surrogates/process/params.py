"""What can be chosen about Gaussian processes of all bidders together."""

from dataclasses import dataclass

from boca.core.settings import check_types, expect


@dataclass(frozen=True)
class ProcessParams:
    """
    Settings, the same for all bidders of a market. Checked on construction.

    Parameters
    ----------
    steps
        Steps towards the most probable variances, at most.
    noise
        Least standard deviation of answers, as a share of a usual one.
    """

    steps: int = 15
    noise: float = 1e-3

    def __post_init__(self) -> None:
        check_types(self)
        expect(self, self.steps > 0, "steps", "a positive number")
        expect(self, 0 < self.noise < 1, "noise", "a number between 0 and 1")
