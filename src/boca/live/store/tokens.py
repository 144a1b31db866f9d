"""The table of names and scopes of tokens for programs; one without a row can do everything."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.store.tables import token


@dataclass(frozen=True)
class TokenRow:
    """
    What a token is called, and what it is good for.

    Parameters
    ----------
    id
        Of its row in the table of links, sessions and tokens.
    name
        As its owner wrote it.
    scope
        ``read`` for reading alone; ``all`` for whatever its owner can do.
    """

    id: str
    name: str
    scope: str


def add(connection: Connection, row: TokenRow) -> None:
    """Stores name and scope of a new token."""
    connection.execute(token.insert().values(id=row.id, name=row.name, scope=row.scope))


def of(connection: Connection, ids: list[str]) -> dict[str, TokenRow]:
    """Id -> name and scope, of those that have some."""
    rows = connection.execute(
        sa.select(token.c.id, token.c.name, token.c.scope).where(token.c.id.in_(ids))
    )
    return {row.id: TokenRow(*row) for row in rows}
