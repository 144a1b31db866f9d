"""What searches choose from, as a table."""

from boca.lab.reports.tuning.ranges import describe_dimension, ranges_table
from boca.surrogates.ranges import Choice, Interval, stored_names, stored_space


def test_dimensions_in_words():
    """Tests every kind of range, with its unit."""
    assert describe_dimension(Interval(0.001, 0.01, log=True)) == "[0.001, 0.01] log"
    assert describe_dimension(Interval(64, 512, step=16)) == "[64, 512] by 16"
    assert describe_dimension(Choice((0.5, 1.0), "reports")) == "{0.5, 1} of the reports"
    assert describe_dimension(Choice((True, False))) == "{yes, no}"
    pairs = ({"hidden_layers": 1, "hidden_units": 96}, {"hidden_layers": 2, "hidden_units": 32})
    text = "{hidden_layers 1, hidden_units 96; hidden_layers 2, hidden_units 32}"
    assert describe_dimension(Choice(pairs)) == text


def test_table_has_all_ranges_and_constants():
    """Tests that a hyperparameter which one space alone has leaves a gap in the others."""
    spaces = {name: stored_space(name) for name in ("lsvm", "joint")}

    rows = {name: cells for name, *cells in ranges_table(spaces).rows}

    assert rows["learning_rate"][0] == "[0.001, 0.01] log"
    assert rows["pi_sqr"][0] == "1"
    for place, space in enumerate(spaces.values()):
        shown = {name for name, cells in rows.items() if cells[place] != "-"}
        assert shown == {*space.dimensions, *space.fixed}


def test_every_file_can_be_shown():
    """Tests all ranges that come with boca at once."""
    spaces = {name: stored_space(name) for name in stored_names()}

    assert len(ranges_table(spaces).header) == 1 + len(spaces) > 5
