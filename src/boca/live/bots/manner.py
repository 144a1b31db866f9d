"""How a bot answers: by which strategy, and after how long."""

from collections.abc import Callable
from dataclasses import dataclass

from boca.core.errors import InputError
from boca.core.randomness import Seeds
from boca.core.wording import did_you_mean, shortened
from boca.lab.simulation.strategies import DroppingOut, Noisy, Shading, Strategy, Truthful

# Name -> a strategy from its parameter (None for the usual one) and a seed.
STRATEGIES: dict[str, Callable[[float | None, int], Strategy]] = {
    "truthful": lambda number, seed: Truthful(),
    "noisy": lambda number, seed: Noisy(0.05 if number is None else number, seed),
    "shading": lambda number, seed: Shading(0.8 if number is None else number),
    "dropping-out": lambda number, seed: DroppingOut(50 if number is None else int(number)),
}


def parse_strategy(text: str, seed: int = 0) -> Strategy:
    """
    A strategy from its name, perhaps with a number: ``noisy``, ``shading:0.7``, ``dropping-out:5``.

    Parameters
    ----------
    text
        The name; the number is the spread of the noise, the share of the value that is said, or
        the answers given before dropping out.
    seed
        Of the noise.
    """
    name, colon, rest = text.partition(":")
    if name not in STRATEGIES:
        raise InputError(
            f"Received the strategy '{shortened(text)}'; {did_you_mean(name, list(STRATEGIES))}"
        )
    try:
        number = float(rest) if colon else None
    except ValueError:
        number = float("nan")
    if number is not None and (name == "truthful" or not 0 <= number < 1e6):
        raise InputError(
            f"Received the strategy '{shortened(text)}'; expected a name such as 'truthful', or a "
            "name with a number such as 'shading:0.7'."
        )
    return STRATEGIES[name](number, seed)


@dataclass(frozen=True)
class Thinking:
    """
    How long a bot takes before it answers, drawn again for each round.

    Parameters
    ----------
    least, most
        Seconds.
    """

    least: float = 0.0
    most: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.least <= self.most <= 86_400:
            raise InputError(
                f"Received {self.least:g} to {self.most:g} seconds to think; expected at least 0, "
                "and the smaller number first."
            )

    def seconds(self, seeds: Seeds) -> float:
        """The time for one round."""
        return float(seeds.generator().uniform(self.least, self.most))


def parse_thinking(text: str) -> Thinking:
    """Seconds such as ``1-20``, or ``5`` for always the same."""
    least, _, most = text.partition("-")
    try:
        return Thinking(float(least), float(most or least))
    except ValueError:
        raise InputError(
            f"Received '{shortened(text)}' as the time to think; expected seconds such as '1-20'."
        ) from None
