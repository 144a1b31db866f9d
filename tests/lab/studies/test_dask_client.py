"""What a user is told who has no cluster, or not the packages for one."""

import sys

import pytest

from boca.core.errors import InputError, MissingExtra
from boca.lab.studies import dask_client
from boca.lab.studies.dask_engine import DaskEngine
from boca.lab.studies.tuning.engines import DaskTuningEngine

ENGINES = pytest.mark.parametrize("engine", [DaskEngine, DaskTuningEngine])


@ENGINES
def test_no_scheduler(engine, monkeypatch):
    """Tests that a wrong address is answered with what to do."""
    monkeypatch.setattr(dask_client, "CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="No Dask scheduler answers at 'tcp"):
        engine("tcp://127.0.0.1:9")


@ENGINES
def test_missing_extra(engine, monkeypatch):
    """Tests that without the extra the message says how to get it."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"boca-assignment\[cluster\]"):
        engine("tcp://127.0.0.1:9")
