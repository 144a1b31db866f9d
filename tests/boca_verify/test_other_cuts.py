"""Logs of purchases and exchanges that are sealed in part, or full of nonsense."""

import json
import random
from functools import cache

import pytest
from golden_log import relinked, spoil
from logged_play import KEY
from other_markets import FREIGHT, MarketPlay, purchase, trade

from boca.live.auction.audience import PUBLIC, Viewer, may_open
from boca_verify import verify

RULED = (
    FREIGHT
    + "\n[[rules]]\nunits = { at_most = 3 }\neach = true\n"
    + ('\n[[rules]]\nspend = { at_most = 400 }\nsuppliers = "small"\n')
)


@cache
def played(kind: str, publish: str) -> MarketPlay:
    play = purchase if kind == "buy" else trade
    keys = {"market": RULED} if kind == "buy" else {}
    return play(publish=f'"{publish}"', **keys)


def cut(play: MarketPlay, viewer: Viewer) -> list[str]:
    """The log as somebody may read it."""
    lines = []
    for line, entry in zip(play.lines()[:-1], play.entries, strict=True):
        value = json.loads(line)
        if not may_open(entry.event, viewer, play.state, play.state.round):
            del value["body"]
        lines.append(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    return [*lines, play.lines()[-1]]


@pytest.mark.parametrize("kind", ["buy", "exchange"])
@pytest.mark.parametrize("publish", ["own", "outcome", "all"])
@pytest.mark.parametrize("viewer", [PUBLIC, *(Viewer("bidder", i) for i in range(3))], ids=repr)
def test_every_cut_holds(kind, publish, viewer):
    """Tests that sealed bodies never look like damage, and own results are looked at."""
    verdict = verify(cut(played(kind, publish), viewer))

    # What a buyer notes for itself stays sealed, and decides nothing.
    assert verdict.exit_code == (0 if publish == "all" else 3), verdict.summary()
    if publish == "own":
        assert verdict["V9"].state == ("sealed" if viewer is PUBLIC else "partly")


@pytest.mark.parametrize("kind", ["buy", "exchange"])
def test_an_own_result_that_cannot_be_is_found(kind):
    """Tests a payment against own answers where everything else is sealed."""
    play = played(kind, "own")
    winner = next(
        i
        for i, bundle in enumerate(play.state.outcome.allocation)
        if bundle != (play.file.market.bidders[i].endowment or (0,) * len(bundle))
    )

    def change(entries):
        for entry in entries:
            if entry["kind"] == "result" and entry["body"]["bidder"] == winner:
                entry["body"]["payment"] += -1000 if kind == "buy" else 1000
            elif entry["kind"] in ("decided", "justified"):
                entry["body"] = None

    entries = [
        {"at": r.at, "kind": r.kind, "body": json.loads(json.dumps(r.body)), "was": r.hash}
        for r in play.records
    ]
    change(entries)
    sealed = [entry for entry in entries if entry["body"] is None]
    for entry in sealed:
        entry["body"] = {"actor": "server", "salt": "0" * 32}
    lines = relinked_without(entries, sealed)
    assert verify(lines)["V9"].state == "fails"


def relinked_without(entries, sealed):
    """A log with some bodies closed."""
    closed = {k for k, entry in enumerate(entries) if any(entry is s for s in sealed)}
    lines = relinked(entries, KEY)
    kept = []
    for k, line in enumerate(lines[:-1]):
        value = json.loads(line)
        if k in closed:
            del value["body"]
        kept.append(json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
    return [*kept, lines[-1]]


@pytest.mark.parametrize("kind", ["buy", "exchange"])
@pytest.mark.parametrize("seed", range(60))
def test_whatever_a_body_says_there_is_a_verdict(kind, seed):
    """Tests nonsense that is sealed and signed as it should be: a finding, never an exception."""
    rng = random.Random(seed)

    def change(entries):
        for _ in range(rng.choice([1, 1, 3])):
            # Half of it where purchases and exchanges differ from sales.
            own = ("configured", "decided", "justified", "result")
            some = [e for e in entries if e["kind"] in own] if rng.random() < 0.5 else entries
            spoil(rng.choice(some)["body"], rng)

    assert played(kind, "all").verdict(change).exit_code in (0, 1, 3)
