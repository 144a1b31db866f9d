"""What searches choose from, as a table: the paper's Table 2 and the like."""

from collections.abc import Mapping

from boca.lab.reports.text_table import NOTHING, TextTable
from boca.surrogates.ranges import Interval, Space
from boca.surrogates.ranges.dimension import Dimension, Scalar

# What follows a number that a network does not get as it is.
UNITS = {"": "", "reports": " of the reports", "batch share": " with whole batches"}


def ranges_table(spaces: Mapping[str, Space]) -> TextTable:
    """
    A row for each hyperparameter, a column for each space.

    Parameters
    ----------
    spaces
        Spaces by the name of their column.
    """
    dimensions = {name: None for space in spaces.values() for name in space.dimensions}
    constants = {name: None for space in spaces.values() for name in space.fixed}
    rows = [
        (name, *(_cell(space, name) for space in spaces.values()))
        for name in dimensions | constants
    ]
    notes = (
        "[a, b]: any number between them; log: with evenly spread logarithms; by c: in steps of c.",
        "{a, b}: one of them. A single value is not searched.",
    )
    header = ("hyperparameter", *spaces)
    return TextTable("Ranges of hyperparameters", header, tuple(rows), len(header), notes)


def _cell(space: Space, name: str) -> str:
    """What a space says about a hyperparameter."""
    if name in space.dimensions:
        return describe_dimension(space.dimensions[name])
    return _text(space.fixed[name]) if name in space.fixed else NOTHING


def describe_dimension(dimension: Dimension) -> str:
    """A dimension in a few words."""
    if isinstance(dimension, Interval):
        text = f"[{_text(dimension.low)}, {_text(dimension.high)}]"
        text += " log" if dimension.log else ""
        text += f" by {_text(dimension.step)}" if dimension.step is not None else ""
    else:
        separator = "; " if any(isinstance(v, Mapping) for v in dimension.values) else ", "
        text = f"{{{separator.join(map(_text, dimension.labels))}}}"
    return text + UNITS[dimension.unit]


def _text(value: Scalar) -> str:
    """A value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
