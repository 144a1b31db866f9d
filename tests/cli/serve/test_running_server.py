import resource
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from live_server import free_port

from boca.cli.serve.running_server import (
    THREAD_ENDED,
    RunningServer,
    allow_files,
    ending_with_threads,
)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("::", "http://[::1]:8080"),
        ("10.1.2.3", "http://10.1.2.3:8080"),
    ],
)
def test_programs_on_the_machine_reach_it_wherever_it_listens(host, url):
    """Tests the address that the server gives to its own bots."""
    server = RunningServer(Path("data"), "https://auction.example.org", host, 8080)
    assert server.local_url == url


def test_a_thousand_viewers_have_files_enough():
    """Tests that the usual limit of open files is raised, and never lowered."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        low = min(256, before[1])
        resource.setrlimit(resource.RLIMIT_NOFILE, (low, before[1]))
        allow_files(low + 10)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] in (low + 10, before[1])
        allow_files(10)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= low
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def ended(work):
    """Runs work in a thread, and waits for it."""
    thread = threading.Thread(target=work, name="watch")
    thread.start()
    thread.join()


@pytest.mark.parametrize("is_early", [True, False])
def test_a_thread_that_ends_tells_the_server_to_end(is_early, caplog):
    """Tests a thread that ends before the server listens, and one that ends later."""
    service, before = SimpleNamespace(should_exit=False), threading.excepthook

    def serve():
        with ending_with_threads() as threads:
            if is_early:
                ended(lambda: 1 // 0)
            threads.ends(service)
            if not is_early:
                ended(lambda: 1 // 0)
            assert service.should_exit

    with pytest.raises(typer.Exit) as left:
        serve()
    assert left.value.exit_code == THREAD_ENDED
    assert "the thread 'watch' ended: ZeroDivisionError" in caplog.text
    assert threading.excepthook is before


def test_threads_that_end_well_end_nothing():
    """Tests the usual case."""
    service = SimpleNamespace(should_exit=False)
    with ending_with_threads() as threads:
        threads.ends(service)
        ended(lambda: None)
    assert not service.should_exit


BROKEN = """
import sys
from pathlib import Path
from boca.cli.main import run
from boca.live.{module} import {kind}

def fail(*arguments):
    raise RuntimeError("the moon is full")

{kind}.{method} = fail
sys.exit(run(["serve", sys.argv[1], "--port", sys.argv[2], *sys.argv[3:]]))
"""


@pytest.mark.server
@pytest.mark.parametrize(
    ("module", "kind", "method"),
    [
        ("watch", "DeadlineWatch", "tick"),
        ("store.writer", "Writer", "_change_memory"),
        ("work.jobs", "Worker", "_next"),
    ],
)
def test_a_server_whose_thread_ends_does_so_too(tmp_path, module, kind, method):
    """Tests the whole process: each of its threads, the reason on standard error, and the code."""
    script = BROKEN.format(module=module, kind=kind, method=method)
    program = [sys.executable, "-c", script, str(tmp_path / "data"), str(free_port())]
    ran = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == THREAD_ENDED, ran.stderr
    assert "RuntimeError: the moon is full; the server ends, too" in ran.stderr
