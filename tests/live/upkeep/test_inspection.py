"""``boca admin check`` finds what is wrong before an auction does."""

import sqlite3

import pytest
from whole_auction import drive, open_desk

from boca.live.upkeep.inspection import inspect


@pytest.fixture
def data(tmp_path):
    """A folder with one published auction, whose server has ended."""
    desk = open_desk(tmp_path / "data")
    drive(desk)
    desk.close()
    for path in (tmp_path / "data").iterdir():
        path.chmod(0o600)  # which `boca serve` sees to by its umask
    return tmp_path / "data"


def trouble(data, **options) -> list[str]:
    return [finding.name for finding in inspect(data, **options) if not finding.is_well]


def test_a_good_folder_has_no_trouble(data, url, tmp_path):
    """Tests both databases, and that every log is named with its head."""
    if url is not None:
        data = tmp_path / "with postgres"
        desk = open_desk(data, url)
        drive(desk)
        desk.close()
    findings = list(inspect(data, url))
    assert all(finding.is_well for finding in findings), findings
    assert [f.name.split()[0] for f in findings] == [
        "permissions", "disk", "engine", "second", "database", "clock", "log",
    ]  # fmt: skip
    assert "head" in findings[-1].sentence


def test_each_kind_of_trouble_is_named(data):
    """Tests permissions, a full disk, a clock that was set back, another key, a changed log."""
    assert trouble(data, disk_free=lambda path: 499_999_999) == ["disk"]
    assert trouble(data, disk_free=lambda path: 500_000_000) == []

    (data / "receipts.key").chmod(0o640)
    assert trouble(data) == ["permissions"]
    (data / "receipts.key").chmod(0o600)

    with sqlite3.connect(data / "auctions.db") as connection:
        connection.execute("DELETE FROM meta WHERE name = 'alive_at'")
        connection.execute("INSERT INTO meta VALUES ('alive_at', '2999-01-01T00:00:00.000000Z')")
    assert trouble(data) == ["clock"]
    with sqlite3.connect(data / "auctions.db") as connection:
        connection.execute("DELETE FROM meta WHERE name = 'alive_at'")

    key = (data / "receipts.key").read_text()
    (data / "receipts.key").write_text("ab" * 32)
    assert [name.split()[0] for name in trouble(data)] == ["log"]
    (data / "receipts.key").write_text(key)

    with sqlite3.connect(data / "auctions.db") as connection:
        connection.execute("DROP TRIGGER event_no_update")
        connection.execute("UPDATE event SET body = replace(body, 'Zoe', 'Joe') WHERE seq = 2")
    assert [name.split()[0] for name in trouble(data)] == ["log"]
