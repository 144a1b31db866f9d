"""The operator's name, contact, logo and colours, which every page shows."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from boca.core.errors import InputError
from boca.core.wording import did_you_mean, shortened

KEYS = ("name", "contact", "logo", "colour", "colour_dark")
LONGEST = 120
MOST_LOGO = 200_000
# What the accent colour has to stand out from in page.css: pages, cards, tinted rows, and the
# text on a button of that colour.
LIGHT = {"pages": "#fbfbf9", "cards": "#ffffff", "tinted rows": "#e9f2f2", "text on it": "#ffffff"}
DARK = {"pages": "#14181a", "cards": "#1c2124", "tinted rows": "#1d2f32", "text on it": "#0c2124"}
# WCAG 2.2 AA, success criterion 1.4.3, for text of ordinary size.
LEAST_CONTRAST = 4.5
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class BrandFile:
    """A file of the operator's: its content, and what it is."""

    content: bytes
    media_type: str


@dataclass(frozen=True)
class Brand:
    """
    What the operator shows on every page.

    Parameters
    ----------
    name, contact
        Who runs the server, and how to reach it: an e-mail address, a web address or words.
    logo, style
        Addresses of the logo and of the style with the operator's colours; empty for none.
    files
        What is served at these addresses, by name.
    """

    name: str = ""
    contact: str = ""
    logo: str = ""
    style: str = ""
    files: dict[str, BrandFile] = field(default_factory=dict)

    @property
    def link(self) -> str:
        """Where the contact leads; empty if it is words."""
        if self.contact.startswith("https://"):
            return self.contact
        is_address = re.fullmatch(r"[^\s@<>\"']+@[^\s@<>\"']+", self.contact)
        return f"mailto:{self.contact}" if is_address else ""


def read_brand(table: dict[str, Any], folder: Path) -> Brand:
    """
    The brand from the table ``[operator]`` of the settings.

    Parameters
    ----------
    table
        As the file has it.
    folder
        Where the file lies; the logo's path starts there.
    """
    for key, value in table.items():
        if key not in KEYS:
            raise InputError(f"The settings have a key 'operator.{key}'; {did_you_mean(key, KEYS)}")
        is_line = isinstance(value, str) and value.isprintable() and bool(value.strip())
        if not is_line or len(value) > LONGEST:
            raise InputError(
                f"The setting operator.{key} is {shortened(repr(value))}; expected one line of "
                f"text in quotes, at most {LONGEST} letters."
            )
    files: dict[str, BrandFile] = {}
    logo = keep(files, "logo", _logo(folder / table["logo"])) if "logo" in table else ""
    style = keep(files, "brand", _style(table)) if {"colour", "colour_dark"} & set(table) else ""
    return Brand(table.get("name", ""), table.get("contact", ""), logo, style, files)


def keep(files: dict[str, BrandFile], stem: str, file: BrandFile) -> str:
    """Adds a file under a name that changes with its content; its address."""
    ending = {"image/png": "png", "image/svg+xml": "svg"}.get(file.media_type, "css")
    name = f"{stem}.{hashlib.sha256(file.content).hexdigest()[:12]}.{ending}"
    files[name] = file
    return f"/static/{name}"


def _logo(path: Path) -> BrandFile:
    """A PNG, or an SVG that holds nothing but a picture."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The logo '{path}' cannot be read: {error.strerror or error}. Check its path."
        ) from None
    if len(content) > MOST_LOGO:
        raise InputError(
            f"The logo '{path}' has {len(content)} bytes; expected at most {MOST_LOGO}."
        )
    if content.startswith(PNG):
        return BrandFile(content, "image/png")
    if not _is_plain_svg(content):
        raise InputError(
            f"The logo '{path}' is neither a PNG nor a plain SVG; expected one of the two, without "
            "scripts, links to other files or a document type."
        )
    return BrandFile(content, "image/svg+xml")


def _is_plain_svg(content: bytes) -> bool:
    try:
        text = content.decode("utf-8-sig")  # in another encoding, marks could hide
    except UnicodeDecodeError:
        return False
    # Entities are not expanded, since a document type, which declares them, is refused first.
    # A style sheet would stand in an instruction such as <?xml-stylesheet ...?>.
    if "<!" in text.replace("<!--", "") or re.search(r"<\?(?!xml\s)", text):
        return False
    try:
        root = ElementTree.fromstring(content)
    except (ElementTree.ParseError, ValueError, LookupError):
        return False
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        return False
    for element in root.iter():
        name = str(element.tag).rpartition("}")[2].lower()
        # Whatever moves can set a link to something else.
        moves = name == "set" or name.startswith("animate")
        if moves or name in ("script", "foreignobject", "iframe", "image", "style"):
            return False
        for key, value in element.attrib.items():
            attribute = key.rpartition("}")[2].lower()
            is_link = attribute == "href" and not value.startswith("#")
            leads_out = re.search(r"url\(\s*['\"]?\s*(?!#)[^\s'\"]", value.lower())
            if attribute.startswith("on") or is_link or leads_out:
                return False
    return True


def _style(table: dict[str, Any]) -> BrandFile:
    """The style with the operator's colours, in light and dark."""
    missing = {"colour", "colour_dark"} - set(table)
    if missing:
        raise InputError(
            f"The settings lack operator.{min(missing)}; expected two colours, colour for light "
            "pages and colour_dark for dark ones."
        )
    light, dark = (
        check_colour(key, table[key], grounds)
        for key, grounds in (("colour", LIGHT), ("colour_dark", DARK))
    )
    # Only on screens: what is printed is black.
    text = (
        f"@media screen {{ :root {{ --accent: {light}; }} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ --accent: {dark}; }} }}\n"
    )
    return BrandFile(text.encode(), "text/css; charset=utf-8")


def check_colour(key: str, colour: str, grounds: dict[str, str]) -> str:
    """A colour such as ``#004b87`` that can be read on all grounds; an InputError otherwise."""
    if not re.fullmatch("#[0-9a-fA-F]{6}", colour):
        raise InputError(
            f"The setting operator.{key} is '{shortened(colour)}'; expected a colour such as "
            "#004b87."
        )
    for name, ground in grounds.items():
        found = contrast(colour, ground)
        if found < LEAST_CONTRAST:
            raise InputError(
                f"The setting operator.{key} is {colour}; its contrast with {name} ({ground}) is "
                f"{found:.1f}, expected at least {LEAST_CONTRAST} (WCAG AA). Choose a "
                f"{'darker' if grounds is LIGHT else 'lighter'} one."
            )
    return colour.lower()


def contrast(one: str, other: str) -> float:
    """The contrast of two colours by WCAG 2.2, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """The relative luminance of a colour, as WCAG 2.2 defines it."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    red, green, blue = linear
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
