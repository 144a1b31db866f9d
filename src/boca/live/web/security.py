"""Headers on every answer, the size of requests, and forms that only our own pages can send."""

import asyncio
import hashlib
import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from boca.core.errors import BocaError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    # Not "no-referrer": browsers would then send "Origin: null" with our own forms.
    "Referrer-Policy": "same-origin",
}


class TooLarge(BocaError):
    """A request with more bytes than are taken; ``most`` is how many are."""

    def __init__(self, most: int):
        super().__init__(f"more than {most} bytes")
        self.most = most


class TooSlow(BocaError):
    """A request that takes longer to come than anybody waits; ``seconds`` is how long."""

    def __init__(self, seconds: float):
        super().__init__(f"not there after {seconds:g} seconds")
        self.seconds = seconds


class ForeignForm(BocaError):
    """A form that did not come from one of our pages."""


class Guard:
    """
    Wraps the application: sets headers, limits the size of requests, notes the visitor's address.

    Parameters
    ----------
    app
        The application.
    most_bytes, most_upload
        Largest body of a request, and of one to the page that takes files.
    proxies
        Addresses of proxies whose ``X-Forwarded-For`` is believed.
    seconds
        How long a request may take to come in.
    """

    def __init__(
        self,
        app: ASGIApp,
        most_bytes: int,
        most_upload: int,
        proxies: tuple[str, ...] = (),
        seconds: float = 30.0,
    ):
        self.app = app
        self.most_bytes = most_bytes
        self.most_upload = most_upload
        self.proxies = proxies
        self.seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        scope.setdefault("state", {})["address"] = self.address(scope)
        path = scope["path"]
        takes_files = path.startswith(("/new/courses", "/setup/")) or (
            path.startswith("/a/") and path.endswith(("/sheet", "/change"))
        )
        most_bytes = self.most_upload if takes_files else self.most_bytes
        num_bytes, is_whole = 0, False
        last = asyncio.get_running_loop().time() + self.seconds

        async def limited_receive() -> Message:
            nonlocal num_bytes, is_whole
            if is_whole:  # what comes now is that somebody leaves
                return await receive()
            try:
                async with asyncio.timeout_at(last):
                    message = await receive()
            except TimeoutError:
                raise TooSlow(self.seconds) from None
            is_whole = not message.get("more_body", False)
            num_bytes += len(message.get("body", b""))
            if num_bytes > most_bytes:
                raise TooLarge(most_bytes)
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self.app(scope, limited_receive, send_with_headers)

    def address(self, scope: Scope) -> str:
        """Where a request comes from; a header counts only from a proxy of ours."""
        peer = scope["client"][0] if scope.get("client") else ""
        forwarded = Headers(scope=scope).get("x-forwarded-for", "")
        if peer in self.proxies and forwarded:
            return forwarded.rpartition(",")[2].strip()
        return peer


def form_token(session_token: str) -> str:
    """The token that a session's forms carry; it tells nothing about the session's own."""
    return hmac.new(session_token.encode(), b"form", hashlib.sha256).hexdigest()


def check_same_origin(request: Request, url: str) -> None:
    """Raises ForeignForm unless the browser says that the form is on one of our pages."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        is_ours = site == "same-origin"
    else:
        parts = urlsplit(url)
        is_ours = request.headers.get("origin") == f"{parts.scheme}://{parts.netloc}"
    if not is_ours:
        raise ForeignForm("the form is not on one of our pages")


def check_form(request: Request, url: str, session_token: str, token: str) -> None:
    """Raises ForeignForm unless a form comes from our page of this session."""
    check_same_origin(request, url)
    if not hmac.compare_digest(token.encode(), form_token(session_token).encode()):
        raise ForeignForm("the form belongs to another session")
