"""What the machine has to offer."""

import os


def num_processors() -> int:
    """Processors that this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def busyness() -> float:
    """How many processes want each processor of the machine, over the last minute."""
    if not hasattr(os, "getloadavg"):  # Windows does not count them
        return 0.0
    return os.getloadavg()[0] / (os.cpu_count() or 1)
