"""Which market a run is about, and its name in tables."""

import pytest
from fake_runs import make_result, make_spec

from boca.lab.reports.csv_rows import summary_rows
from boca.lab.reports.figures.regret import regret_curves
from boca.lab.reports.layouts import loss_table
from boca.lab.reports.market_labels import label_markets
from boca.lab.reports.results import collect
from boca.lab.studies.market_hash import market_hash
from boca.lab.studies.run_spec import RunSpec, Setting

RANDOM = Setting("random")


@pytest.mark.parametrize(
    ("paths", "labels"),
    [
        ({"LSVM": "lsvm"}, ["LSVM"]),
        ({"a1": "north/fair.toml", "b2": "south/market.toml"}, ["fair", "market"]),
        (
            {"a": "x/north/market.toml", "b": "x/south/market.toml"},
            ["north/market", "south/market"],
        ),
        ({"a": "x/y/market.toml", "b": "z/y/market.toml"}, ["x/y/market", "z/y/market"]),
        ({"a": "y/market.toml", "b": "market.toml"}, ["y/market", "market"]),
        ({"abcdefg": "m.toml", "b2cdefg": "m.toml"}, ["m (abcdef)", "m (b2cdef)"]),
        ({"a1": "lsvm.toml", "LSVM": "lsvm"}, ["lsvm.toml", "LSVM"]),
        ({"a1": "LSVM.toml"}, ["LSVM.toml"]),  # must not be compared with published LSVM runs
    ],
)
def test_labels_are_short_and_different(paths, labels):
    """Tests that a name has as much of its folder as tells it from others."""
    assert list(label_markets(paths).values()) == labels


def file_result(path, loss, **more):
    """A finished run of a market file, which need not exist."""
    spec = RunSpec(str(path), 1, RANDOM)
    data = make_result(make_spec("toy", 1), loss, **more)
    return spec, data | {"spec": spec.to_dict()}


def test_two_files_of_one_name_are_two_rows():
    """Tests that no run vanishes from the table, the CSV or the plot."""
    stored = [
        file_result("north/market.toml", 3, market_hash="a")[1],
        file_result("south/market.toml", 5, market_hash="b")[1],
    ]
    results = collect(stored)

    assert results.num_replaced == 0
    assert results.domains == ["north/market", "south/market"]
    assert [row[2] for row in loss_table(results).rows] == ["3.00 (1)", "5.00 (1)"]
    assert [row["loss"] for row in summary_rows(results)] == [pytest.approx(3), pytest.approx(5)]
    assert list(regret_curves(results)) == results.domains


def test_two_files_of_one_name_are_two_rows_in_old_runs_too():
    """Tests runs that do not say what was in their market file: the path tells them apart."""
    paths = ("north/market.toml", "south/market.toml")
    stored = [file_result(path, 3)[1] for path in paths]

    assert len(collect(stored, [RunSpec(path, 1, RANDOM) for path in paths]).cells) == 2


def test_changed_file_is_another_market():
    """Tests that runs before and after an edit of the market are not mixed into one mean."""
    stored = [
        file_result("market.toml", 3, market_hash="a1")[1],
        file_result("market.toml", 5, market_hash="b2")[1],
    ]

    losses = [cell.loss.mean for cell in collect(stored).cells]
    assert losses == [pytest.approx(3), pytest.approx(5)]


def test_planned_runs_find_their_market(tmp_path):
    """Tests that plans and results meet while the file is there, and after it is gone."""
    file = tmp_path / "market.toml"
    file.write_text("anything")
    spec, data = file_result(file, 3, market_hash=market_hash(str(file)))
    planned = [spec, RunSpec(str(file), 2, RANDOM)]

    for _ in ("there", "gone"):
        (cell,) = collect([data], planned).cells
        assert (len(cell.runs), cell.num_planned) == (1, 2)
        file.unlink(missing_ok=True)
