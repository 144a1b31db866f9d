"""The chart of reported welfare by round: compute the numbers, the template draws them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boca.live.auction.money import Money
from boca.live.auction.views import RoundRow

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
    known = [(row.round, row.welfare) for row in rows if row.welfare is not None]
    if len(known) < 2:
        return None
    last = max(row.round for row in rows)
    first = min(row.round for row in rows)
    values = [welfare for _, welfare in known]
    values += [row.bound for row in rows if row.bound is not None]
    step, low, high = axis(min(values), max(values))

    def x_of(number: int) -> float:
        share = (number - first) / max(last - first, 1)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)

    def y_of(value: float) -> float:
        share = (value - low) / (high - low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    marks = tuple(
        Mark(x_of(number), y_of(welfare), money.figures(round(welfare)))
        for number, welfare in known
    )
    bounds = [(x_of(row.round), y_of(row.bound)) for row in rows if row.bound is not None]
    ticks = range(low, high + 1, step)
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
        tuple(Tick(y_of(tick), money.figures(tick)) for tick in ticks),
        tuple(Tick(x_of(row.round), str(row.round + 1)) for row in rows),
    )


def points(pairs: Iterable[tuple[float, float]]) -> str:
    """Points as SVG writes them."""
    return " ".join(f"{x:g},{y:g}" for x, y in pairs)


def axis(lowest: float, highest: float) -> tuple[int, int, int]:
    """
    The axis of amounts: whole units between grid lines, its lower and its upper end.

    It begins at 0 unless all values lie in its upper part, where growth could not be seen.
    """
    start = 0.0 if lowest < 0.6 * highest else lowest - (highest - lowest) - 0.05 * highest
    step = grid_step(max(highest - start, 1.0))
    low = step * math.floor(max(start, 0.0) / step)
    return step, low, max(step * math.ceil(highest / step), low + step)


def grid_step(span: float) -> int:
    """Whole units between grid lines, so that there are about five of them."""
    power = 1
    while power * 10 * 4 <= span:
        power *= 10
    return next((power * s for s in STEPS if power * s * 5 >= span), power * 10)
