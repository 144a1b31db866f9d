"""The client of the API where the connection breaks."""

import socket
import threading

import pytest

from boca.core.errors import InputError
from boca.live.bots import client as module
from boca.live.bots.client import Client

CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 723\r\n\r\n{"ph'


def answering(*answers: bytes) -> str:
    """The address of a server that gives these answers, one per connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)
        listener.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    "broken", [b"", CUT, b"HTTP/1.1 200 OK\r\nContent-Len", b"rubbish\r\n\r\n"]
)
def test_answers_that_were_cut_off_are_asked_for_again(monkeypatch, broken):
    """Tests a server that is killed while it answers, at several points."""
    monkeypatch.setattr(module, "RETRY_SECONDS", (0, 0))
    good = b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"phase":"open"}'
    assert Client(answering(broken, good), "token").get("/auctions/a") == {"phase": "open"}
    with pytest.raises(InputError, match="Cannot reach"):
        Client(answering(broken, broken, broken), "token").get("/auctions/a")


@pytest.mark.parametrize("url", ["nonsense", "http://[::1", "file:///etc/passwd", "http://", ""])
def test_addresses_that_are_none_are_told(url):
    """Tests that a mistyped address is one sentence at once, without attempts or a traceback."""
    with pytest.raises(InputError, match="expected one such as https://"):
        Client(url, "token")
