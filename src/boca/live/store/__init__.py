"""The log and the secrets on disk: SQLite or PostgreSQL, one writer."""

from boca.live.store.access import AccessRow
from boca.live.store.batch import Done
from boca.live.store.database import Database
from boca.live.store.writer import Writer

__all__ = ["AccessRow", "Database", "Done", "Writer"]
