"""Hostile inputs for the commands around live auctions: serve, bots, verify and admin."""

import json
from pathlib import Path

from hostile_inputs.case import Case
from hostile_inputs.valid import FILES

GOLDEN = Path(__file__).parents[2] / "tests" / "data" / "live"
LOG = (GOLDEN / "golden-full.jsonl").read_bytes()
RECEIPT = (GOLDEN / "golden-receipt-1.json").read_bytes()
TOKENS = {
    "auction": "abc",
    "tokens": {"Ann": "t" * 43, "Ben": "u" * 43},
    "strategies": {"Ben": "noisy:0.1"},
}
RULES = """
name = "village hall"

[[goods]]
name = "hall"

[[goods]]
name = "chairs"
capacity = 3

[[bidders]]
name = "Ann"

[[bidders]]
name = "Ben"

[auction]
mechanism = "random"
num_initial = 3
num_per_round = 2
num_total = 5
"""

LIVE_FILES = FILES | {
    "log.jsonl": LOG,
    "receipt.json": RECEIPT,
    "tokens.json": json.dumps(TOKENS).encode(),
}
# Nobody listens there: port 9 belongs to a service that has been gone for decades.
NOWHERE = "http://127.0.0.1:9"
BOTS = ("bots", "--token-file", "tokens.json", "--url", NOWHERE, "--think", "0-0")
PORT = "23917"
# A server that has started runs until it is told to stop.
SERVER_SECONDS = 5.0
# What verify and check end with where they have found something wrong.
FINDINGS = (1, 3)

LINES: tuple[tuple[str, ...], ...] = (
    ("serve",),
    ("serve", "market.toml", "--port", PORT),
    ("serve", "data", "--port", "0"),
    ("serve", "data", "--port", "99999999999999999999"),
    ("serve", "data", "--port", PORT, "--host", "256.1.1.1"),
    ("serve", "data", "--port", PORT, "--host", ""),
    ("serve", "data", "--port", PORT, "--host", "\udcff"),
    ("serve", "data", "--port", PORT, "--host", "é" * 100),
    ("serve", "data", "--port", PORT, "--url", "ftp://x"),
    ("serve", "data", "--port", PORT, "--url", "http://[::1"),
    ("serve", "data", "--port", PORT, "--url", "http://" + "a" * 5_000),
    ("serve", "data", "--port", PORT, "--proxy", "nobody"),
    ("serve", "data", "--port", PORT, "--db", "mysql://x"),
    ("serve", "data", "--port", PORT, "--db", "postgresql+psycopg://x@127.0.0.1:9/x"),
    ("serve", "data", "--port", PORT, "--db", "nonsense"),
    ("serve", "x/y/z", "--port", PORT, "--db", "\udcff"),
    ("serve", "data", "--demo"),
    ("serve", "/dev/null", "--port", PORT),
    ("bots",),
    ("bots", "--token-file", "nowhere.json"),
    ("bots", "--token-file", "."),
    ("bots", "--token-file", "/dev/zero"),
    ("bots", "--token-file", "-"),
    (*BOTS, "--think", "20-1"),
    (*BOTS, "--think", "nan-inf"),
    (*BOTS, "--think", "1e308-1e309"),
    (*BOTS, "--strategy", "noisy:nan"),
    (*BOTS, "--strategy", "shading:1e400"),
    (*BOTS, "--strategy", "dropping-out:-1"),
    (*BOTS, "--seed", "9" * 5_000),
    (*BOTS, "--url", "nonsense"),
    (*BOTS, "--url", "http://[::1"),
    (*BOTS, "--url", "http://nowhere.invalid"),
    (*BOTS, "--url", "file:///etc/passwd"),
    (*BOTS, "--url", "http://\udcff"),
    (*BOTS, "market.toml"),
    ("verify",),
    ("verify", "nowhere.jsonl"),
    ("verify", "."),
    ("verify", "/dev/zero"),
    ("verify", "market.toml"),
    ("verify", "log.jsonl", "--key", "zz"),
    ("verify", "log.jsonl", "--key", "0" * 64),
    ("verify", "log.jsonl", "--key", "٣" * 64),
    ("verify", "log.jsonl", "--head", "nonsense"),
    ("verify", "log.jsonl", "--receipt", "nowhere.json"),
    ("verify", "log.jsonl", "--receipt", "."),
    ("verify", "log.jsonl", "--receipt", "/dev/zero"),
    ("admin",),
    ("admin", "link", "nowhere"),
    ("admin", "link", "data", "--role", "king"),
    ("admin", "link", "data", "--role", "bidder"),
    ("admin", "link", "data", "--auction", "nobody"),
    ("admin", "link", "data", "--url", "nonsense"),
    ("admin", "link", "data", "--person", "\udcff"),
    ("admin", "link", "data", "--person", "x" * 100_000),
    ("admin", "sessions", "."),
    ("admin", "sessions", "market.toml"),
    ("admin", "revoke", "data", "nothing"),
    ("admin", "revoke", "data", "\udcff"),
    ("admin", "backup", "data", "market.toml"),
    ("admin", "backup", "data", "x/y/z"),
    ("admin", "backup", "nowhere", "new.tar"),
    ("admin", "restore", "market.toml", "new"),
    ("admin", "restore", "nowhere.tar", "new"),
    ("admin", "restore", "/dev/zero", "new"),
    ("admin", "restore", "data/backup.tar", "data"),
    ("admin", "export", "data", "nobody", "new.jsonl"),
    ("admin", "export", "data", "../x", "new.jsonl"),
    ("admin", "export", "data", "\udcff", "new.jsonl"),
    ("admin", "export", "data", "nobody", "new.jsonl", "--cut", "deep"),
    ("admin", "pull", f"{NOWHERE}/auctions/x/log", "new.jsonl"),
    ("admin", "pull", "nonsense", "new.jsonl"),
    ("admin", "key", "nowhere"),
    ("admin", "check", "nowhere"),
    ("admin", "check", "market.toml"),
    ("admin", "check", "data", "--db", "nonsense"),
)


def live_corpus() -> list[Case]:
    """Command lines, and logs that nobody would write, written by hand."""
    cases = [live_case("options", words, LIVE_FILES) for words in LINES]
    first, *rest = LOG.splitlines(keepends=True)
    logs = (
        b"", b"\n", b"\n" * 100_000, b"null\n", b"[]\n", b"{}\n", b"5\n", first, b"".join(rest),
        LOG + LOG, LOG + b"{}\n", LOG[:-1], LOG[:-2], first * 10_000, b"[" * 100_000 + b"\n",
        b'{"seq": ' + b"9" * 5_000 + b"}\n", LOG.replace(b"\n", b"\r\n"), b"\xff" * 1_000,
        b'{"a": "\\ud800"}\n', b" " * 1_000_000,
    )  # fmt: skip
    cases += [
        live_case("log", ("verify", "log.jsonl"), LIVE_FILES | {"log.jsonl": log}) for log in logs
    ]
    databases = (b"", b"hello", b"SQLite format 3\x00" + b"\x00" * 5_000, None)
    for database in databases:
        files = LIVE_FILES | {"data/auctions.db": database}
        for words in (
            ("admin", "check", "data"),
            ("admin", "sessions", "data"),
            ("admin", "backup", "data", "new.tar"),
            ("serve", "data", "--port", PORT),
        ):
            cases.append(live_case("database", words, files))
    return cases


def live_case(kind: str, words: tuple[str, ...], files: dict[str, bytes | None]) -> Case:
    """A command around live auctions, in a folder with the data of a server."""
    command = words[0]
    is_check = command == "verify" or words[:2] == ("admin", "check")
    return Case(
        command,
        kind,
        words,
        files,
        ()
        if any(name.startswith("data/") and files[name] is None for name in files)
        else ("data",),
        result_codes=FINDINGS if is_check else (),
        seconds_to_live=SERVER_SECONDS if command == "serve" else None,
    )


def make_data(folder: Path) -> None:
    """The folder of a server with one auction that was drafted, and a backup of it."""
    from boca.cli.main import run
    from boca.live.desk import Desk
    from boca.live.people import Who

    desk = Desk(folder)
    try:
        person = Who("zoe", "session", "auctioneer", None, None, "Zoe", "", None)
        desk.create(person, RULES, "create-it").result()
    finally:
        desk.close()
    code = run(["admin", "backup", str(folder), str(folder / "backup.tar")])
    if code:
        raise SystemExit(code)
