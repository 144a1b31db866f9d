"""Prices of open and reserved seats, by hand."""

import numpy as np

from boca.seats.offer import Offer

# Two courses: two open seats each, and one of the first is reserved for a group.
OFFER = Offer(np.array([[2, 2], [1, 0]]), np.array([0, 0, 1, 1]))


def test_members_pay_less_only_where_seats_are_reserved_for_them():
    """Tests prices below 0, above the open one, and of a course that reserves nothing."""
    cheap = OFFER.settled(np.array([[0.5, 0.5], [0.2, 0.2]]))
    assert cheap.tolist() == [[0.5, 0.5], [0.2, 0.5]]
    dear = OFFER.settled(np.array([[0.5, -0.1], [0.7, -0.2]]))
    assert dear.tolist() == [[0.5, 0.0], [0.5, 0.0]]


def test_members_beyond_their_seats_take_open_ones_at_the_same_price():
    """Tests both members in the first course, of which one seat is theirs."""
    totals = OFFER.totals(np.array([[1], [2], [0], [0]]))
    assert totals.tolist() == [[0, 1], [2, 0]]
    tied = np.array([[0.5, 0.5], [0.5, 0.5]])
    assert OFFER.overflow(totals, tied).tolist() == [[0, 0], [1, 0]]
    apart = np.array([[0.5, 0.5], [0.2, 0.5]])
    assert OFFER.overflow(totals, apart).tolist() == [[0, 0], [0, 0]]
