"""The four tables, and triggers that keep the log append-only."""

import sqlalchemy as sa

SCHEMA = 1

metadata = sa.MetaData()

event = sa.Table(
    "event",
    metadata,
    sa.Column("auction", sa.Text, primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("at", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("envelope", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False, unique=True),
    # Copies from the body of a command's first event, so that one key is used once.
    sa.Column("actor", sa.Text),
    sa.Column("request", sa.Text),
    sa.UniqueConstraint("auction", "actor", "request"),
)

access = sa.Table(
    "access",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),  # invite, session, api
    sa.Column("role", sa.Text, nullable=False),  # auctioneer, bidder, auditor
    sa.Column("auction", sa.Text),
    sa.Column("bidder", sa.Integer),
    sa.Column("person", sa.Text, nullable=False),
    sa.Column("created_at", sa.Text, nullable=False),
    sa.Column("expires_at", sa.Text, nullable=False),
    sa.Column("used_at", sa.Text),
    sa.Column("last_seen_at", sa.Text),
    sa.Column("revoked_at", sa.Text),
)

draft = sa.Table(
    "draft",
    metadata,
    sa.Column("auction", sa.Text, primary_key=True),
    sa.Column("bidder", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("query", sa.Text, primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("saved_at", sa.Text, nullable=False),
)

meta = sa.Table(
    "meta",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

SQLITE_TRIGGERS = tuple(
    f"""CREATE TRIGGER IF NOT EXISTS event_no_{verb.lower()} BEFORE {verb} ON event
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"""
    for verb in ("UPDATE", "DELETE")
)

POSTGRES_TRIGGERS = (
    """CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger AS $$
    BEGIN RAISE EXCEPTION 'the log is append-only'; END $$ LANGUAGE plpgsql""",
    """CREATE OR REPLACE TRIGGER event_no_change BEFORE UPDATE OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION refuse_change()""",
    """CREATE OR REPLACE TRIGGER event_no_truncate BEFORE TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()""",
)
