"""Secrets stay where they belong: not in logs, not in the database, not in answers to others."""

import json
import re
import sqlite3

from live_server import Person, market_text, new_sale

VALUE = "73.91"
# As a number of its own: the digits may well stand in a time or in a hash.
UNITS = re.compile(r"\b7391\b")


def test_no_secret_can_be_found_anywhere(server, clerk):
    """
    Tests tokens of links, sessions and programs: none is in the server's log, in any table or in
    the exported log; and a value is nowhere but in its own record.
    """
    sale = new_sale(server, clerk, market_text(2, publish='"own"'))
    link = clerk.link(sale.auction, "Club A", "Robin")
    person = Person(server.url)
    person.enter(link)
    sale.answer("Club A", VALUE)
    person.get(f"/enter/{link.rpartition('/')[2]}")
    person.get("/enter/" + "s3cret" * 7)
    person.get(sale.path("nowhere"))

    secrets = [link.rpartition("/")[2], person.cookie, *sale.tokens.values(), clerk.client.token]
    secrets += [visitor.cookie for visitor in sale.people.values()]
    places = {"the server's log": server.log.read_text(), "the database": dump(server)}
    lines = server_log_lines(clerk, sale.auction)
    places["the exported log"] = "\n".join(lines)
    for name, content in places.items():
        assert not [secret for secret in secrets if secret in content], name
    assert VALUE not in places["the server's log"]
    assert not UNITS.search(places["the server's log"])
    bodies = [json.loads(line).get("body", {}) for line in lines]
    holding = [body for body in bodies if UNITS.search(json.dumps(body))]
    assert {body["actor"] for body in holding} == {"bidder:0/program"}

    other = sale["Club B"]
    for page in (
        "me",
        "sheet",
        "answers",
        "check",
        "push",
        "rules",
        "result",
        "sessions",
        "public",
    ):
        text = other.get(sale.path(page)).text
        assert VALUE not in text
        assert "Robin" not in text
        assert "Pat of Club A" not in text


def dump(server) -> str:
    """Every table as text."""
    with sqlite3.connect(f"file:{server.data / 'auctions.db'}?mode=ro", uri=True) as database:
        return "\n".join(database.iterdump())


def server_log_lines(clerk, auction: str) -> list[str]:
    """The full log as an auditor gets it."""
    import httpx

    url = f"{clerk.client.url}/api/v1/auctions/{auction}/log"
    answer = httpx.get(url, headers={"Authorization": f"Bearer {clerk.client.token}"})
    assert answer.status_code == 200
    return answer.text.splitlines()
