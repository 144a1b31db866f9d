"""How mails are sent: the table ``[mail]`` of the server's settings."""

import os
import ssl
from dataclasses import dataclass, fields
from email.headerregistry import Address
from email.utils import parseaddr
from pathlib import Path
from typing import Any, Literal

from boca.core.errors import InputError
from boca.core.settings import check_choice
from boca.live.mail.address import check_address, one_line

PASSWORD = "BOCA_SMTP_PASSWORD"
LOCAL = ("localhost", "127.0.0.1", "::1")
PORTS = {"starttls": 587, "tls": 465, "none": 25}


@dataclass(frozen=True)
class MailSettings:
    """
    The mail server, and who we are there.

    Parameters
    ----------
    host, port
        Where it listens; port 0 stands for the usual one.
    sender
        Whom mails are from: ``auctions@example.org`` or ``Auctions <auctions@example.org>``.
    security
        ``starttls`` or ``tls``; ``none`` only on this machine.
    user, password
        To sign in with; no user, no signing in. The password comes from the environment
        (``BOCA_SMTP_PASSWORD``) or from a file, never from the settings themselves.
    reply_to
        Where answers go; empty for the sender.
    certificates
        A file with certificates to trust besides the system's; empty for none.
    """

    host: str
    sender: str
    port: int = 0
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str = ""
    password: str = ""
    reply_to: str = ""
    certificates: str = ""

    def __post_init__(self) -> None:
        check_choice(tuple(PORTS), security=self.security)
        if not self.host.strip() or not 0 <= self.port <= 65535:
            raise InputError(
                f"The mail server is '{self.host}', port {self.port}; expected a name such as "
                "smtp.example.org and a port from 1 to 65535."
            )
        if self.security == "none" and self.host not in LOCAL:
            raise InputError(
                f"Mails would go to '{self.host}' unencrypted; expected security = \"starttls\" or "
                '"tls". Only a mail server on this machine may have "none".'
            )
        if self.user and not self.password:
            raise InputError(
                f"There is no password for the user '{self.user}' of the mail server; set "
                f"{PASSWORD} in the environment, or name a password_file."
            )
        _ = self.from_address, self.answers_to

    @property
    def from_address(self) -> Address:
        """The sender, name and address apart."""
        name, address = parseaddr(self.sender)
        local, _, domain = check_address(address).rpartition("@")
        return Address(one_line(name), local, domain)

    @property
    def answers_to(self) -> str:
        return check_address(self.reply_to) if self.reply_to else ""

    def context(self) -> ssl.SSLContext:
        """What is checked about the mail server's certificate."""
        context = ssl.create_default_context()
        if self.certificates:
            try:
                context.load_verify_locations(self.certificates)
            except (OSError, ssl.SSLError) as error:
                raise InputError(
                    f"The certificates '{self.certificates}' cannot be read: {error}."
                ) from None
        return context


def mail_settings(table: dict[str, Any], folder: Path) -> MailSettings:
    """
    Settings from the table ``[mail]``.

    Parameters
    ----------
    table
        As the file has it: the sender is called ``from`` there.
    folder
        Where the file lies; relative paths start there.
    """
    known = {"from", "password_file"} | {f.name for f in fields(MailSettings)}
    for key in table:
        if key not in known - {"sender", "password"}:
            raise InputError(
                f"The settings have a key 'mail.{key}'; expected one of "
                f"{', '.join(sorted(known - {'sender', 'password'}))}."
            )
    values = dict(table)
    for key in ("host", "from"):
        if not isinstance(values.get(key), str):
            raise InputError(f'The settings need mail.{key}, such as {key} = "{EXAMPLES[key]}".')
    for key, value in values.items():
        expected = int if key == "port" else str
        if not isinstance(value, expected) or isinstance(value, bool):
            raise InputError(
                f"The setting mail.{key} is {value!r}; expected "
                f"{'a whole number' if expected is int else 'text in quotes'}."
            )
    password = os.environ.get(PASSWORD, "")
    path = values.pop("password_file", "")
    if path and not password:
        try:
            password = (folder / path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"The password file '{path}' cannot be read: {error}.") from None
    if values.get("certificates"):
        values["certificates"] = str(folder / values["certificates"])
    settings = MailSettings(sender=values.pop("from"), password=password, **values)
    if settings.certificates:
        settings.context()
    return settings


EXAMPLES = {"host": "smtp.example.org", "from": "Auctions <auctions@example.org>"}
