"""Forms for auctions that are being set up; not evidence, and gone once the auction is made."""

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.store.database import set_meta
from boca.live.store.tables import meta

PREFIX = "setup/"
# Forms of new auctions that are kept at a time; a list that long has been forgotten.
MOST_SETUPS = 50


def save(connection: Connection, key: str, text: str) -> None:
    """Keeps a form."""
    set_meta(connection, PREFIX + key, text)


def forget(connection: Connection, key: str) -> None:
    """Forgets a form."""
    connection.execute(meta.delete().where(meta.c.name == PREFIX + key))


def read(connection: Connection) -> dict[str, str]:
    """Key -> form, of all that are kept."""
    rows = connection.execute(
        sa.select(meta.c.name, meta.c.value)
        .where(meta.c.name.startswith(PREFIX, autoescape=True))
        .order_by(meta.c.name)
    )
    return {row.name.removeprefix(PREFIX): row.value for row in rows}
