"""Tests of when a live server is killed."""

import random

from kill_auction import Killer


def test_one_kill_is_kept_for_deciding_every_auction():
    """Tests that earlier phases do not use up what deciding is to be hit with."""
    killer = Killer(kills=3, moments=random.Random(1), num_auctions=1)  # and one under way
    assert killer.may_kill(("a", "planning", 1))
    killer.kills -= 1
    assert not killer.may_kill(("a", "open", 1))
    assert killer.may_kill(("a", "deciding", 3))


def test_a_kill_with_an_aim_waits_for_its_phase():
    """Tests that all kills hit the phase that was asked for, early enough for it to last."""
    killer = Killer(3, random.Random(1), deciding=0.5, aim="deciding")
    assert not killer.may_kill(("a", "planning", 1))
    assert killer.may_kill(("a", "deciding", 3))
    assert killer.longest_wait("deciding") == 0.25
