"""The table of what values and demands teach, as text."""

from collections.abc import Sequence

from boca.lab.reports.row_table import RowTable
from boca.lab.studies.learning.demand import DemandRow


def cells(row: DemandRow) -> list[str]:
    """One row of the table."""
    r2 = [f"{row.random_r2:.2f}", f"{row.wanted_r2:.2f}"]
    errors = [f"{row.random_mae:.3f}", f"{row.wanted_mae:.3f}"]
    answers = [str(row.num_values), str(row.num_demands)]
    return [row.domain, row.bidder_type or "(none)", *answers, *r2, *errors]


def caption(rows: Sequence[DemandRow]) -> str:
    """How to read the table."""
    counts = sorted({len(row.instances) for row in rows})
    return (
        "R² and mean absolute error, as a share of the full bundle's value, on random bundles and "
        "on bundles that the bidder wants at some prices. "
        f"Means over {' or '.join(map(str, counts))} instances."
    )


DEMAND_TABLE = RowTable(
    title="Learning from values and demands",
    columns=(
        "domain",
        "bidder type",
        "values",
        "demands",
        "R² random",
        "R² wanted",
        "MAE random",
        "MAE wanted",
    ),
    cells=cells,
    caption=caption,
)
