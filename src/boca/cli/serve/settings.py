"""The operator's settings of a server, from a TOML file."""

from dataclasses import dataclass, field
from pathlib import Path

from boca.core.errors import InputError
from boca.core.files import read_toml
from boca.core.wording import did_you_mean
from boca.live.mail.settings import MailSettings, mail_settings
from boca.live.web.brand import Brand, read_brand

TABLES = ("mail", "operator")


@dataclass(frozen=True)
class ServerSettings:
    """
    What the operator has set.

    Parameters
    ----------
    mail
        How people are told by e-mail; None if they are not.
    brand
        What every page shows about the operator.
    """

    mail: MailSettings | None = None
    brand: Brand = field(default_factory=Brand)


def read_settings(path: Path | None) -> ServerSettings:
    """The settings of a file; None stands for no settings."""
    if path is None:
        return ServerSettings()
    table = read_toml(path, "file of settings")
    for name, value in table.items():
        if name not in TABLES or not isinstance(value, dict):
            raise InputError(
                f"The settings '{path}' have '{name}', which is not a table that is known; "
                f"{did_you_mean(name, TABLES)}"
            )
    mail = mail_settings(table["mail"], path.parent) if "mail" in table else None
    return ServerSettings(mail, read_brand(table.get("operator", {}), path.parent))
