"""Where trainings are done: in threads of this process, or on a Dask cluster."""

from typing import Any, Protocol

from boca.core.errors import InputError
from boca.core.machine import num_processors
from boca.lab.studies.dask_client import connect
from boca.lab.studies.tuning.measuring import Measurement, measure, measure_plain
from boca.lab.studies.tuning.setup import TuningSetup, as_plain


class TuningEngine(Protocol):
    """Measures configurations."""

    @property
    def num_workers(self) -> int:
        """Trials that should be under way at once."""
        ...

    def measure(self, setup: TuningSetup, params: Any, number: int) -> Measurement:
        """Measures a configuration on an instance, and waits for it."""
        ...

    def close(self) -> None:
        """Ends whatever is still under way."""
        ...


class ThreadEngine:
    """
    Trainings in this process. The compiled program of a trial serves all its instances.

    Each trial has a thread of its own rather than each instance: while one trial compiles, which
    takes seconds and one core, another one trains. ``benchmarks/training.py together`` compares.

    Parameters
    ----------
    num_workers
        Trials at once; as many as there are processors if None.
    """

    def __init__(self, num_workers: int | None = None):
        if num_workers is not None and num_workers < 1:
            raise InputError(f"Received {num_workers} workers; expected at least 1.")
        self._num_workers = num_workers or num_processors()

    @property
    def num_workers(self) -> int:
        return self._num_workers

    def measure(self, setup: TuningSetup, params: Any, number: int) -> Measurement:
        return measure(setup, params, number)

    def close(self) -> None:
        """Nothing to end: whoever has called waits for it."""


class DaskTuningEngine:
    """
    Trainings on the workers of a Dask scheduler, in the workers' own processes.

    A trial stays with the process that has taken it; only trainings travel. Those of a worker that
    dies are done by another one.

    Parameters
    ----------
    address
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``.
    """

    def __init__(self, address: str):
        self._client = connect(address, "A search on a Dask cluster")

    @property
    def num_workers(self) -> int:
        return max(1, int(sum(self._client.nthreads().values())))

    def measure(self, setup: TuningSetup, params: Any, number: int) -> Measurement:
        from distributed import KilledWorker

        plain = (setup.to_dict(), as_plain(params), number)
        try:
            future = self._client.submit(measure_plain, *plain, pure=False)
            measurement: Measurement = future.result()
        except KilledWorker as error:
            raise InputError(
                f"A training has taken several workers with it: {error}. Give workers more memory "
                "and start the same command again; what was measured is kept."
            ) from None
        return measurement

    def close(self) -> None:
        self._client.close()
