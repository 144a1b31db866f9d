import pytest

from boca.live.web.limits import Buckets, Rate, TooManyRequests


class Seconds:
    """A clock that is turned by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_bucket_lets_a_burst_through_then_the_rate():
    """Tests both numbers of a limit, and that the wait that is told is long enough."""
    seconds = Seconds()
    buckets, rate = Buckets(seconds), Rate(per_second=0.5, burst=3)
    for _ in range(3):
        buckets.take("enter", "ann", rate)
    with pytest.raises(TooManyRequests) as refused:
        buckets.take("enter", "ann", rate)

    seconds.now += refused.value.wait
    buckets.take("enter", "ann", rate)
    with pytest.raises(TooManyRequests):
        buckets.take("enter", "ann", rate)


def test_visitors_do_not_share_a_bucket():
    """Tests that one visitor cannot shut another one out."""
    buckets, rate = Buckets(Seconds()), Rate(1, 1)
    buckets.take("enter", "ann", rate)
    buckets.take("enter", "ben", rate)
    buckets.take("requests", "ann", rate)
    with pytest.raises(TooManyRequests):
        buckets.take("enter", "ann", rate)


def test_streams_are_counted_while_they_last():
    """Tests that a closed stream makes room for another."""
    buckets = Buckets(Seconds())
    with buckets.stream("ann", 1), pytest.raises(TooManyRequests):
        buckets.check_streams("ann", 1)
    buckets.check_streams("ann", 1)
    assert not buckets.num_streams
