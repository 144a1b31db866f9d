"""The stream of changes: who is told what, and how much one viewer can open."""

import asyncio
from contextlib import ExitStack

import httpx
import pytest
from live_server import Person
from run_apart import run_apart

from boca.live.web.limits import Limits
from boca.live.web.stream import next_line, retry_milliseconds


def first_lines(url: str, headers: dict[str, str], number: int, act=lambda: None) -> list[str]:
    """The first lines of a stream that are not empty; something is done once it is open."""
    lines: list[str] = []
    with httpx.stream("GET", url, headers=headers, timeout=30) as answer:
        assert answer.status_code == 200, answer.read()
        for line in answer.iter_lines():
            if line:
                lines.append(line)
                if len(lines) == 1:
                    act()
            if len(lines) >= number:
                return lines
    raise AssertionError(f"the stream ended after {lines}")


def test_bidder_is_told_of_its_own_submission_only(sale, unused):
    """Tests that others' submissions are not even counted, and that no value ever travels."""
    mine, other = next(unused), next(unused)
    url = f"{sale.server.url}/api/v1/auctions/{sale.auction}/events"
    headers = {"Authorization": f"Bearer {sale.tokens[mine]}"}

    def act() -> None:
        sale.answer(other, "12.34")
        sale.answer(mine, "56.78")

    lines = first_lines(url, headers, 3, act)
    assert lines[0].startswith("retry: ")
    assert lines[1:] == ["event: changed", 'data: {"what": "queries"}']


def test_streams_of_pages_need_the_session(sale, draft, unused):
    """Tests own, other and public auctions."""
    bidder = next(unused)
    url = sale.server.url
    lines = first_lines(url + sale.path("events"), sale[bidder].headers(), 1)
    assert lines[0].startswith("retry: ")
    assert Person(url).get(sale.path("events")).status_code == 404
    assert sale[bidder].get(draft.path("events")).status_code == 404


def test_ended_auction_can_be_watched_by_anybody(ended):
    """Tests the public's stream."""
    url = f"{ended.server.url}/api/v1/auctions/{ended.auction}/events"
    assert first_lines(url, {"X-Forwarded-For": "10.9.9.9"}, 1)


def test_one_viewer_has_a_limited_number_of_streams(sale, unused):
    """Tests that a viewer with too many open streams gets 429 and when to come again."""
    bidder = next(unused)
    url = f"{sale.server.url}/api/v1/auctions/{sale.auction}/events"
    headers = {"Authorization": f"Bearer {sale.tokens[bidder]}"}
    with ExitStack() as stack:
        readers = []  # a reader that nobody keeps closes its stream
        for _ in range(Limits().streams):
            stream = stack.enter_context(httpx.stream("GET", url, headers=headers, timeout=30))
            readers.append(stream.iter_lines())
            assert next(readers[-1]).startswith("retry: ")
        refused = httpx.get(url, headers=headers)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0


def test_changes_within_a_second_are_one_message():
    """Tests that many changes at once do not become many messages."""

    async def run() -> str:
        news: asyncio.Queue = asyncio.Queue()
        for word in ("progress", "deadline", "phase", "progress"):
            news.put_nowait(word)
        line = await next_line(news)
        assert news.empty()
        return line

    assert run_apart(run()) == 'event: changed\ndata: {"what": "phase"}\n\n'


@pytest.mark.parametrize("who", ["a", "b", "c"])
def test_viewers_come_back_at_different_times(who):
    """Tests the jitter after a restart: three to six seconds, each viewer its own."""
    assert 3000 <= retry_milliseconds(who) < 6000
    assert retry_milliseconds(who) != retry_milliseconds(who + "x")
