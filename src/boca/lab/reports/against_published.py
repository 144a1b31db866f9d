"""Our mean loss in a cell and the published one: the same, or not?"""

import math
from dataclasses import dataclass

from boca.lab.reports.cell import Cell
from boca.lab.reports.published import Published, published_instances
from boca.lab.reports.statistics import FEWEST_INSTANCES, Mean, compare_intervals, paired, unpaired


@dataclass(frozen=True)
class AgainstPublished:
    """
    How our mean loss compares with a published one.

    Parameters
    ----------
    verdict
        Where our confidence interval lies: ``overlaps``, ``above``, ``below`` or ``too few
        instances``.
    difference
        Our mean minus the published one, in points; on common instances where the test is paired.
    p
        Two-sided p-value of a t-test that the means are the same; None where there is no test.
    is_paired
        Whether the test is paired, which takes the published losses of single instances.
    """

    verdict: str
    difference: float
    p: float | None
    is_paired: bool


def compare_with_published(cell: Cell, published: Published) -> AgainstPublished:
    """
    Compares our mean loss with a published one.

    Parameters
    ----------
    cell
        Our runs.
    published
        What was published about the same setting.
    """
    verdict = compare_intervals(cell.loss, published.loss)
    single = published_instances(cell.domain, cell.setting)
    seeds = sorted(single.keys() & cell.runs.keys())
    if len(seeds) >= FEWEST_INSTANCES:
        test = paired([single[s] for s in seeds], [cell.runs[s].loss for s in seeds])
        return AgainstPublished(
            verdict, test.difference.mean, _number(test.p_differs), is_paired=True
        )
    difference = cell.loss.mean - published.loss[0]
    if len(cell.runs) < FEWEST_INSTANCES:
        return AgainstPublished(verdict, difference, None, is_paired=False)
    theirs = Mean(*published.loss, published.num_instances)
    return AgainstPublished(
        verdict, difference, _number(unpaired(theirs, cell.loss)), is_paired=False
    )


def _number(p: float) -> float | None:
    return None if math.isnan(p) else p
