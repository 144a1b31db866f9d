"""Whatever the server lets happen, the verifier accepts; whatever a log says, it has an answer."""

import copy
import random
from collections import Counter

import pytest
from golden_log import golden_entries, relinked, spoil
from logged_play import RandomPlay

from boca.live.auction.audience import PUBLIC, Viewer
from boca.live.auction.events import KINDS
from boca_verify import verify
from boca_verify.order import TABLE
from boca_verify.seats.order import TABLE as COURSES


@pytest.mark.parametrize("seed", range(40))
def test_whatever_the_server_lets_happen_holds(seed):
    """Tests auctions that go any way: pauses, outages, failures, corrections, choices at prices."""
    play = RandomPlay(seed).run()
    verdict = verify(play.lines())

    has_ended = play.state.phase in ("published", "cancelled")
    assert verdict.exit_code == (0 if has_ended else 3), verdict.summary()
    assert [check.name for check in verdict.checks if check.state == "partly"] == (
        [] if has_ended else ["V4"]
    )


def test_random_auctions_have_something_of_everything():
    """Tests the test above: all kinds of records occur, and many auctions come to their end."""
    kinds: Counter[str] = Counter()
    narrowed = capped = 0
    for seed in range(40):
        play = RandomPlay(seed).run()
        records, state = play.records, play.state
        for bidder in (0, 1):
            capped += state.rules.cap_of(state.market, bidder) in state.bids(bidder).values()
        kinds += Counter(record.kind for record in records)
        said = [record.body for record in records if record.kind == "submitted"]
        narrowed += sum("was_most" in row for body in said if body for row in body["reports"])

    # Only purchases have notes.
    assert kinds.keys() >= TABLE.keys() - {"configured", "noted"}, TABLE.keys() - kinds.keys()
    assert kinds["published"] >= 5
    assert narrowed >= 3
    assert capped >= 3  # bids at a spending cap


@pytest.mark.parametrize("seed", [*range(10), 70, 155, 223])
@pytest.mark.parametrize("viewer", [PUBLIC, Viewer("bidder", 0)], ids=["public", "bidder"])
def test_every_cut_of_it_holds(seed, viewer):
    """Tests that sealed bodies never look like damage."""
    play = RandomPlay(seed).run()
    verdict = verify(play.cut(viewer))
    assert verdict.exit_code in (0, 3), verdict.summary()


def test_the_table_knows_every_kind_of_record():
    """Tests that a new kind of record is not forgotten here."""
    assert TABLE.keys() | COURSES.keys() | {"created"} == KINDS.keys()


@pytest.mark.parametrize("seed", range(100))
def test_whatever_a_body_says_there_is_a_verdict(seed):
    """Tests nonsense that is sealed and signed as it should be: a finding, never an exception."""
    rng = random.Random(seed)
    entries = copy.deepcopy(golden_entries())
    for _ in range(rng.choice([1, 1, 3])):
        spoil(rng.choice(entries)["body"], rng)

    assert verify(relinked(entries)).exit_code in (0, 1, 3)
