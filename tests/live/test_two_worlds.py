"""What one bidder sees does not depend on what another one does."""

import os
from datetime import timedelta

import pytest
from hand_clock import HandClock
from live_play import market_text
from two_worlds import act, masked, random_world
from whole_auction import ZOE, bidder_of, counting_draw, open_desk, wait_until

from boca.live.auction import commands as cmd
from boca.live.auction.audience import PUBLIC, Viewer
from boca.live.auction.refusal import Refusal
from boca.live.auction.submission import DemandAnswer, Submission, ValueAnswer

PAIRS = int(os.environ.get("BOCA_WORLDS", "5"))
QUERIES = ["r0-b2-q1", "r0-b2-q2"]
RULES = {"listed": True, "round_minutes": [60, 20], "extensions": 0}


class World:
    """One world: a desk with a clock of its own, and everything that Ann and the public saw."""

    def __init__(self, data, mechanism="random"):
        self.clock = HandClock()
        self.desk = open_desk(data, clock=self.clock, draw=counting_draw("w"), is_ticking=False)
        self.auction = (
            self.desk.create(ZOE, market_text(mechanism=mechanism, **RULES)).result().auction
        )
        for bidder, person in enumerate(("ann", "ben")):
            self.desk.invite(ZOE, self.auction, bidder, person).result()
        self.ann, self.ben = bidder_of(self.auction, 0), bidder_of(self.auction, 1)
        self.seen = []
        # Apart from what was looked at: the writer's thread calls back in its own time.
        self.stirs = []
        self.desk.listen(self.auction, Viewer("bidder", 0), self.stirs.append)
        self.desk.listen(self.auction, PUBLIC, self.stirs.append)
        self.desk.command(ZOE, self.auction, cmd.Start("Zoe", True)).result()
        wait_until(self.desk, self.auction, "open")

    def look(self):
        """Everything that the desk gives Ann and the public."""
        self.seen += [
            masked(view)
            for view in (
                self.desk.bidder(self.ann),
                self.desk.setup(self.ann, self.auction),
                self.desk.public(self.auction),
                self.desk.public(self.auction, self.ann),
                self.desk.auctions(self.ann),
                self.desk.result(self.ann),
                self.desk.drafts(self.ann),
                self.desk.check(self.ann, Submission((ValueAnswer("r0-b1-q1", "5"),))),
                self.desk.check(self.ann, Submission((ValueAnswer("r0-b2-q1", "5"),))),
                self.desk.check(self.ann, self.demand("r0-b1-q2")),
                self.desk.check(self.ann, self.demand("r0-b2-q2")),
                self.refusal(lambda: self.desk.receipt(self.ann, self.bens_receipt())),
                self.refusal(lambda: list(self.desk.log(self.ann, self.auction))),
                self.refusal(lambda: self.desk.progress(self.ann, self.auction)),
            )
        ]

    def demand(self, query):
        return Submission(demands=(DemandAnswer(query, {"hall": 1}),))

    def bens_receipt(self):
        submissions = self.desk.writer.state(self.auction).books[1].submissions
        return submissions[0].hash if submissions else "0" * 64

    def refusal(self, call):
        try:
            call()
        except Refusal as refusal:
            return refusal.cause, refusal.sentence, refusal.phase, refusal.mistakes
        return "no refusal"

    def play(self, actions):
        """Ben acts, Ann looks every minute, answers one question, and is late with the other."""
        start = self.clock.now()
        done = []
        for minute in range(0, 63, 3):
            for action in actions:
                if minute <= action.minute < minute + 3:
                    self.clock.time = start + timedelta(minutes=action.minute, seconds=1)
                    done.append(act(self.desk, self.ben, action))
            self.clock.time = start + timedelta(minutes=minute + 2)
            if minute == 30:
                answer = Submission((ValueAnswer("r0-b1-q1", "50"),))
                receipt = self.desk.submit(self.ann, answer, "anns-key").result()
                self.seen.append(masked({**receipt.content, "body": 0}))
                self.seen.append(sorted(receipt.content))
            if minute < 57:
                self.look()
            self.desk.watch.tick()
        late = Submission((ValueAnswer("r0-b1-q2", "70"),))
        self.seen.append(
            self.refusal(lambda: self.desk.submit(self.ann, late, "late-key").result())
        )
        self.desk.close()
        return done


@pytest.mark.parametrize("pair", range(PAIRS))
@pytest.mark.parametrize("mechanism", ["random", "hybrid"])
def test_ann_and_the_public_cannot_tell_what_ben_did(tmp_path, pair, mechanism):
    """Tests views, checks, refusals and the stirs of the event stream, until the round is over."""
    queries, priced = (QUERIES, "") if mechanism == "random" else (QUERIES[:1], QUERIES[1])
    sights, deeds = [], []
    for world in (2 * pair, 2 * pair + 1):
        running = World(tmp_path / str(world), mechanism)
        deeds.append(running.play(random_world(world, queries, priced)))
        sights.append(running.seen)
    assert len(sights[0]) == len(sights[1])
    for one, other in zip(*sights, strict=True):
        assert one == other


def test_worlds_do_differ():
    """Tests that the pairs above are not the same world twice."""
    worlds = [random_world(seed, QUERIES) for seed in range(2 * PAIRS)]
    differing = sum(worlds[2 * k] != worlds[2 * k + 1] for k in range(PAIRS))
    assert differing >= 0.8 * PAIRS
    priced = [random_world(seed, QUERIES[:1], QUERIES[1]) for seed in range(2 * PAIRS)]
    demands = [action.submission.demands for world in priced for action in world]
    assert sum(map(bool, demands)) >= PAIRS


def test_a_leak_would_be_noticed(tmp_path):
    """Tests the test: the auctioneer's desk does show what Ben did."""
    sights = []
    for world in (0, 1):
        running = World(tmp_path / str(world))
        if world:
            answer = Submission((ValueAnswer("r0-b2-q1", "50"),))
            running.desk.submit(running.ben, answer, "bens-key").result()
        sights.append(masked(running.desk.progress(ZOE, running.auction).rows))
        running.desk.close()
    assert sights[0] != sights[1]
