"""
The same arithmetic on every common x86 processor.

Four things choose how to calculate by the processor they find. Each changes the order or the
rounding of sums, and after some hundreds of steps the networks:

1. XLA compiles for the widest instructions there are; we stop at AVX2 with fused multiply-add.
2. oneDNN, which multiplies matrices, has a kernel for each instruction set; we stop at AVX2.
3. YNNPACK, which multiplies them too, cannot be limited; we do without.
4. Products are shared out among the threads of a program; one thread, and four or more, add up in
   another order than two or three. We take two or three, which also costs less time than more.

Variables of the environment that somebody has set are left as they are. With
``BOCA_INSTRUCTIONS=own`` nothing is limited: for a single auction on a machine with many
processors, where three trainings at a time are few.
"""

import os
import platform
import subprocess
import sys
from collections.abc import MutableMapping
from importlib import metadata
from pathlib import Path
from typing import Any

from boca.core.machine import num_processors

INSTRUCTION_SET = "AVX2"
XLA_FLAGS = (f"--xla_cpu_max_isa={INSTRUCTION_SET}", "--xla_cpu_experimental_ynn_fusion_type=")
FEWEST_THREADS, MOST_THREADS = 2, 3

# Instruction sets that make a difference, as Linux calls them.
INSTRUCTION_SETS = ("sse4_2", "avx", "avx2", "fma", "avx512f")


def pin_instructions(environment: MutableMapping[str, str] = os.environ) -> None:
    """
    Limits what later compilations may use; has no effect once JAX has compiled anything.

    Parameters
    ----------
    environment
        Variables that the libraries read; those of this process by default.
    """
    is_x86 = platform.machine().lower() in ("x86_64", "amd64")
    if not is_x86 or environment.get("BOCA_INSTRUCTIONS") == "own":
        return
    flags = environment.get("XLA_FLAGS", "").split()
    names = {flag.partition("=")[0] for flag in flags}
    flags += [flag for flag in XLA_FLAGS if flag.partition("=")[0] not in names]
    environment["XLA_FLAGS"] = " ".join(flags)
    environment.setdefault("ONEDNN_MAX_CPU_ISA", INSTRUCTION_SET)
    num_threads = min(max(FEWEST_THREADS, num_processors()), MOST_THREADS)
    environment.setdefault("PJRT_NPROC", str(num_threads))


def compiler_settings() -> dict[str, Any]:
    """
    What decides the last bits of a training here, as plain values for files of results.

    Two machines with equal ``flags``, ``onednn`` and versions, at most three ``threads`` and the
    instruction sets up to ``avx2`` and ``fma`` are expected to give equal networks.
    """
    environment = dict(os.environ)
    pin_instructions(environment)
    model, features = processor()
    return {
        "cpu": model,
        "instruction_sets": [name for name in INSTRUCTION_SETS if name in features],
        "flags": environment.get("XLA_FLAGS", ""),
        "onednn": environment.get("ONEDNN_MAX_CPU_ISA", ""),
        "threads": environment.get("PJRT_NPROC", ""),
        "jax": metadata.version("jax"),
        "jaxlib": metadata.version("jaxlib"),
    }


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[str, set[str]]:
    """
    The processor's model and its features; only a model, perhaps empty, where Linux is not.

    Parameters
    ----------
    cpuinfo
        Where Linux describes its processors.
    """
    try:
        text = cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _model_elsewhere(), set()
    lines = (line.partition(":") for line in text.splitlines())
    entries = {key.strip(): value.strip() for key, _, value in lines}
    return entries.get("model name", platform.machine()), set(entries.get("flags", "").split())


def _model_elsewhere() -> str:
    """The processor's model on systems without ``/proc/cpuinfo``; at least its architecture."""
    if sys.platform == "darwin":
        command = ["sysctl", "-n", "machdep.cpu.brand_string"]
        model = subprocess.run(command, capture_output=True, text=True).stdout.strip()
        if model:
            return model
    return platform.processor() or platform.machine()
