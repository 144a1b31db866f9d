import resource
from pathlib import Path

import pytest

from boca.cli.serve.running_server import RunningServer, allow_files


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
