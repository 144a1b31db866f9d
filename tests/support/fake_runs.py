"""Finished runs with numbers that a test chooses, as the store has them."""

import json
from concurrent.futures import Future
from typing import Any

from boca.lab.studies.run_spec import RunSpec, Setting, normalised
from boca.lab.studies.worker import Finished


def make_spec(domain="lsvm", seed=10001, mechanism="random", q=None, **changes) -> RunSpec:
    """A run; keyword arguments with double underscores become dotted settings."""
    named = tuple((name.replace("__", "."), value) for name, value in changes.items())
    return normalised(RunSpec(domain, seed, Setting(mechanism, q, changes=named)))


def make_result(
    spec: RunSpec, loss: float, revenue: float = 50.0, seconds: float = 36.0, path=None, **more: Any
) -> dict[str, Any]:
    """What a finished run would have stored; loss, revenue and path in per cent."""
    path = path or [(40, 2 * loss), (100, loss)]
    entries = [
        {"round": i, "queries": queries, "efficiency_loss": value / 100}
        for i, (queries, value) in enumerate(path)
    ]
    result = {
        "key": spec.key,
        "spec": spec.to_dict(),
        "auction": spec.params().to_dict(),
        "efficiency_loss": loss / 100,
        "relative_revenue": revenue / 100,
        "seconds": seconds,
        "path": entries,
        "versions": {"boca": "0", "python": "3"},
        "machine": "a machine",
        "source": "abc",
        "started": "2026-01-01T00:00:00",
        "finished": "2026-01-01T00:01:00",
    }
    return json.loads(json.dumps(result | more))


class ScriptedEngine:
    """
    Finishes every run at once, in the way that a script says.

    Parameters
    ----------
    crashes
        How often each run crashes before it succeeds, by seed.
    num_workers
        As an engine would have.
    """

    def __init__(self, crashes: dict[int, int] | None = None, num_workers: int = 2):
        self.num_workers = num_workers
        self.submitted: list[RunSpec] = []
        self._crashes = dict(crashes or {})

    def submit(self, spec: RunSpec, log_file) -> "Future[Finished]":
        self.submitted.append(spec)
        future: Future[Finished] = Future()
        if self._crashes.get(spec.seed, 0) > 0:
            self._crashes[spec.seed] -= 1
            future.set_result(Finished(None, "ValueError: scripted", "traceback\nValueError"))
        else:
            future.set_result(Finished(make_result(spec, loss=spec.seed % 10), "", ""))
        return future

    def close(self) -> None:
        pass
