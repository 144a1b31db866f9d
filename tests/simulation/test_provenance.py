"""Where, when and with what a run was made."""

import platform
import resource
import subprocess
import sys
from types import SimpleNamespace

import pytest

from boca.simulation.provenance import (
    compiler_flags,
    machine,
    peak_memory_mb,
    processor,
    provenance,
    versions,
)


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


def test_processor_is_named(tmp_path, monkeypatch):
    """Tests that a result says which processor its networks were compiled for."""
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nmodel name\t: Some CPU @ 2.20GHz\nflags\t: avx\n")
    assert processor(cpuinfo) == "Some CPU @ 2.20GHz"

    monkeypatch.setattr(platform, "processor", lambda: "")
    assert processor(tmp_path / "none")  # at least the architecture


def test_compiler_flags_are_those_of_the_environment(monkeypatch):
    """Tests that flags which change compiled networks are not forgotten."""
    monkeypatch.setenv("XLA_FLAGS", "--xla_cpu_max_isa=AVX")
    assert compiler_flags() == "--xla_cpu_max_isa=AVX"
    assert provenance()["compiler_flags"] == "--xla_cpu_max_isa=AVX"
    assert provenance()["processor"] == processor()


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
