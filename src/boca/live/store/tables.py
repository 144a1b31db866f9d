"""The tables, and triggers that keep the log append-only."""

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
    sa.Column("kind", sa.Text, nullable=False),  # invite, session, api, passkey
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

# Where people want to be told; not part of any log, and gone once its owner removes it.
address = sa.Table(
    "address",
    metadata,
    sa.Column("auction", sa.Text, primary_key=True),
    sa.Column("who", sa.Text, primary_key=True),  # bidder/person; /person for an auditor
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("wants", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
)

# What is to be sent or was sent; the key makes sure that nobody is told the same thing twice.
mail = sa.Table(
    "mail",
    metadata,
    sa.Column("auction", sa.Text, primary_key=True),
    sa.Column("event", sa.Text, primary_key=True),
    sa.Column("who", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("gaps", sa.Text, nullable=False),
    sa.Column("made_at", sa.Text, nullable=False),
    sa.Column("due_at", sa.Text, nullable=False),
    sa.Column("until", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # waiting, sending, sent, failed, unsure, late
    sa.Column("ended_at", sa.Text),
    sa.Column("problem", sa.Text, nullable=False),
)

# What programs' tokens are called and good for.
token = sa.Table(
    "token",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("scope", sa.Text, nullable=False),  # read, all
)

# Public keys of passkeys.
passkey = sa.Table(
    "passkey",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("credential", sa.LargeBinary, nullable=False),
    sa.Column("uses", sa.BigInteger, nullable=False),
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
