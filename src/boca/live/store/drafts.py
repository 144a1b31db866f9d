"""The table of drafts: what a bidder has typed and not sent; not evidence."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from boca.live.clock import to_text
from boca.live.store.tables import draft


def save(
    connection: Connection, auction: str, bidder: int, texts: dict[str, str], at: datetime
) -> None:
    """Keeps the texts of some fields; an empty text removes a draft."""
    for query, text in texts.items():
        connection.execute(
            draft.delete().where(
                draft.c.auction == auction, draft.c.bidder == bidder, draft.c.query == query
            )
        )
        if text:
            connection.execute(
                draft.insert().values(
                    auction=auction, bidder=bidder, query=query, text=text, saved_at=to_text(at)
                )
            )


def read(connection: Connection, auction: str, bidder: int) -> dict[str, str]:
    """All drafts of a bidder."""
    rows = connection.execute(
        sa.select(draft.c.query, draft.c.text).where(
            draft.c.auction == auction, draft.c.bidder == bidder
        )
    )
    return {row.query: row.text for row in rows}


def clear(connection: Connection, auction: str, bidder: int, queries: Iterable[str]) -> None:
    """Removes a bidder's drafts of some queries, once they were sent; others stay."""
    connection.execute(
        draft.delete().where(
            draft.c.auction == auction,
            draft.c.bidder == bidder,
            draft.c.query.in_(list(queries)),
        )
    )
