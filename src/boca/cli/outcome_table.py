"""Who gets what and pays what, as a table on the screen."""

from rich.markup import escape
from rich.table import Table

from boca.core.outcome import Outcome
from boca.core.wording import amount


def outcome_table(outcome: Outcome) -> Table:
    """One row per bidder: bundle, reported value, payment, utility."""
    table = Table(title="Outcome", title_justify="left")
    table.add_column("bidder")
    headers = ("gets", "value", "pays", "utility")
    if outcome.is_purchase:
        headers = ("supplies", "cost", "is paid", "profit")
    elif outcome.before is not None:
        headers = ("holds", "value", "pays", "gains")
    table.add_column(headers[0], overflow="fold", max_width=48)
    for name in headers[1:]:
        table.add_column(name, justify="right")
    for row in outcome.rows():
        numbers = (amount(row[name]) for name in ("value", "payment", "utility"))
        table.add_row(escape(row["bidder"]), escape(row["bundle"]), *numbers)
    return table
