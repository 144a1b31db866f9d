"""Tests of economies."""

import pytest

from boca.core import Economy, InputError


def test_main_economy_has_everybody():
    """Tests the economy that decides the allocation."""
    main = Economy.main(3)

    assert main.bidders == (0, 1, 2)
    assert main.name == "main"
    assert main.left_out is None


def test_marginal_economy_lacks_one():
    """Tests the economies that decide payments."""
    marginal = Economy.without(1, 3)

    assert marginal.bidders == (0, 2)
    assert marginal.name == "without 1"
    assert 1 not in marginal
    assert 2 in marginal


def test_last_bidder_left_out_is_not_main():
    """Tests that bidders 0 and 1 of 3 are named as a marginal economy, not as the main one."""
    assert Economy.without(2, 3).name == "without 2"


def test_other_economies_list_their_bidders():
    """Tests the name of an economy that is neither."""
    assert Economy((1, 3)).name == "bidders 1, 3"


@pytest.mark.parametrize("bidders", [(1, 0), (0, 0)])
def test_bidders_are_listed_once_ascending(bidders):
    """Tests that equal economies have equal lists."""
    with pytest.raises(InputError, match="each once, ascending"):
        Economy(bidders)


@pytest.mark.parametrize("bidder", [-1, 3])
def test_leaving_out_an_unknown_bidder_is_refused(bidder):
    """Tests that a payment is never computed from an economy that still has everybody."""
    with pytest.raises(InputError, match=f"leave out bidder {bidder}"):
        Economy.without(bidder, 3)
