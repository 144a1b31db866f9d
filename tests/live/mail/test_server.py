"""A real server, a real mail server, and kills."""

import re
import subprocess
import sys
from collections import Counter

import pytest
from live_server import LiveServer, Person, market_text, wait_for
from post_office import PostOffice


@pytest.fixture
def office():
    with PostOffice() as office:
        yield office


@pytest.fixture
def server(tmp_path, office):
    path = tmp_path / "server.toml"
    path.write_text(office.settings)
    server = LiveServer(tmp_path / "data", options=("--settings", str(path))).start()
    yield server
    if server.process.poll() is None:
        server.stop()


def invite(server, clerk, names) -> tuple[str, Person]:
    """An auction to which everybody is invited on the page, by mail."""
    boss = server.boss
    auction = clerk.create(market_text(len(names)))
    fields = {f"person-{k}": f"Pat {k}" for k in range(len(names))}
    fields |= {f"address-{k}": f"pat{k}@example.org" for k in range(len(names))}
    page = boss.post(f"/a/{auction}/bidders", {"do": "named", "by_mail": "1", **fields})
    assert page.status_code == 200
    assert "/enter/" not in page.text
    return auction, boss


def links(office) -> dict[str, str]:
    """Address -> the link that was mailed last."""
    found = {}
    for mail in office.mails:
        link = re.search(r"http\S+/enter/\S+", mail.get_content())
        if link:
            found[mail["To"].addresses[0].addr_spec] = link[0]
    return found


def listed(server) -> str:
    """What the operator's command says."""
    command = [sys.executable, "-m", "boca", "admin", "mails", str(server.data)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_kills_tell_nobody_twice(server, office):
    """
    Tests invitations, a kill while a mail is on its way, a start with a dead mail server, and a
    round: everybody has each mail once, and the list says what is not certain.
    """
    clerk = server.clerk()
    names = [f"Club {letter}" for letter in "ABC"]
    auction, boss = invite(server, clerk, names)
    office.wait(3)
    for address, link in links(office).items():
        person = Person(server.url)
        assert person.enter(link).headers["location"] == f"/a/{auction}/me", address

    # The mail server has the text of a mail and has not answered yet.
    office.answers.clear()
    clerk.do(auction, "start", {"accept_missing": False})
    office.wait(4)
    server.process.kill()
    server.process.wait()
    office.stop()
    office.answers.set()

    server.start()  # nobody takes mails now, and the auction goes on all the same
    wait_for(clerk, auction, "open")
    assert boss.get(f"/a/{auction}/run").status_code == 200
    server.process.kill()
    server.process.wait()
    with PostOffice(office.port) as second:
        server.start()
        second.wait(2)
        told = Counter(
            (mail["Subject"], mail["To"].addresses[0].addr_spec)
            for mail in [*office.mails, *second.mails]
        )
        assert set(told.values()) == {1}
        assert sum(subject.startswith("Round 1") for subject, _ in told) == 3
        lines = listed(server).splitlines()
        assert sum("unsure" in line for line in lines) == 1
        assert sum(" sent " in line for line in lines) == 5
        page = boss.get(f"/a/{auction}/mails").text
        assert page.count("not certain") == 1
        assert "pat1@example.org" in page
        assert "example.org" not in "\n".join(log_of(clerk, auction))


def log_of(clerk, auction) -> list[str]:
    import httpx

    url = f"{clerk.client.url}/api/v1/auctions/{auction}/log"
    return httpx.get(
        url, headers={"Authorization": f"Bearer {clerk.client.token}"}
    ).text.splitlines()


def test_pages_of_people_and_calendar(server, office):
    """Tests that a person changes its address and saves the end of the round as a file."""
    clerk = server.clerk()
    auction, boss = invite(server, clerk, ["Club A"])
    office.wait(1)
    pat = Person(server.url)
    pat.enter(links(office)["pat0@example.org"])
    here = f"/a/{auction}"
    assert 'value="pat0@example.org"' in pat.get(f"{here}/told").text
    assert pat.get(f"{here}/deadline.ics").status_code == 404
    wrong = pat.post(f"{here}/told", {"address": "pat@example.org\r\nBcc: x@y.z", "wants": "round"})
    assert wrong.status_code == 422
    assert "cannot be used" in wrong.text
    saved = pat.post(f"{here}/told", {"address": "new@example.org", "wants": ["round", "result"]})
    assert saved.status_code == 303
    clerk.do(auction, "start", {"accept_missing": False})
    wait_for(clerk, auction, "open")
    office.wait(2)
    assert office.recipients[-1] == "new@example.org"

    first = pat.get(f"{here}/deadline.ics")
    assert first.headers["content-type"].startswith("text/calendar")
    clerk.do(auction, "extend", {"minutes": 10, "reason": "a storm"})
    second = pat.get(f"{here}/deadline.ics")
    event, moved = (dict(re.findall(r"^([A-Z]+):(.*)\r$", i.text, re.M)) for i in (first, second))
    assert event["UID"] == moved["UID"]
    assert int(moved["SEQUENCE"]) - int(event["SEQUENCE"]) == 600
    assert moved["DTSTART"] > event["DTSTART"]
    assert all(len(line.encode()) <= 75 for line in second.text.split("\r\n"))

    assert pat.post(f"{here}/told", {"do": "remove"}).status_code == 303
    assert 'value=""' in pat.get(f"{here}/told").text
    assert "new@example.org" not in boss.get(f"{here}/mails").text
    assert pat.get(f"{here}/mails").status_code == 404


def test_wrong_settings_end_the_start(tmp_path):
    """Tests that a mistake in the settings is told at once, in one line."""
    path = tmp_path / "server.toml"
    path.write_text("[mail]\nhost = 3\n")
    command = [sys.executable, "-m", "boca", "serve", str(tmp_path / "d"), "--settings", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "mail.host" in ended.stderr
