"""The chart of reported welfare by round: compute the numbers, the template draws them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boca.server.live.money import Money
from boca.server.live.views import RoundRow

WIDTH, HEIGHT = 560, 240
LEFT, RIGHT, TOP, BOTTOM = 76, 16, 16, 34
# Steps between grid lines are one of these times a power of ten.
STEPS = (1, 2, 5, 10)


@dataclass(frozen=True)
class Tick:
    """A grid line: where it is, and what it says."""

    at: float
    label: str


@dataclass(frozen=True)
class Mark:
    """The point of one round."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Chart:
    """
    What the template draws.

    Parameters
    ----------
    width, height, left, right, top, bottom
        Size of the drawing, and edges of the plot in it.
    marks, line
        The rounds, and the line through them as the attribute ``points`` wants it.
    bound_line
        Through the proven bounds; empty where fewer than two rounds have one.
    ticks, rounds
        Grid lines with amounts, and the numbers of the rounds below.
    """

    width: int
    height: int
    left: int
    right: int
    top: int
    bottom: int
    marks: tuple[Mark, ...]
    line: str
    bound_line: str
    ticks: tuple[Tick, ...]
    rounds: tuple[Tick, ...]


def welfare_chart(rows: Sequence[RoundRow], money: Money) -> Chart | None:
    """The chart of the finished rounds; None while there are fewer than two."""
    if len(rows) < 2:
        return None
    last = max(row.round for row in rows)
    first = min(row.round for row in rows)
    highest = max([row.welfare for row in rows] + [row.bound or 0.0 for row in rows] + [1.0])
    step = grid_step(highest)
    top_value = step * -(-highest // step)

    def x_of(number: int) -> float:
        share = (number - first) / max(last - first, 1)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y_of(value: float) -> float:
        return round(HEIGHT - BOTTOM - value / top_value * (HEIGHT - TOP - BOTTOM), 1)

    marks = tuple(
        Mark(x_of(row.round), y_of(row.welfare), money.figures(round(row.welfare))) for row in rows
    )
    bounds = [(x_of(row.round), y_of(row.bound)) for row in rows if row.bound is not None]
    num_ticks = round(top_value / step)
    return Chart(
        WIDTH,
        HEIGHT,
        LEFT,
        WIDTH - RIGHT,
        TOP,
        HEIGHT - BOTTOM,
        marks,
        points((mark.x, mark.y) for mark in marks),
        points(bounds) if len(bounds) > 1 else "",
        tuple(Tick(y_of(k * step), money.figures(round(k * step))) for k in range(num_ticks + 1)),
        tuple(Tick(x_of(row.round), str(row.round + 1)) for row in rows),
    )


def points(pairs: Iterable[tuple[float, float]]) -> str:
    """Points as SVG writes them."""
    return " ".join(f"{x:g},{y:g}" for x, y in pairs)


def grid_step(highest: float) -> int:
    """Whole units between grid lines, so that there are four to eight of them."""
    power = 1
    while power * 10 * 4 <= highest:
        power *= 10
    return next((power * s for s in STEPS if power * s * 5 >= highest), power * 10)
