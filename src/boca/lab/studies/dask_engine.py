"""Runs on a Dask cluster: any machines whose workers have boca installed and reach a scheduler."""

from concurrent.futures import Future
from pathlib import Path

from boca.lab.studies.dask_client import connect
from boca.lab.studies.run_spec import RunSpec
from boca.lab.studies.worker import Finished, perform_apart


class DaskEngine:
    """
    Runs on the workers of a Dask scheduler.

    A worker starts each run as a process of its own, like :class:`ProcessEngine`, so it stays
    responsive whatever the run does. Results come back through the scheduler; workers need not
    share a file system with the runner. Runs of a worker that dies are done by another one.

    Parameters
    ----------
    address
        Address of the scheduler, such as ``tcp://10.0.0.1:8786``.
    """

    def __init__(self, address: str):
        self._client = connect(address, "A grid on a Dask cluster")
        self._executor = self._client.get_executor(pure=False)

    @property
    def num_workers(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, spec: RunSpec, log_file: Path) -> "Future[Finished]":
        future: Future[Finished] = self._executor.submit(perform_apart, spec.to_dict())
        return future

    def close(self) -> None:
        self._executor.shutdown(wait=False)
        self._client.close()
