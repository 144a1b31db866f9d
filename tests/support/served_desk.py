"""A desk behind a real port, in this process."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI
from live_server import free_port

from boca.live.desk import Desk
from boca.live.web.app import build
from boca.live.web.limits import Limits


@contextmanager
def serving(
    desk: Desk,
    journal: Callable[[str], object] | None = None,
    limits: Limits | None = None,
    http: str | type = "auto",
    has_mail: bool = False,
) -> Iterator[tuple[Desk, str, FastAPI]]:
    """The desk, its address and its application; closed in the end."""
    port = free_port()
    url = f"http://localhost:{port}"
    app = build(desk, url, limits, ("127.0.0.1",), journal=journal, has_mail=has_mail)
    # Pages that a failed test leaves open would keep their streams for ever.
    settings = uvicorn.Config(
        app,
        port=port,
        log_level="warning",
        lifespan="off",
        http=http,
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield desk, url, app
    finally:
        app.state.site.rehearsals.close()
        server.should_exit = True
        thread.join()
        desk.close()
