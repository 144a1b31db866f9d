"""Nothing that was confirmed is lost, whenever the server is killed."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "kill_server.py"


def test_ten_kills_lose_no_confirmed_submission(tmp_path, url):
    """Tests real processes and a real disk; `benchmarks/kill_server.py` does it 200 times."""
    command = [sys.executable, str(SCRIPT), "--kills", "10", "--data", str(tmp_path / "data")]
    ended = subprocess.run(
        [*command, *(["--db", url] if url else [])], capture_output=True, text=True, check=False
    )
    assert ended.stdout, ended.stderr
    result = json.loads(ended.stdout)
    assert result["problems"] == []
    assert result["kills"] == 10
    assert result["acknowledged"] >= 10
    assert ended.returncode == 0
