"""When courses meet, such as ``Mon 9-11; Wed 9:30-10:45``, and which of them overlap."""

import re
from collections.abc import Sequence

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
SLOT = re.compile(
    r"([A-Za-z]{2,9})\.?\s+(\d{1,2})(?:[:.](\d{2}))?\s*[-–]\s*(\d{1,2})(?:[:.](\d{2}))?"  # noqa: RUF001
)

Slot = tuple[int, int, int]  # day, first and last minute


def parse_slots(text: str) -> tuple[Slot, ...]:
    """
    The meetings in a text, separated by semicolons.

    Raises ValueError with what was found and expected.
    """
    return tuple(_slot(part.strip()) for part in text.split(";") if part.strip())


def _slot(text: str) -> Slot:
    match = SLOT.fullmatch(text)
    day = next(
        (d for d, name in enumerate(DAYS) if match and match[1].lower().startswith(name.lower())),
        None,
    )
    if match is None or day is None:
        raise ValueError(f"found '{text[:60]}'; expected a day and hours, such as Mon 9-11")
    start = 60 * int(match[2]) + int(match[3] or 0)
    end = 60 * int(match[4]) + int(match[5] or 0)
    if not 0 <= start < end <= 24 * 60:
        raise ValueError(f"found '{text[:60]}'; expected an end after the beginning, before 24")
    return day, start, end


def overlapping(meetings: Sequence[Sequence[Slot]]) -> list[tuple[int, ...]]:
    """Sets of things that meet at the same moment, each as large as possible, in order."""
    moments = sorted({(day, start) for slots in meetings for day, start, _ in slots})
    sets = {
        tuple(
            k
            for k, slots in enumerate(meetings)
            if any(d == day and start <= at < end for d, start, end in slots)
        )
        for day, at in moments
    }
    large = [some for some in sets if len(some) > 1]
    return sorted(s for s in large if not any(set(s) < set(other) for other in large))
