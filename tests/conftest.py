"""What all tests share."""

import hashlib
import importlib.metadata
import os
import platform
from pathlib import Path

import pytest


def compiled_folder() -> Path:
    """
    Where compiled programs of tests are kept, by all workers and from one run to the next.

    Compiling the same programs in every process took most of the time of the tests. Programs depend
    on the compiler and on the instructions of the processor, which name the folder.
    """
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line for line in lines if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        processor = platform.processor()
    kind = hashlib.sha256(f"{platform.machine()} {processor}".encode()).hexdigest()[:12]
    version = importlib.metadata.version("jaxlib")
    return Path(home) / "boca-tests" / f"compiled-{version}-{kind}"


# Set before anything imports jax, which reads them then; processes that tests start inherit them.
os.environ["JAX_COMPILATION_CACHE_DIR"] = str(compiled_folder())
# JAX leaves out programs that compile within a second; tests have thousands of them.
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keeps optima of tests apart from the user's own."""
    patch = pytest.MonkeyPatch()
    patch.setenv("BOCA_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def pytest_collection_modifyitems(items):
    """Marks what needs Chromium, or a real server, by the fixture that it asks for."""
    for item in items:
        for name in ("browser", "server"):
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(getattr(pytest.mark, name))
