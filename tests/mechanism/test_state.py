"""Tests of saved states that cannot be used."""

import json

import pytest

from boca.core import InputError
from boca.mechanism import Auction, AuctionState


@pytest.fixture
def saved(market, params, tmp_path):
    auction = Auction.start(market, params)
    auction.ask()
    auction.save(tmp_path / "state.json")
    return tmp_path / "state.json"


def test_a_truncated_file_is_named_with_its_line(saved):
    """Tests that a cut-off file is not mistaken for a state."""
    saved.write_text(saved.read_text()[:200])
    with pytest.raises(InputError, match=r"damaged at line 1.*cut off"):
        AuctionState.load(saved)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    """Tests the message for a wrong path."""
    with pytest.raises(InputError, match="no state file"):
        AuctionState.load(tmp_path / "none.json")


@pytest.mark.parametrize("change", ["reports", "market", "params"])
def test_a_file_with_a_part_missing_is_refused(saved, change):
    """Tests that every part is needed."""
    data = json.loads(saved.read_text())
    del data[change]
    saved.write_text(json.dumps(data))
    with pytest.raises(InputError, match=f"not a boca state.*{change}"):
        AuctionState.load(saved)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null"])
def test_other_json_is_refused(saved, text):
    """Tests JSON that is no state at all."""
    saved.write_text(text)
    with pytest.raises(InputError, match="not a boca state"):
        AuctionState.load(saved)


def test_another_format_is_refused(saved):
    """Tests that a later version's file is not misread."""
    data = json.loads(saved.read_text())
    saved.write_text(json.dumps(data | {"format": 99}))
    with pytest.raises(InputError, match="format 99"):
        AuctionState.load(saved)


def test_a_file_that_cannot_be_written_keeps_the_old_one(saved, market, params):
    """Tests that saving to a folder that is not there says so."""
    with pytest.raises(InputError, match="Cannot write"):
        Auction.start(market, params).save(saved.parent / "missing" / "state.json")
    assert AuctionState.load(saved).market == market
