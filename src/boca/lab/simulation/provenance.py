"""Where, when and with what a run was made: machine, memory, versions, time."""

import platform
import resource
import sys
import time
from importlib import metadata
from typing import Any

import boca
from boca.core.machine import num_processors
from boca.surrogates.compiled.instructions import compiler_settings

# Packages that the numbers of an auction depend on.
PACKAGES = ("numpy", "jax", "jaxlib", "optax", "highspy")


def machine() -> str:
    """A description of the machine in a few words."""
    return f"{platform.system()} {platform.machine()}, {num_processors()} cores"


def peak_memory_mb() -> float:
    """The most memory that this process has had."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10  # bytes there, KiB elsewhere


def versions() -> dict[str, str]:
    """Versions of boca, Python and the packages that numbers depend on."""
    packages = {name: metadata.version(name) for name in PACKAGES}
    return {"boca": boca.__version__, "python": platform.python_version(), **packages}


def provenance() -> dict[str, Any]:
    """What every result file says about its origin."""
    compiler = compiler_settings()
    return {
        "versions": versions(),
        "machine": machine(),
        "processor": compiler["cpu"],
        "compiler_flags": compiler["flags"],
        "compiler": compiler,
    }


def timestamp() -> str:
    """The time now in UTC, as text that sorts."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
