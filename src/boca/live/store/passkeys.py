"""The table of passkeys' public keys; what a passkey opens stands in the table of links."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.store.tables import passkey


@dataclass(frozen=True)
class PasskeyRow:
    """
    What is known of a passkey: nothing that would let anybody in.

    Parameters
    ----------
    id
        Of its row in the table of links, sessions and tokens.
    name
        As its owner wrote it.
    credential
        Its name and public key, as the device gave them.
    uses
        The device's own count of its uses, 0 if it does not count.
    """

    id: str
    name: str
    credential: bytes
    uses: int


def add(connection: Connection, row: PasskeyRow) -> None:
    """Stores a new passkey."""
    connection.execute(
        passkey.insert().values(id=row.id, name=row.name, credential=row.credential, uses=row.uses)
    )


def of(connection: Connection, ids: list[str]) -> dict[str, PasskeyRow]:
    """Id -> passkey."""
    columns = (passkey.c.id, passkey.c.name, passkey.c.credential, passkey.c.uses)
    rows = connection.execute(sa.select(*columns).where(passkey.c.id.in_(ids)))
    return {row.id: PasskeyRow(*row) for row in rows}


def count_up(connection: Connection, id_: str, uses: int) -> None:
    """Keeps the device's count."""
    connection.execute(passkey.update().where(passkey.c.id == id_).values(uses=uses))
