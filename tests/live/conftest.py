"""Databases for tests: SQLite always, PostgreSQL where it is installed."""

import pytest
from real_postgres import INSTALL, cluster, programs


@pytest.fixture(scope="session")
def postgres():
    """One cluster for the whole run."""
    if programs() is None:
        pytest.skip(INSTALL)
    with cluster() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgres"])
def url(request):
    """The address of an empty database; None means SQLite in the data folder."""
    if request.param == "sqlite":
        return None
    return request.getfixturevalue("postgres").new_database()
