"""
The activity rule of auctions with points: whoever chooses less now cannot choose more later.

A bidder's *eligibility* in a round is how many points a bundle that it chooses at announced prices
may have. At the first prices it is what the rules say. Later it is the largest number of points
that the bidder chose in the last round with prices for it; a question that it declined or did not
answer counts as choosing nothing. All questions of one round have the same eligibility.
"""

from collections.abc import Iterable, Sequence

from boca.live.auction.events import Bundle


def count_points(bundle: Iterable[int], points: Iterable[int]) -> int:
    """The points of a bundle."""
    return sum(n * number for n, number in zip(bundle, points, strict=True))


def eligibility(
    points: Sequence[int],
    first: int,
    chosen: Iterable[tuple[int, Bundle | None]],
    round_number: int,
) -> int:
    """
    How many points a bidder may choose in a round.

    Parameters
    ----------
    points
        Of one copy of each good.
    first
        What it may choose at the first prices.
    chosen
        Round and choice of each question with prices that it was asked; None for no choice.
    round_number
        The round; what was said in it does not matter.
    """
    before = [(asked_in, bundle) for asked_in, bundle in chosen if asked_in < round_number]
    if not before:
        return first
    last = max(asked_in for asked_in, _ in before)
    return max(
        count_points(bundle, points) if bundle else 0
        for asked_in, bundle in before
        if asked_in == last
    )
