"""What all tests share."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keeps optima and compiled programs of tests apart from the user's own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BOCA_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()
