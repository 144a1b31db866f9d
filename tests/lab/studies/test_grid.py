"""Grids: what a file means, and which runs come of it."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boca.core.errors import InputError
from boca.lab.studies.grid import TOP_KEYS, check_settings, load_grid, parse_grid

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
    assert params.phase("first").num_queries == 20
    assert params.stopping.patience == 3
    networks = params.phase("acquisition").surrogate.params
    assert networks["national"].epochs == 7
    assert networks["regional"].epochs != 7
    assert networks["regional"].steps_fraction == 0.2


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
        ({"q": "worst"}, "or 'best'"),
        ({"published_start": 1}, "expected true, false"),
        ({"auction": {"num_initial": []}}, "a list of values to try"),
        ({"name": "a b"}, "without blanks"),
        ({"name": "x" * 500}, "at most 150 letters"),
        ({"name": ".."}, "without blanks"),
        ({"name": 5}, "name = 5; expected text"),
        ({"auction": 5}, r"auction = 5; expected a table of settings, such as \[auction\]"),
        ({"surrogate": {"national": [{"a": 1}]}}, "expected a number, a text"),
        ({"domains": [["toy"]]}, "expected text"),
        ({"q": 7}, "between 0 and 1"),
        ({"seeds": "0-99999999"}, "more than 100,000"),
        ({"seeds": "0-49999", "q": [0.6, 0.75, 0.9]}, "150,000 combinations"),
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
        ({"surrogate": {"epoch": 3}}, "did you mean 'epochs'"),
        ({"surrogate": {"nobody": {"epochs": 3}}}, "expected a bidder type: .*national"),
        ({"surrogate": {"epochs": -3}}, "positive"),
        ({"auction": {"num_initial": {"x": 3}}}, "no phase 'num_initial'"),
    ],
)
def test_wrong_settings_are_found_before_anything_runs(change, message):
    """Tests that the settings of a run are checked when it is planned."""
    grid = parse_grid(SMALL | {"domains": "lsvm", "mechanisms": "boca"} | change)

    with pytest.raises(InputError, match=message):
        grid.runs()[0].params()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"num_inital": 3},
            "my.toml, table [auction]: unknown setting 'num_inital'; did you mean ",
        ),
        (
            {"stopping": {"patiense": 3}},
            "my.toml, table [auction.stopping]: unknown setting 'patiense'; did you mean 'patien",
        ),
    ],
)
def test_unknown_settings_are_found_in_their_file(settings, message):
    """Tests that the message names the file and the table, where there may be several."""
    with pytest.raises(InputError, match=re.escape(message)):
        check_settings(parse_grid(SMALL | {"auction": settings}), "my.toml")


def test_settings_that_exist_pass():
    """Tests fields, fields of fields, phases and surrogates, which only a mechanism knows."""
    auction = {"num_initial": 3, "stopping": {"patience": 3}, "acquisition": {"num_per_round": 2}}
    check_settings(parse_grid(SMALL | {"auction": auction, "surrogate": {"epochs": 3}}), "my.toml")


def test_unknown_mechanism():
    """Tests that a misspelt mechanism is an error, not a failed run."""
    with pytest.raises(InputError, match="Unknown mechanism 'bocca'"):
        parse_grid(SMALL | {"mechanisms": "bocca"}).runs()


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


def test_text_of_the_wrong_kind_in_a_setting():
    """Tests that a word where a number belongs is one sentence, whatever it is compared with."""
    grid = parse_grid(
        SMALL | {"domains": "lsvm", "mechanisms": "boca", "surrogate": {"epochs": "x"}}
    )

    with pytest.raises(InputError, match=r"epochs = 'x'; expected a whole number"):
        grid.runs()[0].params()


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(TOP_KEYS), ANYTHING)
def test_any_value_is_a_grid_or_one_sentence(key, value):
    """Tests that no content of a file leads to anything but a grid or a short message."""
    message = ""
    try:
        parse_grid(SMALL | {key: value})
    except InputError as error:
        message = str(error)
    assert "\n" not in message
    assert len(message) < 500


@pytest.mark.parametrize(
    "text",
    [
        "seeds = " + "[" * 100_000,
        "seeds = " + "9" * 5000,
        "a" + ".a" * 50_000 + " = 1",
        "seeds = \x00",
        "[" * 5000 + "]" * 5000,
        "#" * 2_000_000,
    ],
    ids=["deep list", "5000 digits", "dotted name", "null byte", "deep table", "large"],
)
def test_hostile_files_get_one_sentence(tmp_path, text):
    """Tests that files made to break a reader do not."""
    file = tmp_path / "grid.toml"
    file.write_text(text)

    with pytest.raises(InputError, match=r"grid\.toml") as error:
        load_grid(file)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 500


def test_hyperparameters_of_one_mechanism():
    """Tests that a mechanism's own table comes before the one for all, and stays its own."""
    data = {
        "name": "x",
        "seeds": [20001],
        "domains": ["mrvm"],
        "mechanisms": ["boca", "mvnn", "random"],
        "surrogate": {
            "epochs": 7,
            "local": {"hidden_units": 5},
            "boca": {"epochs": [8, 9], "national": {"hidden_units": 6}},
        },
    }
    grid = parse_grid(data)
    check_settings(grid, "x.toml")
    shared = ("surrogate.local.hidden_units", 5)
    assert [(run.setting.mechanism, set(run.setting.changes)) for run in grid.runs()] == [
        ("boca", {shared, ("surrogate.epochs", n), ("surrogate.national.hidden_units", 6)})
        for n in (8, 9)
    ] + [("mvnn", {shared, ("surrogate.epochs", 7)}), ("random", set())]
    assert {run.params().to_dict()["mechanism"] for run in grid.runs()} == set(data["mechanisms"])
    assert parse_grid(tomllib.loads(grid.to_toml())).runs() == grid.runs()

    data["mechanisms"] = ["mvnn"]
    with pytest.raises(InputError, match=r"x.toml has the table \[surrogate.boca\], but the mech"):
        check_settings(parse_grid(data), "x.toml")
