"""
Who comes in first: strangers are limited and served from memory, so that people who are signed in
never wait behind them.
"""

import html
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boca.live.desk import Desk
from boca.live.web.limits import Buckets, Limits, TooManyRequests
from boca.live.web.texts import load

COOKIE = "__Host-boca"
# Files whose names change with their content, and what monitoring asks, cost next to nothing.
FREE = ("/static/", "/health", "/favicon.ico")
# A whole log is worth several pages.
DEAR, PRICE = ("/log", ".jsonl"), 5.0
# Pages that look the same to all strangers are made once in this many seconds.
FRESH_SECONDS = 1.0
MOST_PAGES, MOST_PAGE_BYTES = 200, 256 * 1024
# Before the end of a round, strangers get less.
NEAR = timedelta(minutes=2)


@dataclass
class KeptPages:
    """
    The latest answers to strangers, for a second.

    Parameters
    ----------
    seconds
        A clock that only goes forwards.
    """

    seconds: Callable[[], float]
    pages: OrderedDict[str, tuple[float, list[Message]]] = field(default_factory=OrderedDict)

    def get(self, key: str) -> list[Message] | None:
        """An answer that is still fresh."""
        made, messages = self.pages.get(key, (0.0, []))
        return messages if messages and self.seconds() - made < FRESH_SECONDS else None

    def keep(self, key: str, messages: list[Message]) -> None:
        """Keeps a whole answer that is not too long."""
        is_whole = bool(messages) and not messages[-1].get("more_body", False)
        size = sum(len(message.get("body", b"")) for message in messages)
        if not is_whole or messages[0].get("status") != 200 or size > MOST_PAGE_BYTES:
            return
        self.pages.pop(key, None)
        self.pages[key] = (self.seconds(), messages)
        if len(self.pages) > MOST_PAGES:
            self.pages.popitem(last=False)


class Gate:
    """
    Wraps the application: limits strangers by address and in all, and answers them from memory.

    Whoever has a cookie or a token that worked before passes. The first time it counts for the
    address, so that nobody gets past by making credentials up.

    Parameters
    ----------
    app
        The application.
    buckets, limits
        How much strangers can ask for.
    desk
        Knows when rounds end.
    """

    def __init__(self, app: ASGIApp, buckets: Buckets, limits: Limits, desk: Desk):
        self.app, self.buckets, self.limits, self.desk = app, buckets, limits, desk
        self.kept = KeptPages(buckets.seconds)
        self._near: tuple[float, bool] = (-1.0, False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(FREE):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        credential = credential_of(headers)
        if credential and self.buckets.is_good(credential):
            await self.app(scope, receive, send)
            return
        try:
            self.take(scope, bool(credential))
        except TooManyRequests as error:
            await refuse(scope, send, error.wait)
            return
        key = None if "cookie" in headers or credential else self.key(scope)
        if key is None:
            await self.app(scope, receive, send)
            return
        kept = self.kept.get(key)
        if kept is None:
            kept = []

            async def keeping_send(message: Message) -> None:
                kept.append(message)
                await send(message)

            await self.app(scope, receive, keeping_send)
            self.kept.keep(key, kept)
            return
        for message in kept:
            # The headers of an answer are completed on its way out.
            await send({**message, "headers": list(message["headers"])}
                       if "headers" in message else message)  # fmt: skip

    def take(self, scope: Scope, has_credential: bool) -> None:
        """Counts a stranger's request, by address and in all."""
        price = PRICE if scope["path"].endswith(DEAR) else 1.0
        limits = self.limits
        self.buckets.take("visitors", scope["state"]["address"], limits.visitors, price)
        if has_credential or scope["path"].startswith("/enter/"):
            return  # whoever has a link is about to sign in, and wrong links are counted there
        if self.is_near_deadline():
            self.buckets.take("near", "all strangers", limits.strangers_near, price)
        self.buckets.take("strangers", "all strangers", limits.strangers, price)

    def is_near_deadline(self) -> bool:
        """Whether a round is about to end, in any auction; looked at once per second."""
        looked, is_near = self._near
        if self.buckets.seconds() - looked >= 1 or looked < 0:
            now = self.desk.now()
            ends = [s.deadline for s in self.desk.writer.states.values() if s.phase == "open"]
            is_near = any(end is not None and now <= end <= now + NEAR for end in ends)
            self._near = (self.buckets.seconds(), is_near)
        return is_near

    def key(self, scope: Scope) -> str | None:
        """What names a page that looks the same to all strangers; None for all others."""
        path: str = scope["path"]
        is_public = path == "/" or (
            path.startswith("/a/") and path.endswith(("/public", "/rules.json"))
        )
        if scope["method"] != "GET" or not is_public or scope["query_string"]:
            return None
        return path


def credential_of(headers: Headers) -> str:
    """The session's or program's secret, whether or not it is good for anything; empty if none."""
    authorization = headers.get("authorization", "")
    if authorization:
        return authorization.partition(" ")[2].strip()
    cookies = cookie_parser(headers.get("cookie", ""))
    return cookies.get(COOKIE, "")


async def refuse(scope: Scope, send: Send, wait: int) -> None:
    """Sends away with a page that leads back."""
    media_type, text = refusal_page(scope["method"], scope["path"], wait)
    headers = [
        (b"content-type", media_type.encode()),
        (b"content-length", str(len(text)).encode()),
        (b"retry-after", str(wait).encode()),
    ]
    await send({"type": "http.response.start", "status": 429, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def refusal_page(method: str, path: str, wait: int) -> tuple[str, bytes]:
    """The media type and text of a refusal; made without a template, as there may be many."""
    t = load("en")
    title, sentence = t("problem.too_many_title"), t("problem.too_many", n=wait)
    if path.startswith("/api/"):
        media_type = "application/problem+json"
        text = json.dumps({"title": title, "detail": sentence, "status": 429})
    else:
        media_type = "text/html; charset=utf-8"
        link = html.escape(way_back(method, path))
        text = (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
            f"</head><body><h1>{title}</h1><p>{html.escape(sentence)}</p>"
            f'<p><a href="{link}">{t("problem.again")}</a></p></body></html>'
        )
    return media_type, text.encode()


def way_back(method: str, path: str) -> str:
    """Where to try again: the same page, if it can be asked for."""
    can_be_asked = method in ("GET", "HEAD") or path.startswith("/enter/")
    # Two slashes would begin the name of another server.
    return path if can_be_asked and not path.startswith("//") else "/"
