"""
Lines that tests reached, room by room: ``make coverage``.

Rooms that decide results are marked with a star; the lines that nobody reached there are listed.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

# Rooms whose mistakes would be wrong allocations, payments or verdicts.
DECIDING = ("payments", "wdp", "queries", "mechanism", "functions", "boca_verify", "seats")
STOREYS = ("lab", "live")


def room_of(path: str) -> str:
    """The room of a source file: a folder of the engine, or of the laboratory or live house."""
    if "src/boca_verify/" in path:
        return "boca_verify"
    parts = Path(path.partition("src/boca/")[2]).parts
    if len(parts) == 1:
        return "(front)"
    return "/".join(parts[:2]) if parts[0] in STOREYS and len(parts) > 2 else parts[0]


def main(report: str) -> None:
    """Prints a table, and what is missing in rooms that decide."""
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    missing = []
    for path, file in json.loads(Path(report).read_text())["files"].items():
        room, summary = room_of(path), file["summary"]
        if not summary["num_statements"]:
            continue
        rooms[room][0] += summary["covered_lines"]
        rooms[room][1] += summary["num_statements"]
        if room in DECIDING and file["missing_lines"]:
            missing.append((path.partition("src/")[2], file["missing_lines"]))
    for room, (covered, lines) in sorted(rooms.items()):
        star = "*" if room in DECIDING else " "
        print(f"{star} {room:18} {covered:6} of {lines:6} lines  {100 * covered / lines:5.1f} %")
    covered, lines = (sum(counts) for counts in zip(*rooms.values(), strict=True))
    print(f"  {'all':18} {covered:6} of {lines:6} lines  {100 * covered / lines:5.1f} %")
    print("\nNot reached in rooms that decide (*):")
    for path, numbers in sorted(missing, key=lambda pair: -len(pair[1])):
        print(f"  {path}: {', '.join(map(str, numbers))}")


if __name__ == "__main__":
    main(sys.argv[1])
