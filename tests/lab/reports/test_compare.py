"""Comparisons of two experiments, on numbers that a test chose."""

import pytest
from fake_runs import make_result, make_spec

from boca.core.errors import InputError
from boca.lab.reports.compare import compare, comparison_table, open_side
from boca.lab.studies.store import Store


def make_folder(path, losses):
    """A folder with runs of LSVM: losses by mechanism and seed."""
    store = Store(path)
    store.create()
    for (mechanism, seed), loss in losses.items():
        spec = make_spec("lsvm", seed, mechanism)
        store.save(spec.key, make_result(spec, loss))
    return str(path)


@pytest.fixture
def folder(tmp_path):
    losses = {("boca", seed): 1.0 + seed for seed in range(4)}
    losses |= {("random", seed): 30.0 + 2 * seed for seed in range(1, 4)}
    return make_folder(tmp_path / "one", losses)


def test_two_mechanisms_of_one_folder(folder):
    """Tests the paired difference on the three instances that both have."""
    found = compare(open_side(f"{folder}@boca"), open_side(f"{folder}@random"))

    loss = found[0]
    assert (loss.domain, loss.measure) == ("LSVM", "loss, points")
    assert loss.test.difference.num == 3
    assert loss.test.difference.mean == pytest.approx(31)  # 29 + seed
    assert loss.test.spread == pytest.approx(1)
    assert loss.first_mean == pytest.approx(3)
    assert loss.second_mean == pytest.approx(34)
    assert loss.verdict == "second is larger"
    assert [item.verdict for item in found[1:]] == ["no difference"] * 2  # revenue and time


def test_same_settings_of_two_folders(tmp_path, folder):
    """Tests that two states of the code are compared mechanism by mechanism."""
    losses = {("boca", seed): 1.1 + seed - 0.4 * (seed % 2) for seed in range(4)}
    other = make_folder(tmp_path / "two", losses | {("random", 1): 30.0})

    found = compare(open_side(folder), open_side(other))
    assert [(item.first, item.second) for item in found[::3]] == [
        ("boca q=0.9", "boca q=0.9"),
        ("random", "random"),
    ]
    boca, random = found[0], found[3]
    assert boca.test.difference.mean == pytest.approx(-0.1)
    assert boca.verdict == "not called"
    assert boca.test.num_needed == 44  # (1.96 + 0.84)^2 (0.231 / 0.1)^2 and 2 for Student's t
    assert random.verdict == "too few common instances"


def test_table(folder):
    """Tests what is shown, numbers before words."""
    table = comparison_table(compare(open_side(f"{folder}@boca"), open_side(f"{folder}@random")))

    assert table.rows[0] == (
        "LSVM",
        "boca q=0.9 → random",
        "loss, points",
        "3",
        "3.00",
        "34.00",
        "+31.00 ± 2.48",  # t_{0.975, 2} / sqrt(3)
        "0.0003",  # t = 31 sqrt(3), two degrees of freedom
        "2",
        "second is larger",
    )


def test_unknown_column(folder):
    """Tests that a misspelt mechanism is answered with those there are."""
    with pytest.raises(InputError, match="no column 'mvnn'; expected one of: boca, random"):
        open_side(f"{folder}@mvnn")


def test_nothing_in_common(tmp_path, folder):
    """Tests that folders that cannot be compared are said to be so."""
    other = make_folder(tmp_path / "two", {("boca", 77): 1.0})

    with pytest.raises(InputError, match="no setting and instance in common"):
        compare(open_side(folder), open_side(other))


def test_empty_folder(tmp_path):
    """Tests a grid that has only just started."""
    Store(tmp_path / "new").create()

    with pytest.raises(InputError, match="finished yet"):
        open_side(str(tmp_path / "new"))
