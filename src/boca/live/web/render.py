"""Templates and static files."""

import hashlib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from boca.live.auction.hours import zones
from boca.live.web.texts import Texts, languages, load
from boca.live.web.views.receipt_view import number_of

HERE = Path(__file__).parent
ZONE_COOKIE = "__Host-boca-zone"
LANGUAGE_COOKIE = "__Host-boca-language"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


def hashed_files() -> dict[str, Path]:
    """Static files by a name that changes with their content, so that browsers can keep them."""
    names = {}
    for path in sorted((HERE / "static").iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        names[f"{path.stem}.{digest}{path.suffix}"] = path
    return names


STATIC = hashed_files()
ADDRESSES = {path.name: f"/static/{name}" for name, path in STATIC.items()}


def environment() -> Environment:
    """The templates; every value is escaped, and a missing one is an error."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=select_autoescape(),
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["static"] = ADDRESSES.__getitem__
    templates.filters["number"] = number_of
    return templates


TEMPLATES = environment()


def zone_of(request: Request) -> ZoneInfo | None:
    """The time zone that a visitor chose, if any."""
    name = request.cookies.get(ZONE_COOKIE, "").replace("~", "/")
    return ZoneInfo(name) if name in zones() else None


def language_of(request: Request) -> str:
    """The language that a visitor chose; empty for the auction's own."""
    name = request.cookies.get(LANGUAGE_COOKIE, "")
    return name if name in languages() else ""


def own_texts(request: Request) -> Texts:
    """The texts of a page that belongs to no auction."""
    return load(language_of(request) or "en")


def page(
    request: Request, template: str, t: Texts | None = None, status: int = 200, **values: Any
) -> HTMLResponse:
    """
    One page.

    Parameters
    ----------
    request
        What it answers.
    template
        File in ``templates/``.
    t
        Texts of the page; those of the visitor's language, or English, unless given.
    status
        HTTP status.
    values
        What the template shows; ``frame``, ``visitor`` and ``csrf_token`` may be left out. Pages of
        an auction have ``money`` and ``words``, which write amounts and bundles.
    """
    now = request.app.state.site.desk.now()
    defaults = {"frame": None, "visitor": None, "csrf_token": "", "errors": (), "page": ""}
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    shown = {
        **defaults,
        **values,
        "t": t or own_texts(request),
        "now": now,
        "zone": zone_of(request),
        "languages": languages(),
        "brand": request.app.state.site.brand,
        "here_again": here if request.method == "GET" else request.url.path,
    }
    return HTMLResponse(TEMPLATES.get_template(template).render(shown), status)
