"""One line of JSON per request, for whoever watches the server; no values, tokens or addresses."""

import json
import time
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boca.live.clock import ServerClock, to_text

# A request that nobody answered: the visitor was gone before.
NO_ANSWER = 499


class Journal:
    """
    Wraps the application and writes down what was asked, not by whom and with what.

    Parameters
    ----------
    app
        The application.
    write
        Takes one line.
    clock
        The server's time.
    seconds
        A clock that only goes forwards.
    """

    def __init__(
        self,
        app: ASGIApp,
        write: Callable[[str], object],
        clock: ServerClock,
        seconds: Callable[[], float] = time.monotonic,
    ):
        self.app, self.write, self.clock, self.seconds = app, write, clock, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status, began = NO_ANSWER, self.seconds()

        async def noting_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting_send)
        finally:
            self.write(self.line(scope, status, self.seconds() - began))

    def line(self, scope: Scope, status: int, seconds: float) -> str:
        """
        What is written about a request.

        The route's template stands for the address, which may hold a secret link.
        """
        content: dict[str, Any] = {
            "time": to_text(self.clock.now()),
            "level": "error" if status >= 500 else "warning" if status >= 400 else "info",
            "method": scope["method"],
            "route": getattr(scope.get("route"), "path", "-"),
            "status": status,
            "ms": round(1000 * seconds, 1),
            "role": scope.get("state", {}).get("role", "public"),
        }
        return json.dumps(content) + "\n"
