"""Where a run was made: machine, memory and versions."""

import platform
import resource
import sys
from importlib import metadata

import boca
from boca.core.machine import num_processors

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
    found = {"boca": boca.__version__, "python": platform.python_version()}
    for name in PACKAGES:
        found[name] = metadata.version(name)
    return found
