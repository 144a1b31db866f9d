"""A lock between processes that work on one folder, also on systems without ``fcntl``."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

# A lock file is held for the moments that it takes to look at a claim. An older one was left
# behind by a process that died within them.
STALE_SECONDS = 10.0
WAIT_SECONDS = 0.01


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """
    Inside, no other process holds the lock of this path.

    Parameters
    ----------
    path
        A file that serves no other purpose. Its folder must exist.
    """
    try:
        import fcntl
    except ImportError:  # Windows has no such module
        with _exclusive_file(path.with_name(f"{path.name}-held")):
            yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the system opens it again when its holder dies
        yield


@contextlib.contextmanager
def _exclusive_file(path: Path) -> Iterator[None]:
    """A lock that is the existence of a file, which only one process can create."""
    while True:
        try:
            path.open("x").close()
            break
        except (FileExistsError, PermissionError):  # Windows: it is just being removed
            _remove_stale(path)
            time.sleep(WAIT_SECONDS)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):
        if time.time() - path.stat().st_mtime > STALE_SECONDS:
            path.unlink()
