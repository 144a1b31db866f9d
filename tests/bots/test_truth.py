import pytest

from boca.bots.truth import read_truths
from boca.core.errors import InputError

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
