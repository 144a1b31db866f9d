"""``boca serve`` and ``boca admin`` as processes, as people start them."""

import os
import re
import socket
import subprocess
import sys
import time

import httpx
import pytest
from live_server import LiveServer, Person, free_port

from boca.cli.main import run


def boca(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    command = [sys.executable, "-m", "boca", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = LiveServer(tmp_path_factory.mktemp("serve") / "data").start()
    yield server
    if server.process.poll() is None:
        server.stop()


def test_first_start_prints_a_link_that_works_once(server):
    """Tests the way in for whoever starts a server, and that no later start prints another."""
    assert server.auctioneer_link.startswith(server.url)
    boss = Person(server.url)
    assert boss.enter(server.auctioneer_link).status_code == 303
    assert "There is no auction yet" in boss.get("/").text
    assert Person(server.url).enter(server.auctioneer_link).status_code == 410


def test_data_folder_is_private(server):
    """Tests that nobody else on the machine can read answers or the key."""
    assert server.data.stat().st_mode & 0o077 == 0
    for path in server.data.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path


def test_admin_makes_links_while_the_server_runs(server):
    """Tests links for an auctioneer and, with a mistake in between, for an auditor."""
    made = boca("admin", "link", str(server.data), "--url", server.url)
    assert made.returncode == 0, made.stderr
    boss = Person(server.url)
    assert boss.enter(made.stdout.strip()).status_code == 303

    refused = boca("admin", "link", str(server.data), "--role", "auditor", "--auction", "nothing")
    assert refused.returncode == 2
    assert "There is no auction 'nothing'" in refused.stderr.replace("\n", " ")


def test_second_server_on_the_same_data_ends_with_a_message(server):
    """Tests the lock: two writers would make two logs."""
    refused = boca("serve", str(server.data), "--port", str(free_port()))
    assert refused.returncode == 2
    assert refused.stderr.startswith("error:")


def test_server_stops_when_told_and_starts_again(server):
    """Tests SIGTERM with a stream open, and that everybody is still signed in afterwards."""
    boss = Person(server.url)
    link = boca("admin", "link", str(server.data), "--url", server.url).stdout.strip()
    boss.enter(link)
    assert server.stop() in (0, -15)
    server.log.write_text("")
    server.start()
    assert "/enter/" not in server.log.read_text()
    assert boss.get("/sessions").status_code == 200


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name the folder"),
        (["data", "--demo"], "A demo keeps nothing"),
        (["data", "--url", "http://auction.example.org"], "not encrypted"),
        (["data", "--url", "auction.example.org"], "cannot be used"),
    ],
)
def test_wrong_arguments_get_one_sentence(tmp_path, arguments, words):
    """Tests mistakes that would otherwise be found by bidders."""
    paths = [str(tmp_path / a) if a == "data" else a for a in arguments]
    refused = boca("serve", *paths, "--port", str(free_port()))
    assert refused.returncode == 2
    assert words in refused.stderr.replace("\n", " ")
    assert "Traceback" not in refused.stderr


def test_port_in_use_is_told(tmp_path):
    """Tests the most common mistake of all."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = boca("serve", str(tmp_path / "data"), "--port", str(port))
    assert refused.returncode == 2
    assert "Choose another one with --port" in refused.stderr.replace("\n", " ")


def test_demo_runs_with_three_bots_and_a_link(tmp_path):
    """Tests that whoever tries boca has questions to answer, and bots beside who answer theirs."""
    command = [sys.executable, "-m", "boca", "serve", "--demo", "--port", str(free_port())]
    log = tmp_path / "demo.log"
    with log.open("w") as out:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        demo = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
    try:
        link = wait_until(lambda: re.search(r"http\S+/enter/\S+", log.read_text()))[0]
        url = link.partition("/enter/")[0]
        person = Person(url)
        address = person.enter(link).headers["location"]
        page = wait_until(
            lambda: "5 of 5 questions open" in (text := person.get(address).text) and text
        )
        assert "REHEARSAL" in page
        assert "Dora" in page
        desk = re.findall(r"http\S+/enter/\S+", log.read_text())[1]
        auctioneer = Person(url)
        assert auctioneer.enter(desk).status_code == 303
        assert "The auctioneer's link" in log.read_text()
        assert auctioneer.get(address.replace("/me", "/run")).status_code == 200
    finally:
        demo.terminate()
        assert demo.wait(timeout=30) in (0, -15)
    with pytest.raises(httpx.HTTPError):
        person.get("/")


@pytest.mark.parametrize(
    "words",
    [
        ("--host", "\udcff"),
        ("--host", "é" * 100),
        ("--url", "http://[::1"),
        ("--url", "http://localhost:99999999"),
    ],
)
def test_addresses_that_are_none_are_told(tmp_path, capsys, words):
    """Tests hosts and addresses that Python's libraries refuse in ways of their own."""
    code = run(["serve", str(tmp_path / "data"), "--port", str(free_port()), *words])

    assert code == 2
    assert capsys.readouterr().err.startswith("error: ")


def wait_until(look, seconds: float = 300):
    """What a look finds, once it finds something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.2)
    raise AssertionError("it never happened")
