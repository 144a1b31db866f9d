"""
Prints every benchmark, one after another: ``make bench``.

``python benchmarks/run.py wdp training`` runs the named ones only.
"""

import importlib
import sys
from pathlib import Path

NAMES = ("domains", "wdp", "training", "auction")


def main(names: list[str]) -> None:
    """Runs the named benchmarks, or all."""
    sys.path.insert(0, str(Path(__file__).parent))
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        sys.exit(f"error: no benchmark '{unknown[0]}'; there are {', '.join(NAMES)}.")
    for name in names or NAMES:
        print(f"\n=== {name} ===", flush=True)
        sys.argv = [name]  # a benchmark's own options keep their defaults
        importlib.import_module(name).main()


if __name__ == "__main__":
    main(sys.argv[1:])
