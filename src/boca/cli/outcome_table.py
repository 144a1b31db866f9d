"""Who gets what and pays what, as a table on the screen."""

from rich.markup import escape
from rich.table import Table

from boca.core.outcome import Outcome
from boca.core.wording import amount


def outcome_table(outcome: Outcome) -> Table:
    """One row per bidder: bundle, reported value, payment, utility."""
    table = Table(title="Outcome", title_justify="left")
    table.add_column("bidder")
    table.add_column("gets", overflow="fold", max_width=48)
    for name in ("value", "pays", "utility"):
        table.add_column(name, justify="right")
    for row in outcome.rows():
        numbers = (amount(row[name]) for name in ("value", "payment", "utility"))
        table.add_row(escape(row["bidder"]), escape(row["bundle"]), *numbers)
    return table
