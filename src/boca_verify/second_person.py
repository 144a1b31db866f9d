"""Acts that need two people by the rules: one proposes, another does the same (V8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.canonical import canonical, sha256
from boca_verify.records import Record
from boca_verify.verdict import Finding

ACTS = ("close", "publish", "entry", "link", "auditor")
# Proposals that lapse with their round.
OF_A_ROUND = ("entry", "submission")


@dataclass(frozen=True)
class LoggedProposal:
    """
    What one person proposed.

    Parameters
    ----------
    number, actor
        Of its record.
    act, content
        What is to be done, and with which content.
    credential
        Id of the session or token that proposed it; None in older logs.
    """

    number: int
    actor: str
    act: str
    content: tuple[Any, ...]
    credential: Any = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What it is about; of each there is one at a time."""
        bidder, what = self.content
        return self.act, bidder, what if self.act in ("auditor", "link") else ""

    @property
    def role(self) -> str:
        """How the log calls those who can approve it."""
        return f"bidder:{self.content[0]}/" if self.act == "submission" else "auctioneer:"


def about_second_persons(records: tuple[Record, ...]) -> Iterator[Finding]:
    """
    Whatever was done by one person and needed two, or by two who did not do the same.

    In a cut of the log, of a proposal that is sealed only its place is known: that it stands before
    what approves it, and is used once.
    """
    is_rehearsal = bool(records) and (records[0].body or {}).get("is_rehearsal") is True
    wanted: set[str] = set()
    pending: dict[str, LoggedProposal | None] = {}
    joined: set[int] = set()
    for record in records:
        if record.kind == "round-closed":
            pending = {
                key: one for key, one in pending.items() if one is None or one.act not in OF_A_ROUND
            }
        if record.body is None:
            if record.kind == "proposed":
                pending[record.hash] = None
            continue
        try:
            body = body_of(record)
            if record.kind == "configured":
                wanted = set() if is_rehearsal else _wanted(body)
            elif record.kind == "proposed":
                proposal = _proposal(record, body)
                pending = {
                    key: one
                    for key, one in pending.items()
                    if one is None or one.key != proposal.key
                }
                pending[record.hash] = proposal
            elif record.kind == "withdrawn":
                if body.hash("proposal") not in pending:
                    yield Finding("it withdraws something that was not proposed.", record.seq)
                pending.pop(body.hash("proposal"), None)
            elif record.kind == "joined" and body.has("bidder"):
                joined.add(body.whole("bidder"))
            act = _act(record, body, joined)
            if act is not None:
                _check(record, body, act, wanted, pending)
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)


def _wanted(body: Body) -> set[str]:
    """Acts that need two people by the rules."""
    rules = body.part("rules")
    acts = rules.list("second_person") if rules.has("second_person") else []
    unknown = [act for act in acts if act not in ACTS]
    if unknown:
        raise Damaged(f"a second person is wanted for {unknown[0]!r:.40}, which is not an act.")
    if rules.has("approval") and rules.truth("approval"):
        acts = [*acts, "submission"]
    return set(acts)


def _proposal(record: Record, body: Body) -> LoggedProposal:
    actor = body.text("actor")
    what = body.text("what") if body.has("what") else ""
    bidder = body.whole("bidder") if body.has("bidder") else None
    proposal = LoggedProposal(
        record.seq, actor, body.text("act"), (bidder, what), body.fields.get("credential")
    )
    if not actor.startswith(proposal.role):
        who = "people of that bidder" if proposal.act == "submission" else "auctioneers"
        raise Damaged(f"'{actor[:60]}' proposed something; only {who} can.")
    return proposal


def _act(record: Record, body: Body, joined: set[int]) -> tuple[str, tuple[Any, ...]] | None:
    """
    An act of the auctioneer and its content; None for whatever else happens.

    ``joined`` are the bidders for whom somebody has come already.
    """
    if record.kind == "closed":
        return "close", (None, "")
    if record.kind == "published":
        return "publish", (None, "")
    if record.kind == "submitted":
        parts = {name: body.fields.get(name) or [] for name in ("reports", "declines", "demands")}
        act = "entry" if body.fields.get("channel") == "operator" else "submission"
        return act, (body.whole("bidder"), sha256(canonical(parts)))
    by_auctioneer = body.text("actor").startswith("auctioneer:")
    if record.kind == "invited" and by_auctioneer:
        bidder = body.whole("bidder") if body.has("bidder") else None
        if bidder is None:
            return "auditor", (None, body.text("person"))
        if bidder in joined:
            return "link", (bidder, body.text("person"))
    return None


def _check(
    record: Record,
    body: Body,
    act: tuple[str, tuple[Any, ...]],
    wanted: set[str],
    pending: dict[str, LoggedProposal | None],
) -> None:
    """Damaged unless another person proposed the same."""
    name, content = act
    if not body.has("approves"):
        if name in wanted:
            raise Damaged(f"one person alone did it ('{name}'); the rules want two.")
        return
    approved = body.hash("approves")
    if approved not in pending:
        raise Damaged("it approves a proposal that was not made, was withdrawn or had lapsed.")
    proposal = pending.pop(approved)
    if proposal is None:
        return
    if (proposal.act, proposal.content) != (name, content):
        raise Damaged(f"it approves record {proposal.number}, which proposed something else.")
    actor = body.text("actor")
    if actor == proposal.actor or not actor.startswith(proposal.role):
        raise Damaged(f"'{actor[:60]}' approves what '{proposal.actor[:60]}' proposed.")
    if body.has("credential") and body.fields["credential"] == proposal.credential:
        raise Damaged("one credential proposed it and approves it.")


def approvals(records: tuple[Record, ...]) -> Iterator[str]:
    """Who proposed and who approved, and with which credential, as far as bodies are open."""
    proposed = {record.hash: record for record in records if record.kind == "proposed"}
    for record in records:
        before = proposed.get(str((record.body or {}).get("approves")))
        if before is not None and before.body is not None:
            first, second = _by(before), _by(record)
            yield f"Record {record.seq}: {second} approves record {before.seq} by {first}"


def _by(record: Record) -> str:
    """Somebody with the session or token that acted; older logs do not name it."""
    body = record.body or {}
    credential = body.get("credential")
    by = f" (credential {credential!s:.40})" if credential is not None else ""
    return f"{body.get('actor')!s:.80}{by}"
