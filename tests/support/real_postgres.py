"""A real PostgreSQL for tests: a cluster of its own in a temporary folder, on a Unix socket."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

INSTALL = (
    "PostgreSQL is not installed; install it with 'apt-get install postgresql' to run this test"
)
# Bytes that a cluster or two may take.
ROOM = 1_000_000_000
_numbers = count()


def programs() -> Path | None:
    """The folder with initdb and pg_ctl, the newest if there are several."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    if folders:
        return folders[-1]
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def _quick_folder() -> str | None:
    """In memory, if there is room; after each cut, PostgreSQL syncs all its files first."""
    folder = Path("/dev/shm")
    has_room = folder.is_dir() and shutil.disk_usage(folder).free > ROOM
    return str(folder) if has_room and os.access(folder, os.W_OK) else None


@contextmanager
def cluster(*settings: str) -> Iterator["Cluster"]:
    """A running cluster; ``settings`` are passed to the server, such as ``fsync=off``."""
    folder = programs()
    assert folder is not None, INSTALL
    # Short, since the path of a Unix socket is limited to 107 bytes.
    data = Path(tempfile.mkdtemp(prefix="pg", dir=_quick_folder()))
    as_user: dict = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam("postgres")
        os.chown(data, user.pw_uid, user.pw_gid)
        as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def run(*arguments: str) -> None:
        subprocess.run(
            arguments,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=data,
            **as_user,
        )

    run(f"{folder}/initdb", "-D", f"{data}/db", "-A", "trust", "-U", "boca", "--no-sync")
    options = f"-k {data} -h ''" + "".join(f" -c {setting}" for setting in settings)
    stop = f"{folder}/pg_ctl -D {data}/db -m immediate stop; rm -rf {data}"
    # Waits for the end of its input, which comes even if the tests are killed.
    guard = subprocess.Popen(
        ["sh", "-c", f"cat; {stop}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
        **as_user,
    )
    try:
        control = (f"{folder}/pg_ctl", "-D", f"{data}/db", "-w", "-l", f"{data}/log")
        running = Cluster(
            data,
            lambda: run(*control, "-o", options, "start"),
            lambda: run(*control, "-m", "immediate", "stop"),
        )
        running.start()
        yield running
    finally:
        guard.communicate()


@dataclass(frozen=True)
class Cluster:
    """
    A running PostgreSQL; every test gets a database of its own.

    Parameters
    ----------
    folder
        Of its files and its socket.
    start
        Starts it again once it was stopped, and waits until it is there.
    stop
        Ends it as a power cut would: nothing is written down, connections break.
    """

    folder: Path
    start: Callable[[], None]
    stop: Callable[[], None]

    def new_database(self) -> str:
        """The address of an empty database."""
        import psycopg

        name = f"test{next(_numbers)}"
        with psycopg.connect(
            host=str(self.folder), user="boca", dbname="postgres", autocommit=True
        ) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql+psycopg://boca@/{name}?host={self.folder}"
