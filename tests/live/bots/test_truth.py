import pytest

from boca.core.errors import InputError
from boca.live.bots.truth import read_truths

MARKET = """
[[goods]]
name = "hall"
[[goods]]
name = "chairs"
capacity = 3
[[bidders]]
name = "Ann"
values = { hall = 10.35, chairs = 0.1 }
[[bidders]]
name = "Ben"
bids = "bids.csv"
[auction]
mechanism = "random"
"""


@pytest.fixture
def truths(tmp_path):
    (tmp_path / "bids.csv").write_text("bidder,value,hall,chairs\nBen,7.999,1,\n")
    (tmp_path / "market.toml").write_text(MARKET)
    return read_truths(tmp_path / "market.toml")


def test_values_are_whole_multiples_of_the_unit(truths):
    """Tests that binary fractions do not lose a cent, and that nothing is rounded up."""
    assert truths["Ann"].value({"chairs": 3}, "0.01") == "0.30"
    assert truths["Ann"].value({"hall": 1, "chairs": 1}, "0.01") == "10.45"
    assert truths["Ann"].value({"hall": 1}, "5") == "10"
    assert truths["Ben"].value({"hall": 1}, "0.01") == "7.99"
    assert truths["Ben"].value({}, "0.01") == "0.00"


def test_rules_of_the_auction_are_left_aside(truths):
    """Tests that one file serves the auctioneer and the bots."""
    assert list(truths) == ["Ann", "Ben"]


def test_file_that_is_not_toml_is_told(tmp_path):
    """Tests a mistake in the file."""
    (tmp_path / "market.toml").write_text("hall")
    with pytest.raises(InputError, match="not valid TOML"):
        read_truths(tmp_path / "market.toml")


def test_bidders_without_values_are_people(tmp_path):
    """Tests a market in which bots and people mix: only those with values are bots."""
    text = MARKET.replace('bids = "bids.csv"', "")
    (tmp_path / "market.toml").write_text(text)
    assert list(read_truths(tmp_path / "market.toml")) == ["Ann"]


def test_mistake_names_the_file_that_was_given(tmp_path):
    """Tests a file in which nobody has values: its name is told, not that of a copy."""
    text = MARKET.replace('bids = "bids.csv"', "").replace("values = {", "# {")
    path = tmp_path / "market.toml"
    path.write_text(text)
    with pytest.raises(InputError, match="found neither 'bids' nor 'values'") as told:
        read_truths(path)
    assert str(told.value).startswith(str(path))
