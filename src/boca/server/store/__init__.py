"""The log and the secrets on disk: SQLite or PostgreSQL, one writer."""

from boca.server.store.access import AccessRow
from boca.server.store.batch import Done
from boca.server.store.database import Database
from boca.server.store.writer import Writer

__all__ = ["AccessRow", "Database", "Done", "Writer"]
