"""Backup while submitting, restore elsewhere, pull cut off and resumed; on both databases."""

import json
import shlex
import tarfile
import threading
from pathlib import Path

import pytest
from live_play import market_text
from served_desk import serving
from whole_auction import ZOE, bidder_of, drive, essence, open_desk, submit_open, wait_until

from boca.cli.admin.links import issue
from boca.cli.main import run
from boca.core.errors import InputError
from boca.live.auction import commands as cmd
from boca.live.auction.submission import BundleValue, Submission
from boca.live.auction.views import counts
from boca.live.ledger import read_lines
from boca.live.store.events import read
from boca.live.upkeep import pull as pull_module
from boca.live.upkeep.backup import read_backup, write_backup
from boca.live.upkeep.export import export
from boca.live.upkeep.pull import OffMachineCopy, Source, Unreachable, pull
from boca.live.upkeep.restore import restore
from boca_verify import verify

MANY = 60


@pytest.fixture
def other(url, request):
    """Another empty database of the same kind."""
    return None if url is None else request.getfixturevalue("postgres").new_database()


def open_auction(desk) -> str:
    """An auction with an open round in which one bidder may correct as often as it likes."""
    keys = {"corrections": "always", "round_minutes": [600, 600]}
    auction = desk.create(ZOE, market_text(**keys)).result().auction
    for bidder, person in enumerate(("ann", "ben")):
        desk.invite(ZOE, auction, bidder, person).result()
    desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
    wait_until(desk, auction, "open")
    submit_open(desk, auction, 0)
    return auction


def submit_many(desk, auction: str) -> None:
    """Corrects one answer over and over."""
    who = bidder_of(auction, 0)
    for k in range(MANY):
        view = desk.bidder(who)
        bundle = counts(view.answers[0].bundle, view.setup.market)
        correction = Submission(corrections=(BundleValue(bundle, f"{5 + k}"),))
        ticks = tuple(w.id for w in desk.check(who, correction).warnings)
        correction = Submission(corrections=correction.corrections, confirmed=ticks)
        desk.submit(who, correction, f"correction-{k:04}").result()


def hashes(desk, auction: str) -> list[str]:
    with desk.database.connect() as connection:
        return [record.hash for record in read(connection, auction)]


def test_backups_while_submitting_hold_and_restore(url, other, tmp_path):
    """
    Tests that every backup is a prefix of the log, that a restored folder has the same head, and
    that its open round comes up paused and can go on to the end.
    """
    desk = open_desk(tmp_path / "data", url)
    auction = open_auction(desk)
    thread = threading.Thread(target=submit_many, args=(desk, auction))
    thread.start()
    count = 0
    while thread.is_alive() or not count:
        backup = write_backup(tmp_path / "data", url, tmp_path / f"{count}.tar")
        log = hashes(desk, auction)
        assert log[backup.auctions[0].num_records - 1] == backup.auctions[0].head
        count += 1
    thread.join()
    last = write_backup(tmp_path / "data", url, tmp_path / "last.tar")
    before = hashes(desk, auction)
    assert last.auctions[0].head == before[-1]
    assert (tmp_path / "last.tar").stat().st_mode & 0o077 == 0
    key = desk.key.public
    desk.close()

    restored = restore(tmp_path / "last.tar", tmp_path / "new", other)
    assert restored == last.auctions
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    assert (tmp_path / "new" / "receipts.key").stat().st_mode & 0o077 == 0
    desk = open_desk(tmp_path / "new", other)
    try:
        assert desk.key.public == key
        state = desk.state_of(auction)
        assert state.phase == "paused"
        assert state.seconds_left > 500 * 60
        after = hashes(desk, auction)
        assert after[:-1] == before
        # Links and sessions are still there.
        assert len(desk.people.of_auction(auction)) == 2
        desk.command(ZOE, auction, cmd.Resume()).result()
        submit_open(desk, auction, 1)
    finally:
        desk.close()
    # The next start is an ordinary one.
    desk = open_desk(tmp_path / "new", other)
    assert desk.state_of(auction).phase == "open"
    desk.close()


class CuttingSource(Source):
    """A connection that breaks after every third line."""

    def lines(self, after):
        for k, line in enumerate(super().lines(after)):
            if k == 3:
                raise Unreachable("cut off")
            yield line


def auditor_token(desk, auction: str) -> str:
    link = desk.invite(ZOE, auction, None, "auditor").result()
    return desk.people.api_token(desk.people.enter(link.token).result().who).result().token


def test_pulled_log_survives_cuts(url, tmp_path, monkeypatch):
    """
    Tests a copy that is cut off again and again, also in the middle of a line, against the
    server's own log.
    """
    with serving(open_desk(tmp_path / "data", url)) as (desk, address, _):
        auction = open_auction(desk)
        token = auditor_token(desk, auction)
        path = tmp_path / "copy.jsonl"
        source, cutting = Source(address, auction, token), CuttingSource(address, auction, token)
        for k in range(100):
            with path.open("ab") as file:
                file.write(b'{"body":{"act'[: k % 13])  # as if the machine had lost its power
            try:
                pull(cutting, OffMachineCopy(path, desk.key.public), None)
                break
            except Unreachable:
                pass
        assert k > 3
        assert OffMachineCopy(path).head == hashes(desk, auction)[-1]
        submit_open(desk, auction, 1)
        lines: list[str] = []
        pull(source, OffMachineCopy(path), None, lines.append)
        assert OffMachineCopy(path).head == hashes(desk, auction)[-1]
        assert len(lines) == 1

        # A log that is longer than one answer of the server.
        monkeypatch.setattr(pull_module, "MOST_LINES", 2)
        pull(source, OffMachineCopy(tmp_path / "other.jsonl"), None)
        assert (tmp_path / "other.jsonl").read_text().splitlines()[:-1] == (
            path.read_text().splitlines()[:-1]
        )

        # Following ends by itself with the auction.
        waits: list[float] = []

        def rest(seconds: float) -> None:
            waits.append(seconds)
            assert len(waits) < 1000
            desk.command(ZOE, auction, cmd.Cancel("enough")).result()

        copy = OffMachineCopy(path)
        pull(source, copy, 5.0, rest=rest)
        assert copy.has_ended
        assert waits == [5.0]
        exported = tmp_path / "export.jsonl"
        assert export(tmp_path / "data", url, auction, exported, "full").head == copy.head
    pulled = read_lines(path.read_text().splitlines(keepends=True))
    assert pulled.records == read_lines(exported.read_text().splitlines(keepends=True)).records


def verdict(path: Path) -> int:
    """How ``boca verify`` ends for a log."""
    return verify(path.read_text().splitlines(keepends=True)).exit_code


def test_published_auction_restored_from_its_pulled_log_verifies(tmp_path):
    """
    Tests the worst case: only an off-machine copy and the key are left. The new server exports a
    log that strangers accept.
    """
    with serving(open_desk(tmp_path / "data")) as (desk, address, _):
        state = drive(desk)
        link = issue(tmp_path / "data", None, "auditor", state.auction, "Kim")
        token = desk.people.api_token(desk.people.enter(link).result().who).result().token
        path = tmp_path / "copy.jsonl"
        pull(Source(address, state.auction, token), OffMachineCopy(path), None)
        outcome = essence(state)
    assert verdict(path) == 0

    with pytest.raises(InputError, match="--key"):
        restore(path, tmp_path / "new")
    key = tmp_path / "data" / "receipts.key"
    copies = restore(path, tmp_path / "new", key_file=key)
    desk = open_desk(tmp_path / "new")
    assert essence(desk.state_of(state.auction)) == outcome
    desk.close()
    for cut in ("full", "public"):
        copy = export(tmp_path / "new", None, state.auction, tmp_path / cut, cut)
        assert copy == copies[0]
    assert verdict(tmp_path / "full") == 0
    assert verdict(tmp_path / "public") == 3  # some bodies stay sealed


def test_changed_copies_are_named(tmp_path):
    """Tests a flipped byte in a backup, in a pulled copy, and a server with another past."""
    with serving(open_desk(tmp_path / "data")) as (desk, address, _):
        auction = open_auction(desk)
        write_backup(tmp_path / "data", None, tmp_path / "good.tar")
        source = Source(address, auction, auditor_token(desk, auction))
        path = tmp_path / "copy.jsonl"
        pull(source, OffMachineCopy(path), None)

        text = path.read_text()
        path.write_text(text.replace('"units":', '"units":1', 1))
        with pytest.raises(InputError, match="does not hold: Record"):
            OffMachineCopy(path)

        # A log that goes on differently from the copy.
        lines = text.splitlines(keepends=True)
        path.write_text("".join(lines[:-1]))
        changed = desk.clock.now().isoformat()
        desk.command(ZOE, auction, cmd.Announce(f"hello {changed}")).result()
        with pytest.raises(InputError, match="was changed or restored"):
            pull(OtherPast(source.url, auction, source.token), OffMachineCopy(path), None)
        with pytest.raises(InputError, match="expected"):
            OffMachineCopy(path, "ab" * 32)
        with pytest.raises(InputError, match="auditor"):
            pull(Source(address, auction, "nonsense"), OffMachineCopy(path), None)
        with pytest.raises(Unreachable):
            pull(Source("http://localhost:1", auction, "x"), OffMachineCopy(path), None)

    content = (tmp_path / "good.tar").read_bytes()
    place = content.index(b'"kind":"configured"')
    (tmp_path / "bad.tar").write_bytes(content[:place] + b"X" + content[place + 1 :])
    with pytest.raises(InputError):
        read_backup(tmp_path / "bad.tar")
    (tmp_path / "cut.tar").write_bytes(content[: len(content) // 2])
    with pytest.raises(InputError):
        read_backup(tmp_path / "cut.tar")
    with pytest.raises(InputError):
        restore(tmp_path / "bad.tar", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="not empty"):
        restore(tmp_path / "good.tar", tmp_path / "data")
    with pytest.raises(InputError, match="already"):
        write_backup(tmp_path / "data", None, tmp_path / "good.tar")


class OtherPast(Source):
    """A server whose log does not hold the copy's last record."""

    def lines(self, after):
        return super().lines("0" * 64)


def test_backup_lists_what_it_holds(tmp_path):
    """Tests that nobody can leave out an auction unnoticed."""
    desk = open_desk(tmp_path / "data")
    drive(desk)
    desk.close()
    write_backup(tmp_path / "data", None, tmp_path / "backup.tar")
    with tarfile.open(tmp_path / "backup.tar") as archive:
        names = archive.getnames()
        contents = json.load(archive.extractfile("backup.json"))
        archive.extractall(tmp_path / "parts", filter="data")
    assert names == ["backup.json", "receipts.key", "auctions.db"]
    del contents["heads"][next(iter(contents["heads"]))]
    parts: Path = tmp_path / "parts"
    (parts / "backup.json").write_text(json.dumps(contents))
    with tarfile.open(tmp_path / "less.tar", "w") as archive:
        for name in names:
            archive.add(parts / name, name)
    with pytest.raises(InputError, match="not signed"):
        read_backup(tmp_path / "less.tar")


@pytest.mark.parametrize(
    ("number", "advice"), [(0, "with the boca that made it"), (2, "newer boca"), (None, "made it")]
)
def test_a_backup_of_another_boca_says_which_one_reads_it(tmp_path, monkeypatch, number, advice):
    """Tests that nobody with an old backup is told to install something newer."""
    open_desk(tmp_path / "data", works=False).close()
    with monkeypatch.context() as patch:
        patch.setattr("boca.live.upkeep.backup.FORMAT", number)
        write_backup(tmp_path / "data", None, tmp_path / "backup.tar")
    words = rf"format {number}, by boca .*this version knows 1.*{advice}"
    with pytest.raises(InputError, match=words):
        read_backup(tmp_path / "backup.tar")


@pytest.mark.parametrize("url", ["nonsense", "http://[::1", "http://a b"])
def test_a_mistyped_address_is_told_at_once(url):
    """Tests that an address that can never answer is not asked again and again."""
    with pytest.raises(InputError, match="cannot be used"):
        list(Source(url, "auction", "token").lines(""))


def test_what_restore_says_to_start_is_what_has_the_auctions(tmp_path, postgres, capsys):
    """Tests the command of the last line, done verbatim: it finds the auctions."""
    desk = open_desk(tmp_path / "data", works=False)
    auction = desk.create(ZOE, market_text()).result().auction
    desk.close()
    write_backup(tmp_path / "data", None, tmp_path / "backup.tar")
    for folder, address in (("a new one", None), ("b", postgres.new_database())):
        data = tmp_path / folder
        given = ["--db", address] if address else []
        assert run(["admin", "restore", str(tmp_path / "backup.tar"), str(data), *given]) == 0
        line = capsys.readouterr().out.splitlines()[-1]
        boca, serve, where, *options = shlex.split(line.partition("with: ")[2])
        assert (boca, serve, where, options) == ("boca", "serve", str(data), given)
        desk = open_desk(Path(where), *options[1:], works=False)
        assert desk.writer.ids == [auction]
        desk.close()
    with pytest.raises(InputError, match="add --db"):
        open_desk(tmp_path / "b", works=False)
