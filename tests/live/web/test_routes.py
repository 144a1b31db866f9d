"""Every address x every role x own, somebody else's and absent things."""

import re
import secrets
import time
from types import SimpleNamespace
from typing import cast

import httpx
import pytest
from live_server import Person, market_text

from boca.cli.admin.links import issue
from boca.live.desk import Desk
from boca.live.web.app import build

ROLES = ("nobody", "bidder", "auditor", "auctioneer")
# What each role gets in an auction of its own that has ended; None: any address, see the test.
PAGES = {
    ("GET", "/"): (200, 303, 200, 200),
    ("GET", "/enter/{token}"): (404, 404, 404, 404),
    ("POST", "/enter/{token}"): (404, 404, 404, 404),
    ("GET", "/sessions"): (401, 200, 200, 200),
    ("POST", "/sessions/link"): (401, 200, 200, 200),
    ("POST", "/sessions/token"): (401, 200, 200, 200),
    ("POST", "/sessions/passkey/begin"): (401, 200, 200, 200),
    ("POST", "/sessions/passkey"): (401, 422, 422, 422),
    ("POST", "/passkey/begin"): (200, 200, 200, 200),
    ("POST", "/passkey"): (422, 422, 422, 422),
    ("POST", "/sessions/zone"): (401, 303, 303, 303),
    ("POST", "/sessions/revoke"): (401, 404, 404, 404),
    ("POST", "/language"): (303, 303, 303, 303),
    ("POST", "/sessions/leave"): (401, 303, 303, 303),
    ("GET", "/a/{auction}/sessions"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/sessions/link"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/sessions/token"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/sessions/passkey/begin"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/sessions/passkey"): (401, 422, 404, 404),
    ("POST", "/a/{auction}/sessions/zone"): (401, 303, 404, 404),
    ("POST", "/a/{auction}/sessions/revoke"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/sessions/leave"): (401, 303, 404, 404),
    ("GET", "/a/{auction}/me"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/me"): (401, 303, 404, 404),
    ("GET", "/a/{auction}/sheet"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/sheet"): (401, 422, 404, 404),
    ("GET", "/a/{auction}/sheet/{name}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/again/{query}"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/again/{query}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/check"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/check"): (401, 409, 404, 404),
    ("GET", "/a/{auction}/answers"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/answers"): (401, 303, 404, 404),
    ("GET", "/a/{auction}/answers/{name}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/ask"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/ask"): (401, 409, 404, 404),
    ("GET", "/a/{auction}/inquiries"): (401, 404, 200, 200),
    ("POST", "/a/{auction}/inquiries"): (401, 404, 404, 409),
    ("GET", "/a/{auction}/push"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/push"): (401, 422, 404, 404),
    ("GET", "/a/{auction}/rules"): (401, 200, 200, 200),
    ("POST", "/a/{auction}/rules"): (401, 422, 404, 404),
    ("GET", "/a/{auction}/receipts/{name}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/result"): (401, 200, 404, 404),
    ("GET", "/a/{auction}/log.jsonl"): (401, 200, 200, 200),
    ("GET", "/a/{auction}/award.pdf"): (200, 200, 200, 200),
    ("GET", "/a/{auction}/award.xlsx"): (200, 200, 200, 200),
    ("GET", "/a/{auction}/late"): (401, 200, 404, 404),
    ("POST", "/a/{auction}/late"): (401, 303, 404, 404),
    ("GET", "/a/{auction}/public"): (200, 200, 200, 200),
    ("GET", "/a/{auction}/public.jsonl"): (200, 200, 200, 200),
    ("GET", "/a/{auction}/rules.json"): (200, 200, 200, 200),
    ("GET", "/a/{auction}/proofs"): (404, 404, 200, 200),
    ("GET", "/new"): (401, 404, 404, 200),
    ("POST", "/new"): (401, 404, 404, 422),
    ("POST", "/new/create"): (401, 404, 404, 422),
    ("POST", "/new/form"): (401, 404, 404, 303),
    ("GET", "/setup/{key}/{step}"): (401, 404, 404, 404),
    ("POST", "/setup/{key}/{step}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/edit"): (401, 404, 404, 409),
    ("POST", "/a/{auction}/edit"): (401, 404, 404, 409),
    ("POST", "/new/file"): (401, 404, 404, 200),
    ("GET", "/new/courses"): (401, 404, 404, 200),
    ("POST", "/new/courses"): (401, 404, 404, 422),
    # Only allocations of courses have these; test_courses.py looks at who reads them there.
    ("GET", "/a/{auction}/ratings"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/ratings"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/compare"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/compare"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/said"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/change"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/change"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/assignment.csv"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/run"): (401, 404, 200, 200),
    ("POST", "/a/{auction}/withdraw"): (401, 404, 404, 409),
    ("GET", "/a/{auction}/do/{command}"): (401, 404, 404, 409),
    ("POST", "/a/{auction}/do/{command}"): (401, 404, 404, 409),
    ("GET", "/a/{auction}/bidders"): (401, 404, 200, 200),
    ("POST", "/a/{auction}/bidders"): (401, 404, 404, 422),
    ("POST", "/a/{auction}/bidders/links.csv"): (401, 404, 404, 200),
    ("GET", "/a/{auction}/bidders/revoke"): (401, 404, 404, 404),
    ("POST", "/a/{auction}/bidders/revoke"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/bidders/{number}"): (401, 404, 200, 200),
    ("POST", "/a/{auction}/bidders/{number}"): (401, 404, 404, 422),
    ("POST", "/a/{auction}/bidders/{number}/enter"): (401, 404, 404, 422),
    ("GET", "/a/{auction}/outcome"): (401, 404, 200, 200),
    # Only purchases have these; test_other_markets.py looks at who reads them there.
    ("GET", "/a/{auction}/scenarios"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/letters/{number}"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/letter"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/told"): (401, 200, 200, 404),
    ("POST", "/a/{auction}/told"): (401, 303, 303, 404),
    # There is one while a round is open; tests/live/mail looks at it.
    ("GET", "/a/{auction}/deadline.ics"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/mails"): (401, 404, 200, 200),
    ("POST", "/a/{auction}/mails"): (401, 404, 404, 404),
    ("GET", "/a/{auction}/log"): (401, 404, 200, 200),
    ("GET", "/a/{auction}/rehearse"): (401, 404, 404, 200),
    ("POST", "/a/{auction}/rehearse"): (401, 404, 404, 303),
    ("GET", "/static/{name}"): (404, 404, 404, 404),
    ("GET", "/favicon.ico"): (301, 301, 301, 301),
    ("GET", "/health"): (200, 200, 200, 200),
}
COMMANDS = {
    "open": None,
    "retry": None,
    "close": None,
    "publish": None,
    "start": {"accept_missing": True},
    "extend": {"minutes": 5, "reason": "why not"},
    "pause": {"reason": "why not"},
    "resume": {"reason": "why not"},
    "stop": {"reason": "why not"},
    "cancel": {"reason": "why not"},
    "announce": {"text": "hello"},
}
A = "/api/v1/auctions/{auction}"
CALLS = {
    ("GET", "/api/openapi.json"): (200, 200, 200, 200),
    ("GET", A): (200, 200, 200, 200),
    ("GET", f"{A}/rules"): (401, 200, 200, 200),
    ("GET", f"{A}/log"): (200, 200, 200, 200),
    ("GET", f"{A}/queries"): (401, 200, 404, 404),
    ("POST", f"{A}/check"): (401, 200, 404, 404),
    ("POST", f"{A}/submissions"): (401, 409, 404, 404),
    ("POST", f"{A}/accept"): (401, 409, 404, 404),
    ("GET", f"{A}/receipts"): (401, 200, 404, 404),
    ("GET", f"{A}/receipts/{{record}}"): (401, 404, 404, 404),
    ("GET", f"{A}/result"): (401, 200, 404, 404),
    ("GET", f"{A}/progress"): (401, 404, 200, 200),
    ("POST", "/api/v1/auctions"): (401, 404, 404, 422),
    ("POST", f"{A}/invitations"): (401, 404, 404, 409),
    **{("POST", f"{A}/{command}"): (401, 404, 404, 409) for command in COMMANDS},
}
BODIES = {
    f"{A}/check": {},
    f"{A}/accept": {"rules": "0" * 64},
    f"{A}/submissions": {"declines": ["r0-b1-q1"]},
    f"{A}/invitations": {"person": "Zoe"},
    "/api/v1/auctions": {"text": "name = 3"},
    **{f"{A}/{command}": body for command, body in COMMANDS.items() if body},
}
# Streams never end: test_stream.py has them.
STREAMS = {("GET", "/a/{auction}/events"), ("GET", f"{A}/events")}


def routes() -> set[tuple[str, str]]:
    """Every address that the application knows."""
    app = build(cast(Desk, SimpleNamespace(people=None)), "http://localhost")
    found = set()

    def walk(routes) -> None:
        for route in routes:
            if hasattr(route, "path"):
                found.update((m, route.path) for m in (route.methods or ()) if m != "HEAD")
            else:
                walk(route.original_router.routes)  # what include_router leaves behind

    walk(app.routes)
    return found


def test_every_address_is_in_the_tables():
    """Tests that nobody adds an address without saying who may use it."""
    assert routes() == PAGES.keys() | CALLS.keys() | STREAMS


def steady(answer: httpx.Response) -> tuple[int, dict[str, str], str]:
    """An answer without the time at which it was made, and without its own address."""
    text = re.sub(r"\d\d:\d\d:\d\d UTC|\d\d:\d\d:\d\d\.\d+(\+00:00|Z)", "", answer.text)
    text = text.replace(f'name="back" value="{answer.request.url.path}"', "")
    headers = {k: v for k, v in answer.headers.items() if k not in ("date", "content-length")}
    return answer.status_code, headers, re.sub(r"T(?=\")", "", text)


@pytest.fixture(scope="module")
def visitors(server, clerk, ended):
    """Somebody of every role, who can be made again after signing out."""

    def make(role: str) -> Person:
        person = Person(server.url)
        match role:
            case "bidder":
                secret = ended["Club A"].post(ended.path("sessions/link"), {}).text
                person.enter(re.search(r'class="secret">([^<]+)<', secret)[1])
            case "auditor":
                person.cookie = auditor_cookie
            case "auctioneer":
                person.cookie = auctioneer_cookie
        return person

    from boca.cli.admin.links import issue

    def new_cookie(role: str, auction: str | None) -> str:
        person = Person(server.url)
        person.enter(f"{server.url}/enter/{issue(server.data, None, role, auction, 'Kim')}")
        return person.cookie

    auditor_cookie = new_cookie("auditor", ended.auction)
    auctioneer_cookie = new_cookie("auctioneer", None)
    return make


@pytest.mark.parametrize("key", PAGES, ids=" ".join)
def test_pages_answer_each_role_as_the_table_says(visitors, ended, draft, key):
    """
    Tests every page for every role, and that somebody else's auction looks exactly like one that
    does not exist.
    """
    method, template = key
    for role, expected in zip(ROLES, PAGES[key], strict=True):
        if template.endswith("leave") and role in ("auditor", "auctioneer"):
            continue  # it would sign the only one out
        person = visitors(role)

        def ask(auction: str, person: Person = person) -> httpx.Response:
            path = template.format(
                auction=auction,
                token="x" * 43,
                name="0" * 64,
                command="announce",
                number=1,
                query="r0-b1-q1",
                key="x" * 16,
                step="goods",
            )
            send = person.get if method == "GET" else lambda p: person.post(p, {"id": "none"})
            return send(path)

        assert ask(ended.auction).status_code == expected, role
        if "{auction}" in template and role != "auctioneer":
            person = visitors(role)
            other, absent = ask(draft.auction, person), ask("a" * 16, person)
            assert steady(other) == steady(absent), role
            assert other.status_code == (401 if expected == 401 else 404), role


@pytest.fixture(scope="module")
def tokens(clerk, ended):
    """A token of every role."""
    body = {"person": "Auditor", "kind": "token"}
    return {
        "nobody": None,
        "bidder": ended.tokens["Club A"],
        "auditor": audit_token(ended, body),
        "auctioneer": clerk.client.token,
    }


def audit_token(ended, body) -> str:
    """A token of an auditor; nobody can be invited to an ended auction, so by the page."""
    from boca.cli.admin.links import issue

    server = ended.server
    person = Person(server.url)
    person.enter(f"{server.url}/enter/{issue(server.data, None, 'auditor', ended.auction, 'Lou')}")
    page = person.post("/sessions/token", {}).text
    return re.search(r'class="secret">([^<]+)<', page)[1]


@pytest.mark.parametrize("key", CALLS, ids=" ".join)
def test_calls_answer_each_role_as_the_table_says(tokens, ended, draft, key):
    """Tests every call of the API in the same way."""
    method, template = key
    url = ended.server.url
    for role, expected in zip(ROLES, CALLS[key], strict=True):
        headers = {"Idempotency-Key": secrets.token_hex(8)}
        if tokens[role]:
            headers["Authorization"] = f"Bearer {tokens[role]}"

        def ask(auction: str, headers: dict[str, str] = headers) -> httpx.Response:
            path = template.format(auction=auction, record="0" * 64)
            body = BODIES.get(template) if method == "POST" else None
            return httpx.request(method, url + path, json=body, headers=headers, timeout=60)

        assert ask(ended.auction).status_code == expected, role
        if "{auction}" in template and role != "auctioneer":
            other, absent = ask(draft.auction), ask("a" * 16)
            assert steady(other) == steady(absent), role
            assert other.status_code == (401 if expected == 401 else 404), role


def test_pages_take_no_tokens_and_calls_no_cookies(ended):
    """Tests that a form of another site can never use the API, whatever the browser sends."""
    url = ended.server.url
    bearer = {"Authorization": f"Bearer {ended.tokens['Club A']}"}
    assert httpx.get(url + ended.path("me"), headers=bearer).status_code == 401
    cookie = {"Cookie": f"__Host-boca={ended['Club A'].cookie}"}
    queries = f"{url}/api/v1/auctions/{ended.auction}/queries"
    assert httpx.get(queries, headers=cookie).status_code == 401
    wrong = {"Authorization": "Bearer nonsense"}
    assert httpx.get(queries, headers=wrong).status_code == 401


def test_every_answer_carries_the_headers(ended):
    """Tests pages, mistakes, files and calls alike."""
    person = ended["Club A"]
    for path in ("/", ended.path("me"), "/nowhere", "/health", "/api/openapi.json"):
        headers = person.get(path).headers
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    style = re.search(r'href="(/static/page[^"]+css)"', person.get("/").text or "") or re.search(
        r'href="(/static/page[^"]+css)"', Person(person.url).get("/").text
    )
    assert "max-age=31536000" in person.get(style[1]).headers["cache-control"]


PLACES = [place for place in {**PAGES, **CALLS} if "{auction}" in place[1]]


@pytest.fixture(scope="module")
def deputy(server, ended):
    """An auctioneer of one auction: a session, and a token for programs."""
    person = Person(server.url)
    token = issue(server.data, None, "auctioneer", ended.auction, "Dot")
    person.enter(f"{server.url}/enter/{token}")
    page = person.post("/sessions/token", {})
    return person, re.search(r'class="secret"[^>]*>([^<]+)<', page.text)[1].strip()


def test_an_auctioneer_of_one_auction_runs_that_one_alone(server, ended, draft, deputy):
    """Tests the list of auctions, new ones, and that the own auction is there."""
    person, token = deputy
    assert ended.auction in person.get("/?show=archive").text
    for path in ("/", "/?show=archive", "/?find=a"):
        assert draft.auction not in person.get(path).text
    for path in ("/new", "/new/courses"):
        assert person.get(path).status_code == 404
    assert person.post("/new/form", {}).status_code == 404
    assert person.get(ended.path("run")).status_code == 200
    assert person.get(ended.path("log")).status_code == 200
    assert person.post(ended.path("rehearse"), {"do": "copy"}).status_code in (403, 404)
    headers = {"Authorization": f"Bearer {token}"}
    created = httpx.post(
        f"{server.url}/api/v1/auctions",
        json={"text": market_text(2)},
        headers={**headers, "Idempotency-Key": "deputy-creates"},
    )
    assert created.status_code in (403, 404)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: " ".join(place))
def test_to_an_auctioneer_of_one_auction_others_are_not_there(server, draft, deputy, place):
    """Tests every address of another auction, by page and by program."""
    person, token = deputy
    method, template = place
    if place in STREAMS:
        return
    path = template.format(
        auction=draft.auction, token="x" * 43, name="0" * 64, command="announce", number=1,
        query="r0-b1-q1", key="x" * 16, step="goods", record="0" * 64,
    )  # fmt: skip

    def ask() -> httpx.Response:
        if not path.startswith("/api/"):
            return person.get(path) if method == "GET" else person.post(path, {})
        body = BODIES.get(template) if method == "POST" else None
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": "deputy-looks-round"}
        return httpx.request(method, server.url + path, json=body, headers=headers)

    # One session asks for all addresses, which a quick machine does faster than anybody may.
    while (answer := ask()).status_code == 429:
        time.sleep(0.2)
    assert answer.status_code == 404, answer.text[:300]
