"""Which mechanisms of a row count as its winners, as the paper marks them in grey."""

from collections.abc import Sequence

from boca.lab.reports.cell import Cell
from boca.lab.reports.statistics import FEWEST_INSTANCES

# Of the t-tests by which the paper marks winners.
SIGNIFICANCE = 0.01


def winners(cells: Sequence[Cell]) -> list[Cell]:
    """
    The cell with the lowest mean loss, and those that are not significantly worse.

    A cell counts as worse if a one-sided paired t-test on common instances says so at 1 %. Cells
    with too few common instances are neither winners nor losers and are left out, because such a
    test would not find anything worse.

    Parameters
    ----------
    cells
        The cells of one market.
    """
    enough = [cell for cell in cells if len(cell.runs) >= FEWEST_INSTANCES]
    if not enough:
        return []
    best = min(enough, key=lambda cell: cell.loss.mean)
    return [cell for cell in enough if cell is best or _is_on_par(best, cell)]


def _is_on_par(best: Cell, other: Cell) -> bool:
    test = best.against(other)
    if test.difference.num < FEWEST_INSTANCES:
        return False
    if test.spread == 0:  # the same difference everywhere: no test is needed
        return test.difference.mean <= 0
    return test.p_larger >= SIGNIFICANCE
