"""What would differ from one run to the next, fixed or masked, each with its reason."""

import base64
import functools
import hashlib
import json
import os
import re
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

# Hashes, signatures, sessions and tokens: they follow from the seconds and random bytes below.
OPAQUE = re.compile(
    r"\b[0-9a-f]{64,128}\b|\b[0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4}\b|\b[0-9a-f]{32}\b"
)
# How long something took, in JSON and in words. Limits that somebody set have other names.
JSON_SECONDS = re.compile(r'("(?:seconds|\w+_seconds)": ?)\d+(?:\.\d+)?(?:e-?\d+)?')
JSON_MEMORY = re.compile(r'("peak_memory_mb": ?)[\d.]+')
# Matplotlib draws the names of paths and markers.
CLIPS = re.compile(r"""((?:#|id=")[a-z])[0-9a-f]{10}""")
SAID_SECONDS = re.compile(r"\b\d+[.,]\d+ (?:s|Sekunden|seconds|secondes)\b")
Record = tuple[str, str]


def masked(text: str) -> str:
    """A text without what nobody can fix."""
    text = OPAQUE.sub("#", text)
    text = JSON_SECONDS.sub(r"\g<1>0", text)
    text = JSON_MEMORY.sub(r"\g<1>0", text)
    text = CLIPS.sub(r"\g<1>", text)
    return SAID_SECONDS.sub("0 s", text)


def pretty(value: object) -> str:
    """JSON with a line per value, so that a difference is a line."""
    return json.dumps(value, indent=1, sort_keys=True, default=str, ensure_ascii=False)


def counting_draw(name: str) -> Callable[[int], bytes]:
    """
    Bytes that look random and come in the same order every time.

    Each thread has a series of its own, since threads take turns as they like.
    """
    counts: Counter[str] = Counter()

    def draw(size: int) -> bytes:
        thread = re.sub(r"\d+", "", threading.current_thread().name)
        counts[thread] += 1
        return hashlib.shake_128(f"{name} {thread} {counts[thread]}".encode()).digest(size)

    return draw


class HereChild:
    """
    In the place of a child process: the same job in this process, which took no time at all.

    A process per plan would take longer than everything else, and its seconds are in the log.
    """

    def __init__(self, job: str, request: dict[str, Any], program: Any = ()):
        self.job, self.request = job, json.dumps(request)
        self.is_seats = any("course_child" in word for word in program)

    def run(self, time_limit: float | None) -> Any:
        from boca.core.errors import BocaError
        from boca.live.work import child, course_child
        from boca.live.work.process import Ended
        from boca.live.work.program import REFUSED

        jobs = course_child.JOBS if self.is_seats else child.JOBS
        try:
            result = jobs[self.job](json.loads(self.request))
        except BocaError as error:
            return Ended(b"", REFUSED, str(error))
        return Ended(json.dumps({**result, "seconds": 0.0}, allow_nan=False).encode(), 0, "")

    def kill(self) -> None:
        """It cannot be; what it brings is not wanted any more."""

    def stages(self) -> list[str]:
        return []


@functools.cache
def be_steady() -> None:
    """From now on desks of this process do their slow work in it, and nothing is left to chance."""
    from boca.live.work import errands, jobs

    jobs.Child = errands.Child = HereChild  # type: ignore[misc,assignment]
    draw = counting_draw("pages")
    # Pages say how long planning takes while the machine is as busy as it is.
    os.getloadavg = lambda: (0.0, 0.0, 0.0)

    # Forms and setups have keys that pages draw by themselves; setups are listed in their order.
    def token(size: int = 32) -> str:
        return base64.urlsafe_b64encode(draw(size)).rstrip(b"=").decode()

    secrets.token_urlsafe = token  # type: ignore[assignment]


def named(prefix: str, records: Iterator[Record]) -> Iterator[Record]:
    """Records with masked texts, under a prefix."""
    for name, text in records:
        yield f"{prefix}/{name}", masked(text)
