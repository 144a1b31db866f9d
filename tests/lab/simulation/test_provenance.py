"""Where, when and with what a run was made."""

import resource
import subprocess
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


def test_memory_is_unknown_where_nothing_tells(monkeypatch):
    """Tests Windows without psutil."""
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert peak_memory_mb() is None


def test_memory_on_windows(monkeypatch):
    """Tests Windows with psutil, which reports the peak in bytes."""
    process = SimpleNamespace(memory_info=lambda: SimpleNamespace(peak_wset=5 * 2**20))
    monkeypatch.setitem(sys.modules, "resource", None)
    monkeypatch.setitem(sys.modules, "psutil", SimpleNamespace(Process=lambda: process))
    assert peak_memory_mb() == 5


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


WINDOWS = """
import sys
for name in ("fcntl", "resource", "grp", "pwd", "termios"):
    sys.modules[name] = None
from boca.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "toy", "--mechanism", "random", "--budget", "6", "--initial", "4"],
        [
            *("experiment", "run", "--domains", "toy", "--mechanisms", "random"),
            *("--seeds", "1", "--workers", "1"),
        ],
    ],
)
def test_commands_start_without_the_modules_of_unix(tmp_path, arguments):
    """Tests that what Windows lacks keeps neither a run nor a grid from working."""
    command = [sys.executable, "-c", WINDOWS, *arguments, "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
