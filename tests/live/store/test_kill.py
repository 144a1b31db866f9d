"""Nothing that was confirmed is lost, whenever the server is killed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from live_server import LiveServer, Person, finish, market_text, new_sale, wait_for

from boca.cli.main import run
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client
from boca_verify import verify

pytestmark = pytest.mark.kill

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "kill_server.py"


def kill(data, kills, *options):
    """What the benchmark reports; it ends with 1 if anything is wrong."""
    command = [sys.executable, str(SCRIPT), "--kills", str(kills), "--data", str(data)]
    ended = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert ended.stdout, ended.stderr
    result = json.loads(ended.stdout)
    assert result["problems"] == []
    assert result["kills"] == kills
    assert result["acknowledged"] >= kills
    assert ended.returncode == 0


def test_ten_kills_lose_no_confirmed_submission(tmp_path, url):
    """Tests real processes and a real disk; `benchmarks/kill_server.py` does it 200 times."""
    kill(tmp_path / "data", 10, "--direct", *(["--db", url] if url else []))


def test_kills_of_the_whole_server_lose_nothing(tmp_path):
    """Tests the same through HTTP: `boca serve` is ended while programs call it."""
    kill(tmp_path / "data", 3)


def test_a_publication_that_was_confirmed_survives_a_kill(tmp_path, capsys):
    """Tests a kill right after the answer to the second auctioneer, and what the log says."""
    server = LiveServer(tmp_path / "data").start()
    try:
        rules = {"num_initial": "2", "num_total": "2", "second_person": '["publish"]'}
        sale = new_sale(server, server.clerk(), market_text(2, **rules))
        finish(sale)
        assert wait_for(sale.clerk, sale.auction, "decided")  # the first press only proposes
        assert run(["admin", "link", str(server.data), "--person", "Yan", "--url", server.url]) == 0
        yan = Person(server.url)
        yan.enter(capsys.readouterr().out.strip())
        page = yan.post("/sessions/token", {}).text
        token = re.search(r'class="secret">([^<]+)<', page)[1]
        Clerk(Client(server.url, token)).do(sale.auction, "publish")
        server.process.kill()
        server.process.wait()
        server.start()
        assert wait_for(sale.clerk, sale.auction, "published", seconds=10) == "published"
        headers = {"Authorization": f"Bearer {token}"}
        log = httpx.get(f"{server.url}/api/v1/auctions/{sale.auction}/log", headers=headers).text
        verdict = verify(log.splitlines(keepends=True))
        assert verdict.exit_code == 0, verdict.summary()
        (note,) = [note for note in verdict["V8"].notes if "approves" in note]
        assert len(set(re.findall(r"credential ([0-9a-f]{16})", note))) == 2
    finally:
        server.stop()
