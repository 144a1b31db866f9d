"""The API against its own description: schemathesis, with a token of each role."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from live_server import market_text, new_sale

# Every night more of both: BOCA_SCHEMA_EXAMPLES=100 adds systematic cases, too.
EXAMPLES = os.environ.get("BOCA_SCHEMA_EXAMPLES", "")
# Whether text is a good market file, or a bidder exists, is more than a schema can say.
CONFIGURATION = """
[parameters]
"path.auction" = "{auction}"
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 401, 403, 404, 409, 422, 429, 503]
"""


ROLES = [("bidder", ["bidder", "everybody"]), ("auctioneer", ["auctioneer"])]


@pytest.mark.parametrize(("role", "tags"), ROLES)
def test_api_keeps_its_word(server, clerk, tmp_path, role, tags):
    """Tests that every call answers as described, whatever is sent to it; streams aside."""
    sale = new_sale(server, clerk, market_text(2, num_total="3"))
    token = sale.tokens["Club A"] if role == "bidder" else server.token()
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text(CONFIGURATION.format(auction=sale.auction))
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        "--config-file", str(configuration),
        "run", f"{server.url}/api/openapi.json",
        "--checks", "all",
        "--phases", "coverage,fuzzing" if EXAMPLES else "fuzzing",
        "--max-examples", EXAMPLES or "10",
        "--exclude-path-regex", "events$",
        "--rate-limit", "19/s",
        "--seed", "1",
        "--no-color",
        "-H", f"Authorization: Bearer {token}",
    ]  # fmt: skip
    command += [part for tag in tags for part in ("--include-tag", tag)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stdout[-8000:]
