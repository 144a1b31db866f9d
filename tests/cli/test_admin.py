"""``boca admin`` as people type it, beside a server that runs."""

import json
import re

import pytest
from live_server import LiveServer, Person, finish, market_text, new_sale

from boca.cli.main import run
from boca.live.store.database import Database


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = LiveServer(tmp_path_factory.mktemp("admin") / "data").start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def sale(server):
    """A published auction."""
    sale = new_sale(server, server.clerk(), market_text(2, num_initial="2", num_total="2"))
    finish(sale)
    return sale


@pytest.fixture
def admin(server, capsys):
    """Runs a command on the server's folder: exit code and output."""

    def admin(command: str, *arguments: object) -> tuple[int, str]:
        code = run(["admin", command, *map(str, arguments)])
        said = capsys.readouterr()
        return code, " ".join((said.out + said.err).split())

    return admin


def test_sessions_are_listed_and_revoked(server, sale, admin):
    """Tests that a revoked session ends with its next request."""
    person = Person(server.url)
    code, link = admin("link", server.data, "--person", "Robin", "--url", server.url)
    assert code == 0
    person.enter(link)
    assert person.get("/sessions").status_code == 200
    code, text = admin("sessions", server.data)
    assert code == 0
    assert sale.auction in text
    session = re.search(r"([0-9a-f]{16}) session auctioneer Robin", text)
    assert session, text
    code, text = admin("revoke", server.data, session[1])
    assert (code, text) == (0, f"Revoked session {session[1]} of Robin.")
    assert person.get("/sessions").status_code == 401
    assert session[1] not in admin("sessions", server.data)[1]
    assert session[1] in admin("sessions", server.data, "--all")[1]
    code, text = admin("revoke", server.data, "nothing")
    assert code == 2
    assert "There is no link, session or token 'nothing'" in text


def test_backup_restore_export_and_check_beside_the_server(server, sale, admin, tmp_path):
    """Tests the way of an operator: check, back up, restore, export, compare heads."""
    code, text = admin("check", server.data)
    assert code == 0, text
    head = re.search(r"head ([0-9a-f]{64})", text)[1]
    code, text = admin("backup", server.data, tmp_path / "backup.tar")
    assert code == 0
    assert head in text
    code, text = admin("restore", tmp_path / "backup.tar", tmp_path / "new")
    assert code == 0
    assert head in text
    for data in (server.data, tmp_path / "new"):
        code, text = admin("export", data, sale.auction, tmp_path / "log.jsonl")
        assert code == 0
        assert head in text
        assert json.loads((tmp_path / "log.jsonl").read_text().splitlines()[-1])["head"] == head
    code, public = admin("key", server.data)
    assert public == sale.client("Club A").get(f"/auctions/{sale.auction}/rules")["public_key"]
    assert run(["verify", str(tmp_path / "log.jsonl"), "--key", public]) == 0


def test_pull_from_another_machine(server, sale, admin, tmp_path):
    """Tests the off-machine copy by an auditor's token."""
    code, link = admin(
        "link", server.data, "--role", "auditor", "--auction", sale.auction, "--url", server.url
    )
    auditor = Person(server.url)
    auditor.enter(link)
    page = auditor.post("/sessions/token", {}).text
    (tmp_path / "token").write_text(re.search(r'class="secret">([^<]+)<', page)[1] + "\n")
    copy = tmp_path / "copy.jsonl"
    options = ("--auction", sale.auction, "--token-file", tmp_path / "token")
    code, text = admin("pull", server.url, copy, *options)
    assert code == 0, text
    assert run(["verify", str(copy)]) == 0
    # Once more: nothing is new, and the copy stays as it is.
    assert admin("pull", server.url, copy, *options)[0] == 0
    code, text = admin("pull", server.url, copy, "--key", "ab" * 32, *options)
    assert code == 2
    assert "Ask whose is right" in text


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("link", ()),
        ("sessions", ()),
        ("revoke", ("id",)),
        ("backup", ("file",)),
        ("export", ("auction", "file")),
        ("check", ()),
        ("key", ()),
    ],
)
def test_wrong_folder_is_told_and_not_made(admin, tmp_path, command, arguments):
    """Tests a slip in the folder's name: one sentence, and no folder afterwards."""
    code, text = admin(command, tmp_path / "nowhere", *arguments)
    assert code == 2
    assert "Check the folder" in text
    assert not (tmp_path / "nowhere").exists()


def test_mistakes_in_arguments_are_told(server, sale, admin, tmp_path):
    """Tests one sentence each."""
    assert (
        "expected full or public"
        in admin("export", server.data, sale.auction, tmp_path / "x", "--cut", "own")[1]
    )
    assert "There is no auction 'abc'" in admin("export", server.data, "abc", tmp_path / "x")[1]
    (tmp_path / "rubbish").write_text("hello")
    assert "not JSON" in admin("restore", tmp_path / "rubbish", tmp_path / "new")[1]
    assert "No such file" in admin("restore", tmp_path / "absent", tmp_path / "new")[1]
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "words",
    [
        ("link", "DATA", "--person", "\udcff"),
        ("revoke", "DATA", "\udcff"),
        ("export", "DATA", "\udcff", "new.jsonl"),
        ("restore", "/dev/zero", "new"),
    ],
)
def test_words_and_files_that_nobody_can_read_are_told(admin, tmp_path, monkeypatch, words):
    """Tests bytes that are no text, which ended in tracebacks, and a file without an end."""
    Database(tmp_path / "data").close()
    monkeypatch.chdir(tmp_path)

    code, text = admin(*(str(tmp_path / "data") if word == "DATA" else word for word in words))

    assert code == 2
    assert text.startswith("error: ")
    assert "expected" in text
