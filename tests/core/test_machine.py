"""What the machine has to offer."""

import os

from boca.core.machine import num_processors


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
