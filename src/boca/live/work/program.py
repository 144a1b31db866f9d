"""How a child process behaves: one line of JSON in, JSON out; it ends when its parent does."""

import json
import os
import resource
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from time import perf_counter
from typing import Any

import boca
from boca.core.errors import BocaError
from boca.core.message import Message
from boca.live.work.process import STAGE

# Planning gives way to the web server, and a verification to planning.
NICE, NICEST = 10, 19
MOST_MEMORY = 8 * 2**30
# The exit code for "this cannot be used", with a sentence on standard error.
REFUSED = 2

Job = Callable[[dict[str, Any]], dict[str, Any]]


def run(jobs: Mapping[str, Job], prepare: Callable[[], object] = lambda: None) -> int:
    """
    Reads a request, prints the result of the job that the command line names.

    Parameters
    ----------
    jobs
        What can be done.
    prepare
        Done first, once the parent is watched.
    """
    limit(NICEST if sys.argv[1] == "verify" else NICE)
    request = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    began = perf_counter()
    try:
        prepare()
        result = jobs[sys.argv[1]](request)
    except BocaError as error:
        print(error, file=sys.stderr)
        print(json.dumps(_refusal(error)))
        return REFUSED
    result["seconds"] = perf_counter() - began
    print(json.dumps(result, allow_nan=False))
    return 0


def _refusal(error: BocaError) -> dict[str, Any]:
    """Why a request cannot be used, so that it can be said in another language."""
    message = error.message
    said = message.to_dict() if isinstance(message, Message) else str(error)
    place = getattr(error, "place", None)
    return {"refused": said, "place": asdict(place) if place else None}


def limit(nice: int) -> None:
    """Gives way to the server, and cannot take all of the machine's memory."""
    os.nice(nice)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def tell(stage: str) -> None:
    """Says how far the work is, for the auctioneer's desk."""
    print(f"{STAGE}{stage}", file=sys.stderr, flush=True)


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """What a result was computed with."""
    versions = {"boca": boca.__version__, "python": sys.version.split()[0]}
    for package in packages:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _end_with_parent() -> None:
    """Ends this process when the server's end of the pipe is gone."""
    # Below Python's buffers, whose locks a daemon thread must not hold at the end.
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os._exit(3)
