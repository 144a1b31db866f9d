"""Nothing that was confirmed is lost, whenever the server is killed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
