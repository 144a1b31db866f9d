"""The stream of changes: it says what changed, never what to; viewers fetch the rest."""

import asyncio
import json
import zlib
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import StreamingResponse

from boca.live.auction.audience import PUBLIC, What
from boca.live.web.visitors import Visitor, site_of

PING_SECONDS = 15.0
# An event and not a comment, since pages cannot see comments and must notice that nothing comes.
ALIVE = "event: alive\ndata: {}\n\n"
# What can change; of several at once, the first is told, since viewers fetch everything anyway.
WORDS: tuple[What, ...] = ("phase", "queries", "deadline", "announcement", "progress")
# At most one message per second and viewer.
PAUSE_SECONDS = 1.0


def retry_milliseconds(who: str) -> int:
    """When a viewer comes back after a break; a thousand viewers must not come back at once."""
    return 3000 + zlib.crc32(who.encode()) % 3000


async def changes(request: Request, auction: str, visitor: Visitor | None) -> StreamingResponse:
    """
    The stream of one viewer.

    Parameters
    ----------
    request
        What is answered.
    auction
        Which auction.
    visitor
        Who looks; None for the public.
    """
    site = site_of(request)
    viewer = visitor.who.viewer if visitor else PUBLIC
    name = visitor.who.access if visitor else f"address {request.state.address}"
    most = site.limits.streams if visitor else site.limits.public_streams
    most_in_all = site.limits.viewers
    site.buckets.check_streams(name, most, most_in_all)
    loop = asyncio.get_running_loop()

    async def lines() -> AsyncIterator[str]:
        news: asyncio.Queue[What] = asyncio.Queue()

        def tell(what: What) -> None:
            # Called by the writer's thread; nobody waits once the loop has ended.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(news.put_nowait, what)

        end = site.desk.listen(auction, viewer, tell)
        try:
            with site.buckets.stream(name, most, most_in_all):
                yield f"retry: {retry_milliseconds(name)}\n\n"
                while True:
                    yield await next_line(news)
        finally:
            end()

    return StreamingResponse(lines(), media_type="text/event-stream")


async def next_line(news: "asyncio.Queue[What]") -> str:
    """The next message, or a sign of life."""
    try:
        async with asyncio.timeout(PING_SECONDS):
            words = {await news.get()}
    except TimeoutError:
        return ALIVE
    # Whatever comes within a second is one message.
    await asyncio.sleep(PAUSE_SECONDS)
    while not news.empty():
        words.add(news.get_nowait())
    word = min(words, key=WORDS.index)
    return f"event: changed\ndata: {json.dumps({'what': word})}\n\n"
