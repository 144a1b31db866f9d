"""The table of how often upper bounds lie below means, as text."""

from collections.abc import Sequence

from boca.lab.reports.row_table import RowTable
from boca.lab.studies.learning.order import OrderRow


def cells(row: OrderRow) -> list[str]:
    """One row of the table."""
    shares = [f"{100 * share:.1f} %" for share in (row.half_full, row.any_density, row.shortfall)]
    return [row.domain, row.bidder_type or "(none)", f"{row.q:g}", row.artificial, *shares]


def caption(rows: Sequence[OrderRow]) -> str:
    """How to read the table."""
    counts = sorted({len(row.instances) for row in rows})
    return (
        "Share of random bundles on which the upper bound lies below the mean: of those that hold "
        "every copy with probability 1/2, and of those whose density is uniform between 0 and 1; "
        "and by how much on the latter, where it does, as a share of the largest training value. "
        f"Means over {' or '.join(map(str, counts))} instances."
    )


ORDER_TABLE = RowTable(
    title="Upper bounds below the mean",
    columns=(
        "domain",
        "bidder type",
        "q",
        "artificial points",
        "half-full bundles",
        "any density",
        "mean shortfall",
    ),
    cells=cells,
    caption=caption,
)
