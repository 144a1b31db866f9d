"""Golden data of the four value models, and a cache that tests do not share with anybody."""

import gzip
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

DATA = Path(__file__).parents[2] / "data" / "sats"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Points the cache at an empty folder and returns it."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("BOCA_CACHE", str(folder))
    return folder


@cache
def read_params() -> dict:
    with gzip.open(DATA / "params.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


@cache
def read_optima() -> dict:
    return json.loads((DATA / "optima.json").read_text(encoding="utf-8"))


@cache
def read_values(name: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"{name}.npz", allow_pickle=False) as file:
        return dict(file)


@pytest.fixture
def golden_values():
    """Recorded bundles, values and samples of a domain."""
    return read_values


@pytest.fixture
def golden_params():
    """Recorded draws: domain name -> seed -> what was drawn."""
    return lambda name: {int(seed): drawn for seed, drawn in read_params()[name.upper()].items()}


@pytest.fixture
def golden_optima():
    """Recorded optima: domain name -> seed -> value, allocation and so on."""
    return lambda name: {int(seed): found for seed, found in read_optima()[name.upper()].items()}
