"""Addresses and names that are safe in the head of a mail."""

import re

from boca.core.errors import InputError
from boca.core.message import msg
from boca.core.wording import shortened

LONGEST = 254
# Plain addresses only: no quotes, comments or lists, nothing that ends a line or a header.
PLAIN = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@"
    r"(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
    r"(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
)


def check_address(text: str) -> str:
    """An e-mail address as it is used; an InputError if it is not a plain one."""
    address = text.strip()
    if len(address) > LONGEST or not PLAIN.fullmatch(address):
        raise InputError(
            msg(
                "The address {text} cannot be used; expected one such as ann@example.org.",
                text=shortened(repr(address)),
            )
        )
    return address


def one_line(text: str) -> str:
    """A name without whatever could end a line: safe in a subject or beside an address."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
