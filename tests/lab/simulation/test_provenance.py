"""Where, when and with what a run was made."""

import resource
import sys
from types import SimpleNamespace

import pytest

from boca.lab.simulation.provenance import machine, peak_memory_mb, provenance, versions


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


def test_compiler_and_processor_are_recorded(monkeypatch):
    """Tests that what changes compiled networks is not forgotten."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_max_isa=AVX")
    origin = provenance()
    assert "--xla_cpu_max_isa=AVX" in origin["compiler_flags"].split()
    assert origin["processor"]
    assert {"onednn", "threads", "instruction_sets"} <= origin["compiler"].keys()
