"""Tests of economies."""

import pytest

from boca.core import Bidder, Economy, Good, InputError, Market

MARKET = Market((Good("hall"),), (Bidder("Ada"), Bidder("Ben"), Bidder("Cleo")))


def test_main_economy_has_everybody():
    """Tests the economy that decides the allocation."""
    main = Economy.main(3)

    assert main.bidders == (0, 1, 2)
    assert main.describe(MARKET) == "main"


def test_marginal_economy_lacks_one():
    """Tests the economies that decide payments."""
    marginal = Economy.without(1, 3)

    assert marginal.bidders == (0, 2)
    assert marginal.describe(MARKET) == "without Ben"
    assert 1 not in marginal
    assert 2 in marginal


def test_bidders_0_and_1_are_not_everybody_in_a_larger_market():
    """Tests that the name depends on the market: with three bidders one is missing."""
    assert Economy((0, 1)).describe(MARKET) == "without Cleo"


def test_other_economies_list_their_bidders():
    """Tests the name of an economy that is neither."""
    assert Economy((2,)).describe(MARKET) == "only Cleo"
    assert Economy(()).describe(MARKET) == "nobody"


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
