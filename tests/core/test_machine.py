"""What the machine has to offer."""

import os

from boca.core.machine import busyness, num_processors


def test_only_processors_that_may_be_used_count(monkeypatch):
    """Tests a process that is confined to three processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 5, 6}, raising=False)
    assert num_processors() == 3


def test_systems_without_affinity(monkeypatch):
    """Tests that all processors count where no system call tells, and at least one."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 12)
    assert num_processors() == 12
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert num_processors() == 1


def test_busyness_is_the_last_minute_for_each_processor(monkeypatch):
    """Tests that the machine's processors count, of which this process may have fewer."""
    monkeypatch.setattr(os, "getloadavg", lambda: (6.0, 1.0, 1.0), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert busyness() == 1.5
    monkeypatch.delattr(os, "getloadavg")
    assert busyness() == 0.0
