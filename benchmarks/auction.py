"""
Whole auctions with published settings and 100 queries, split into learning, solving and the rest.

Each auction runs in a process of its own, so that its peak memory is its own. The first row of a
machine includes compilation; run the benchmark twice for figures without it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

# Published hours an auction on 20 to 24 cores (BOCA, Tables 3), and our target in minutes on 2.
CASES = {"lsvm": (15.64, 4), "srvm": (18.80, 4), "mrvm": (28.15, 7)}


def measure(domain: str, seed: int = 10001) -> dict:
    """The result of one auction, not stopping early."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "boca", "run", domain, "--seed", str(seed), "--json"]
        command += ["--out", str(Path(folder) / "run")]
        finished = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(finished.stdout)


def main() -> None:
    """Prints one row a domain."""
    table = Table(title="One auction, seed 10001, 40 + 15 x 4 queries per bidder")
    for name in ("domain", "loss %", "total s", "learning s", "solving s", "rest s"):
        table.add_column(name, justify="right")
    for name in ("peak MB", "target s", "published s / ours"):
        table.add_column(name, justify="right")
    for domain, (hours, minutes) in CASES.items():
        result = measure(domain)
        learning, solving = result["learning_seconds"], result["solving_seconds"]
        table.add_row(
            domain,
            f"{100 * result['efficiency_loss']:.2f}",
            f"{result['seconds']:.0f}",
            f"{learning:.0f}",
            f"{solving:.0f}",
            f"{result['seconds'] - learning - solving:.1f}",
            f"{result['peak_memory_mb']:.0f}",
            f"{60 * minutes}",
            f"{3600 * hours / result['seconds']:.0f}",
        )
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
