"""Winners as a file, and what takes them."""

from dataclasses import replace

import pytest
from tuning_parts import quick_setup

from boca.core.errors import InputError
from boca.lab.domains import load_domain
from boca.lab.simulation.mechanisms import mechanism_params
from boca.lab.studies.tuning.tuned_file import (
    auction_from_file,
    check_tuned,
    params_from_file,
    read_tuned,
    write_tuned,
)
from boca.lab.studies.tuning.winners import Winner
from boca.surrogates import MvnnParams, published
from boca.surrogates.ranges import usual_space

MARKET = load_domain("lsvm", seed=1).market
PAPER = quick_setup(space=usual_space("mvnn", MARKET, "lsvm"), criterion="paper")
NARROW, WIDE = MvnnParams(hidden_units=7), MvnnParams(hidden_units=77)


@pytest.fixture
def file(tmp_path):
    """Winners of national bidders for two quantiles."""
    winners = {
        target: Winner(target, 3, params, {1: 2.0}, 2.0)
        for target, params in (("0.75", NARROW), ("0.9", WIDE))
    }
    path = tmp_path / "tuned.toml"
    write_tuned(path, [(PAPER, winners)], {"national": 9})
    return path


def test_winners_replace_one_type_and_leave_the_other(file):
    """Tests that a file of national winners says nothing about regional bidders."""
    params = params_from_file(file, published("lsvm", 0.9), q=0.75)

    assert params == {"national": NARROW, "regional": published("lsvm", 0.9)["regional"]}


def test_types_that_were_tuned_before_stay(file):
    """Tests one search after another into the same file, and that nothing is overwritten."""
    winner = Winner("0.9", 1, NARROW, {1: 2.0}, 2.0)
    write_tuned(file, [(replace(PAPER, bidder_type="regional"), {"0.9": winner})], {"regional": 5})
    assert read_tuned(file).of(0.9) == {"national": WIDE, "regional": NARROW}

    before = file.read_bytes()
    other = replace(PAPER, criterion="mae", bidder_type="regional")
    with pytest.raises(InputError, match="criterion = 'paper', not 'mae'"):
        write_tuned(file, [(other, {"all": replace(winner, target="all")})], {"regional": 5})
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", ["epochs = 7\n", "tuned = ["])
def test_files_of_people_are_not_overwritten(tmp_path, text):
    """Tests that a search which could not add its winners is refused beforehand."""
    path = tmp_path / "tuned.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"was not made by a search|is not TOML"):
        check_tuned(path, PAPER)


def test_quantile_that_is_taken(file):
    """Tests that without a wish the best known quantile wins, then 0.9."""
    tuned = read_tuned(file)

    assert tuned.of(None, best=0.75) == {"national": NARROW}
    assert tuned.of(None) == {"national": WIDE}
    with pytest.raises(InputError, match=r"winners for 0\.75, 0\.9 only"):
        tuned.of(0.6)


def test_auction_takes_winners(file):
    """Tests that the networks of a mechanism get them."""
    auction = auction_from_file(file, mechanism_params("boca", MARKET, tuned="lsvm"), q=0.9)

    assert auction.phase("acquisition").surrogate.params["national"] == WIDE


def test_auction_takes_single_values_too(tmp_path):
    """Tests a file that somebody wrote by hand."""
    path = tmp_path / "mine.toml"
    path.write_text("epochs = 7\n[national]\nhidden_units = 9\n")
    auction = auction_from_file(path, mechanism_params("boca", MARKET, tuned="lsvm"))
    params = auction.phase("acquisition").surrogate.params

    assert (params["national"].epochs, params["national"].hidden_units) == (7, 9)
    assert params["regional"].epochs == 7


def test_mechanism_that_cannot_use_a_file(file):
    """Tests that nothing is silently ignored."""
    with pytest.raises(InputError, match="learns nothing"):
        auction_from_file(file, mechanism_params("random", MARKET))
    with pytest.raises(InputError, match="about the surrogate 'mvnn'; expected 'svr'"):
        auction_from_file(file, mechanism_params("svr", MARKET))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tuned]\n", "expected surrogate"),
        ('[tuned]\nsurrogate = "mvnn"\n', "Expected a table \\[winners\\]"),
        ('[tuned]\nsurrogate = "mvnn"\n[winners]\nx = 3\n', "expected tables by type"),
        ('[tuned]\nsurrogate = "mvnn"\n[winners.all]\nx = 3\n', "expected a table"),
        ('[tuned]\nsurrogate = "mvnn"\n[winners.all.x]\nhiden = 3\n', "cannot be used"),
        ('[tuned]\nsurrogate = "nets"\n[winners.all.x]\n', "nets"),
        ("[tuned]\n[winer]\n", "did you mean 'winners'"),
        ("tuned = [", "is not TOML"),
    ],
)
def test_damaged_files(tmp_path, text, words):
    """Tests that a file which somebody has edited is refused in one line."""
    path = tmp_path / "tuned.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=f"(?i){words}") as caught:
        read_tuned(path)

    assert "\n" not in str(caught.value).replace(f"'{path}'", "")


def test_type_of_another_market(file):
    """Tests that winners of a type which a market does not have are refused."""
    with pytest.raises(InputError, match="'national', which this market does not have"):
        params_from_file(file, {"local": NARROW})
