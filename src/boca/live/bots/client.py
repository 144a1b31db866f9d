"""A client of the JSON API, on nothing but the standard library."""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

from boca.core.errors import InputError

# A server that restarts is back within this time.
RETRY_SECONDS = (0.2, 0.5, 1, 2, 4, 8)


class Refused(InputError):
    """
    A call that the server understood and refused.

    Parameters
    ----------
    status
        HTTP status.
    problem
        The answer: title, detail, and perhaps phase, errors and warnings.
    """

    def __init__(self, status: int, problem: dict[str, Any]):
        super().__init__(str(problem.get("detail", f"the server answered {status}")))
        self.status = status
        self.problem = problem


@dataclass(frozen=True)
class Client:
    """
    One credential's view of one server.

    Parameters
    ----------
    url
        Of the server, without a slash at the end.
    token
        Of the page Devices, or from an invitation for programs.
    """

    url: str
    token: str

    def __post_init__(self) -> None:
        try:
            parts = urllib.parse.urlsplit(self.url)
            is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_good = False
        if not is_good:
            raise InputError(
                f"The address {self.url!a} cannot be used; expected one such as "
                "https://auction.example.org."
            )

    def get(self, path: str) -> dict[str, Any]:
        """Reads a resource below ``/api/v1``."""
        return self._call("GET", path, None, {})

    def post(self, path: str, body: dict[str, Any] | None, key: str) -> dict[str, Any]:
        """
        Does something once, however often the connection breaks.

        Parameters
        ----------
        path
            Below ``/api/v1``.
        body
            What to send; None for calls without a body.
        key
            The same for the same thing: 8 to 64 letters, digits, ``_`` and ``-``.
        """
        return self._call("POST", path, body, {"Idempotency-Key": key})

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None, headers: dict[str, str]
    ) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                **headers,
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
            },
        )
        for pause in (*RETRY_SECONDS, None):
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    content: dict[str, Any] = json.load(answer)
                    return content
            except urllib.error.HTTPError as error:
                # 429 and 503 say "later"; everything else is final.
                if error.code not in (429, 503) or pause is None:
                    raise Refused(error.code, _problem(error)) from None
            except (OSError, ValueError, http.client.HTTPException) as error:
                if pause is None:
                    raise InputError(
                        f"Cannot reach {self.url}: {error}. Check the address and whether the "
                        "server runs."
                    ) from None
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")


def _problem(error: urllib.error.HTTPError) -> dict[str, Any]:
    """The answer of a refused call, whatever it holds."""
    try:
        problem = json.load(error)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
