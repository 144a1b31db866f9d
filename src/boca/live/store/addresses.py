"""The table of addresses: where people want to be told, and of what; no log has them."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.store.tables import address, mail

# What a person can choose to be told; invitations are sent when somebody asks for them.
KINDS = ("round", "near", "moved", "result")


@dataclass(frozen=True)
class AddressRow:
    """
    Where one person wants to be told.

    Parameters
    ----------
    auction, who
        Whose it is: ``bidder/person``, or ``/person`` for an auditor.
    address
        The e-mail address.
    wants
        Which of ``KINDS``.
    language
        In which mails are written; empty for the auction's.
    """

    auction: str
    who: str
    address: str
    wants: tuple[str, ...] = KINDS
    language: str = ""


def name_of(bidder: int | None, person: str) -> str:
    """How a person is named in these tables and in forms."""
    return f"{'' if bidder is None else bidder}/{person}"


def save(connection: Connection, row: AddressRow) -> None:
    """Keeps an address, in place of the one before; what still waits goes to the new one."""
    _delete(connection, row.auction, row.who)
    waits = (mail.c.auction == row.auction, mail.c.who == row.who, mail.c.state == "waiting")
    connection.execute(mail.update().where(*waits).values(address=row.address))
    connection.execute(
        address.insert().values(
            auction=row.auction,
            who=row.who,
            address=row.address,
            wants=" ".join(row.wants),
            language=row.language,
        )
    )


def remove(connection: Connection, auction: str, who: str) -> None:
    """Forgets an address, also where mails went to it; what still waits is not sent."""
    _delete(connection, auction, who)
    own = (mail.c.auction == auction, mail.c.who == who)
    waits = mail.c.state == "waiting"
    connection.execute(mail.update().where(*own, waits).values(state="failed", problem="removed"))
    connection.execute(mail.update().where(*own).values(address=""))


def _delete(connection: Connection, auction: str, who: str) -> None:
    connection.execute(address.delete().where(address.c.auction == auction, address.c.who == who))


def read(connection: Connection, auction: str | None = None) -> list[AddressRow]:
    """All addresses, or those of one auction."""
    query = sa.select(address).order_by(address.c.auction, address.c.who)
    if auction is not None:
        query = query.where(address.c.auction == auction)
    return [
        AddressRow(row.auction, row.who, row.address, tuple(row.wants.split()), row.language)
        for row in connection.execute(query)
    ]
