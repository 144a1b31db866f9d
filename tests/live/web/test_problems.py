"""Answers to what goes wrong, from an application without a socket."""

import httpx
import pytest
from live_play import MECHANISMS
from run_apart import run_apart

from boca.live.desk import Desk
from boca.live.web.app import build
from boca.live.web.limits import Limits, Rate

URL = "http://localhost"


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path / "data", is_ticking=False, works=False, mechanisms=MECHANISMS)
    yield desk
    desk.close()


def ask(app, *paths: str, **options) -> list[httpx.Response]:
    """The answers to some requests, one after the other."""

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            return [await client.get(path, **options) for path in paths]

    return run_apart(run())


def test_mistakes_are_answered_also_when_the_limit_is_reached(desk):
    """Tests that an empty bucket does not turn a missing page into an error of ours."""
    link = desk.people.first_link().result()
    session = desk.people.enter(link.token).result().token
    app = build(desk, URL, Limits(requests=Rate(0.001, 1)))
    cookie = {"Cookie": f"__Host-boca={session}"}
    answers = ask(app, "/nowhere", "/nowhere", "/sessions", headers=cookie)
    assert [answer.status_code for answer in answers] == [404, 404, 429]
    assert int(answers[2].headers["retry-after"]) > 0


def test_large_requests_are_refused(desk):
    """Tests a body beyond the limit, with and without its length told beforehand."""
    app = build(desk, URL, Limits(body=1000))

    async def chunks():
        for _ in range(20):
            yield b"x" * 100

    async def run(content) -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            path = "/api/v1/auctions/abc/check"
            return await client.post(path, content=content, headers={"Authorization": "Bearer x"})

    for content in (b"x" * 2000, chunks()):
        answer = run_apart(run(content))
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"


def test_own_mistakes_tell_nothing(desk):
    """Tests that an error of ours is a sentence, without a traceback."""
    app = build(desk, URL)

    @app.get("/broken")
    async def broken() -> None:
        raise RuntimeError("secret detail")

    (answer,) = ask(app, "/broken")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "recorded it" in answer.text


def test_stranger_cannot_choose_its_address(desk):
    """Tests that X-Forwarded-For counts from a proxy of ours only."""
    app = build(desk, URL, Limits(enter=Rate(0.001, 1)))
    headers = [{"X-Forwarded-For": f"10.0.0.{k}"} for k in range(2)]
    statuses = [ask(app, "/enter/abc", headers=h)[0].status_code for h in headers]
    assert statuses == [404, 429]

    believing = build(desk, URL, Limits(enter=Rate(0.001, 1)), proxies=("127.0.0.1",))
    statuses = [ask(believing, "/enter/abc", headers=h)[0].status_code for h in headers]
    assert statuses == [404, 404]
