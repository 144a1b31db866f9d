"""
Course markets assigned, checked and verified: random ones with every feature.

    python benchmarks/assigned_courses.py --markets 10000 --first 20001

Each market is assigned by command and checked from its files; another one of the same seed, without
the columns that allocations in the browser do not have, is decided by the program of the server and
its log is verified. Nothing may object. Ends with 1 if anything did.
"""

import argparse
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from assign_check_verify import objections


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--markets", type=int, default=1000)
    parser.add_argument("--first", type=int, default=20_001)
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(range(options.first, options.first + options.markets)):
            if number and number % 500 == 0:
                print(f"{number} markets so far", file=sys.stderr, flush=True)
            try:
                wrong = objections(seed, Path(folder) / "school")
            except Exception as error:
                last = traceback.extract_tb(error.__traceback__)[-1]
                wrong = [f"crash: {type(error).__name__} {last.name}:{last.lineno} {error}"]
            for text in wrong:
                print(seed, text, flush=True)
                kinds[text.split(":")[0]] += 1
    print(f"{options.markets} markets, {sum(kinds.values())} objections {dict(kinds)}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
