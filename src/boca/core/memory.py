"""How much memory there is."""

import os
from pathlib import Path


def available_gigabytes(root: Path = Path("/")) -> float:
    """
    Memory that is free, within the limits of this process's control group.

    Parameters
    ----------
    root
        Where ``proc`` and ``sys`` are.
    """
    amounts = [_free_memory(root / "proc/meminfo"), *_group_limits(root)]
    known = [amount for amount in amounts if amount is not None]
    if known:
        return max(0.0, min(known)) / 1e9
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9  # macOS


def _free_memory(file: Path) -> float | None:
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    values = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024.0 * int(values[0]) if values else None


def _group_limits(root: Path) -> list[float | None]:
    """Room left in the control group, of either version; None where there is no limit."""
    places = (
        ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
        (
            "sys/fs/cgroup/memory/memory.limit_in_bytes",
            "sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    )
    amounts: list[float | None] = []
    for limit, usage in places:
        try:
            amounts.append(float(int((root / limit).read_text()) - int((root / usage).read_text())))
        except (OSError, ValueError):  # not there, or "max"
            amounts.append(None)
    return amounts
