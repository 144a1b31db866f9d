"""How long to work: what is refused, what is left of the time, and what is told."""

import numpy as np
import pytest

from boca.core import InputError
from boca.payments import effort as module
from boca.payments.effort import Effort, Progress


@pytest.fixture
def clock(monkeypatch):
    """A clock that shows 103 s."""
    monkeypatch.setattr(module, "perf_counter", lambda: 103.0)


def test_what_is_stated_is_what_is_done():
    """Tests the limits that decide who hands over to whom, and hence which tie is found."""
    effort = Effort()
    assert (effort.gap, effort.root_gap) == (0, 1)
    assert (effort.few_nodes, effort.iterations) == (5_000, 500_000)
    assert effort.to_the_end
    assert effort.deadline == np.inf
    quick = Effort.quick(7)
    assert (quick.iterations, quick.to_the_end) == (28_571, False)  # 200,000 / 7
    assert [Effort.quick(num).iterations for num in (0, 1, 2)] == [200_000, 200_000, 100_000]


@pytest.mark.parametrize(
    ("num_bidders", "nodes"),
    [(1, 1_000_000), (12, 1_000_000), (13, 200_000), (48, 200_000), (49, 0), (1000, 0)],
)
def test_many_bidders_are_searched_for_less(num_bidders, nodes):
    assert Effort().nodes_for(num_bidders) == nodes


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(InputError, match="expected a positive number of seconds"):
        Effort(max_seconds=seconds)


@pytest.mark.parametrize("gap", [-1e-9, np.inf, -np.inf, np.nan])
def test_a_gap_that_is_none_is_refused(gap):
    with pytest.raises(InputError, match="expected a share of the surplus"):
        Effort(gap=gap)


def test_small_times_and_gaps_are_taken():
    assert Effort(max_seconds=0.5, gap=0.0, began=100.0).deadline == 100.5
    assert Effort(gap=2.5).gap == 2.5


@pytest.mark.parametrize(
    ("seconds", "share", "until"),
    [(13.0, 0.5, 108.0), (13.0, 0.1, 104.0), (3.0, 0.5, 103.0), (2.0, 0.5, 103.0)],
)
def test_a_share_is_of_the_time_that_is_left(clock, seconds, share, until):
    """Tests efforts that began at 100: of 13 s three are over; of 3 and 2 s nothing is left."""
    effort = Effort(max_seconds=seconds, gap=0.25, began=100.0)
    part = effort.for_share(share)
    assert part.deadline == pytest.approx(until, rel=1e-15)
    assert (part.began, part.gap) == (100.0, 0.25)


def test_a_share_of_no_time_is_a_limit_all_the_same(clock):
    """Tests an effort that begins now, and one without a limit."""
    assert Effort(max_seconds=1e-12, began=103.0).for_share(0.5).max_seconds == 1e-9
    endless = Effort()
    assert endless.for_share(0.5) is endless


def test_progress_is_told_with_the_time_since_the_beginning(clock):
    told = []
    Effort(progress=told.append, began=100.0).tell("main economy", 4.0, 5.0)
    assert told == [Progress("main economy", 4.0, 5.0, 3.0)]
    Effort().tell("main economy", 4.0, 5.0)  # nobody listens


def test_other_units_are_told_in_money(clock):
    """Tests cents; who tells nobody, or in the same unit, needs no other effort."""
    told = []
    effort = Effort(progress=told.append, began=100.0)
    effort.in_units(0.01).tell("x", 400.0, 800.0)
    assert told == [Progress("x", 4.0, 8.0, 3.0)]
    assert effort.in_units(1.0) is effort
    silent = Effort()
    assert silent.in_units(0.01) is silent
