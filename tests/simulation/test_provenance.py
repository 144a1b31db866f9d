"""Where a run was made."""

import resource
import sys
from types import SimpleNamespace

import pytest

from boca.simulation.provenance import machine, peak_memory_mb, versions


@pytest.mark.parametrize(("system", "peak"), [("linux", 3 * 2**10), ("darwin", 3 * 2**20)])
def test_memory_is_in_megabytes_everywhere(monkeypatch, system, peak):
    """Tests the two units in which systems report it."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(resource, "getrusage", lambda _: SimpleNamespace(ru_maxrss=peak))
    assert peak_memory_mb() == 3


def test_description_and_versions():
    """Tests that a result says what it was made with."""
    assert machine().endswith("cores")
    assert {"boca", "python", "numpy", "jax", "highspy"} <= versions().keys()
