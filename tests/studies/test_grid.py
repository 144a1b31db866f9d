"""Grids: what a file means, and which runs come of it."""

import tomllib

import pytest

from boca.core.errors import InputError
from boca.studies.grid import format_seeds, load_grid, parse_grid, parse_seeds

SMALL = {"name": "small", "seeds": [1, 2], "domains": ["toy"], "mechanisms": ["random"]}


def titles(grid):
    return [spec.title for spec in grid.runs()]


def test_product_goes_seed_by_seed():
    """Tests that a grid that is cut short has all mechanisms on the same first instances."""
    grid = parse_grid(SMALL | {"domains": ["toy", "lsvm"], "mechanisms": ["boca", "random"]})

    assert titles(grid)[:5] == [
        "TOY 1 boca",
        "TOY 1 random",
        "LSVM 1 boca q=0.9",
        "LSVM 1 random",
        "TOY 2 boca",
    ]
    assert len(grid.runs()) == 2 * 2 * 2


def test_what_makes_no_difference_makes_no_run():
    """
    Tests that two quantiles of a mechanism that learns nothing, and a value written out that is
    the default anyway, are one run.
    """
    grid = parse_grid(
        SMALL
        | {"q": [0.6, "best"], "auction": {"num_initial": 40}, "surrogate": {"epochs": [5, 6]}}
    )

    assert titles(grid) == ["TOY 1 random", "TOY 2 random"]


def test_any_parameter_can_vary():
    """Tests that lists under [auction] and [surrogate], also nested ones, multiply the grid."""
    grid = parse_grid(
        SMALL
        | {
            "seeds": 1,
            "domains": "lsvm",
            "mechanisms": "boca",
            "auction": {"num_initial": [10, 20], "stopping": {"patience": 3}},
            "surrogate": {"steps_fraction": [0.1, 0.2], "national": {"epochs": 7}},
        }
    )

    runs = grid.runs()
    assert len(runs) == 4
    params = runs[-1].params()
    assert params.num_initial == 20
    assert params.stopping.patience == 3
    assert params.surrogate_params["national"]["epochs"] == 7
    assert params.surrogate_params["regional"]["epochs"] != 7
    assert params.surrogate_params["regional"]["steps_fraction"] == 0.2


def test_text_gives_the_same_grid():
    """Tests that a stored plan reads back as the grid it was."""
    grid = parse_grid(
        SMALL
        | {
            "q": [0.6, "best"],
            "generic": [True, False],
            "auction": {"proof": ["none", 0.005], "stopping": {"patience": 3}},
            "surrogate": {"epochs": 9, "national": {"epochs": [7, 8]}},
        }
    )

    assert parse_grid(tomllib.loads(grid.to_toml())) == grid


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "unknown key 'seed'; did you mean 'seeds'"),
        ({"seeds": "1-x"}, "expected numbers and ranges"),
        ({"seeds": "5-3"}, "is empty"),
        ({"domains": []}, "no domains"),
        ({"q": "worst"}, "expected numbers, or 'best'"),
        ({"published_start": 1}, "expected true, false"),
        ({"auction": {"num_initial": []}}, "empty"),
        ({"name": "a b"}, "without blanks"),
    ],
)
def test_mistakes_are_named(change, message):
    """Tests that a mistake in a file is said where it was made."""
    with pytest.raises(InputError, match=message):
        parse_grid(SMALL | change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"auction": {"num_inital": 3}}, "did you mean 'num_initial'"),
        ({"auction": {"seed": 3}}, "set it with mechanisms, seeds"),
        ({"surrogate": {"epoch": 3}}, "expected one of .*epochs"),
        ({"surrogate": {"nobody": {"epochs": 3}}}, "expected a bidder type: .*national"),
        ({"surrogate": {"epochs": -3}}, "positive"),
        ({"auction": {"num_initial": {"x": 3}}}, "no settings inside"),
    ],
)
def test_wrong_settings_are_found_before_anything_runs(change, message):
    """Tests that the settings of a run are checked when it is planned."""
    grid = parse_grid(SMALL | {"domains": "lsvm", "mechanisms": "boca"} | change)

    with pytest.raises(InputError, match=message):
        grid.runs()[0].params()


def test_unknown_mechanism():
    """Tests that a misspelt mechanism is an error, not a failed run."""
    with pytest.raises(InputError, match="Unknown mechanism 'bocca'"):
        parse_grid(SMALL | {"mechanisms": "bocca"}).runs()


def test_seeds_as_text():
    """Tests ranges and single numbers, both ways."""
    assert parse_seeds("10001-10003, 7") == (10001, 10002, 10003, 7)
    assert parse_seeds([1, "3-4", 1]) == (1, 3, 4)
    assert format_seeds((10001, 10002, 10003, 7)) == "10001-10003, 7"


def test_only_narrows():
    """Tests that flags replace entries, and leave the rest as it is."""
    grid = parse_grid(SMALL).only(seeds=[5], changes={"num_initial": (3,)})

    assert titles(grid) == ["TOY 5 random num_initial=3"]


def test_market_files_are_found_beside_the_experiment(tmp_path):
    """Tests that an experiment can be started from anywhere."""
    (tmp_path / "fair.toml").touch()
    (tmp_path / "grid.toml").write_text(
        'seeds = 1\ndomains = ["fair.toml", "toy"]\nmechanisms = "random"\n'
    )

    grid = load_grid(tmp_path / "grid.toml")
    assert grid.domains == (str(tmp_path / "fair.toml"), "toy")
    assert grid.name == "grid"


def test_missing_file(tmp_path):
    """Tests that a wrong path is said plainly."""
    with pytest.raises(InputError, match="There is no experiment file"):
        load_grid(tmp_path / "none.toml")
