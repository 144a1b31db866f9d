"""
A small auction with everything that the rules offer, played through the desk.

    PYTHONPATH=src:tests/support python tests/support/golden_auction.py

plays it with the real engine and writes the full log, a bidder's own, the public one and two
receipts to ``tests/data/live``, the golden log of the verifier's tests. Random bytes and time are
fixed, so that a log made anew differs only in how long the engine took and where it was installed.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from hand_clock import HandClock
from whole_auction import ZOE, counting_draw, open_desk, wait_until

from boca.live.auction import commands as cmd
from boca.live.auction.submission import BundleValue, Submission, ValueAnswer
from boca.live.desk import Desk, Receipt
from boca.live.ledger import SigningKey
from boca.live.people import Who

FOLDER = Path(__file__).parents[1] / "data" / "live"
NAME = "golden"
RULES = """
name = "village hall"

[[goods]]
name = "hall"

[[goods]]
name = "kitchen"

[[goods]]
name = "chairs"
capacity = 3

[[bidders]]
name = "Ann"

[[bidders]]
name = "Ben"

[[bidders]]
name = "Cleo"
at_most = 3

[auction]
mechanism = "random"
num_initial = 3
num_per_round = 2
num_total = 5
payment_rule = "PAYMENT"
reserve = { hall = "1.50", chairs = "0.20" }
round_minutes = [60, 20]
extensions = 1
push_bids = 2
corrections = "round"
last_call_minutes = 10
publish = "own"
"""
# What a hall, a kitchen and a chair are worth to each bidder, in cents, and both rooms together.
WORTH = {0: (700, 300, 90, -180), 1: (520, 410, 110, -250), 2: (610, 150, 130, 40)}
# What bidders may offer unasked, the first that is new.
PUSHES = ((0, 0, 3), (1, 0, 1), (1, 1, 0), (0, 1, 2), (0, 1, 1), (1, 0, 2), (0, 0, 2), (1, 1, 1))


def signing_key() -> SigningKey:
    """The key that signed the golden log; its seed is the first that was drawn."""
    return SigningKey.from_seed(counting_draw(NAME)(32))


def value_of(bidder: int, bundle: tuple[int, ...]) -> str:
    """The value of a bundle, as a bidder types it."""
    *weights, both = WORTH[bidder]
    cents = sum(n * w for n, w in zip(bundle, weights, strict=True))
    return f"{(cents + both * (bundle[0] and bundle[1])) / 100:.2f}"


class GoldenAuction:
    """
    The auction, step by step.

    Parameters
    ----------
    desk, clock
        The server, and its time.
    payment_rule
        ``vcg`` or ``core``.
    """

    def __init__(self, desk: Desk, clock: HandClock, payment_rule: str = "vcg"):
        self.desk, self.clock = desk, clock
        self.text = RULES.replace("PAYMENT", payment_rule)
        self.auction = ""
        self.people: dict[int, Who] = {}
        self.receipts: list[Receipt] = []

    def play(self) -> None:
        """From the first draft to publication."""
        self.draft()
        self.first_round()
        self.second_round()
        self.last_call()
        self.end()

    def draft(self) -> None:
        """Rules that are changed once, links of which one is revoked, and the start."""
        desk = self.desk
        text = self.text.replace("num_total = 5", "num_total = 7")
        self.auction = desk.create(ZOE, text, "create-it").result().auction
        desk.configure(ZOE, self.auction, self.text).result()
        lost = desk.invite(ZOE, self.auction, 0, "ann").result()
        desk.revoke(ZOE, self.auction, lost.access, "the link went to a wrong address").result()
        for bidder, person in enumerate(("ann", "ben", "cleo")):
            self.clock.turn(minutes=1)
            link = desk.invite(ZOE, self.auction, bidder, person).result()
            self.people[bidder] = desk.people.enter(link.token).result().who
        desk.invite(ZOE, self.auction, None, "the notary").result()
        self.command(cmd.Start("Zoe"))

    def first_round(self) -> None:
        """A decline, a correction, a push, a pause, an entry by hand, and two extensions."""
        wait_until(self.desk, self.auction, "open")
        self.clock.turn(minutes=2)
        first, second, third = self.open(0)
        self.submit(0, answers=[first, second], declines=[third])
        self.submit(1, answers=self.open(1))
        self.clock.turn(minutes=5)
        self.submit(1, corrections=[self.reports(1)[0]])
        self.submit(1, pushes=[self.unknown(1)])
        self.command(cmd.Announce("The kitchen has a new stove."))
        self.command(cmd.Pause("a fire drill"))
        self.clock.turn(minutes=30)
        self.command(cmd.Extend(5, "everybody is out of breath"))
        self.command(cmd.Resume("back again"))
        self.clock.turn(minutes=1)
        self.enter(2, self.open(2)[0], "said on the telephone")
        self.command(cmd.Extend(3, "the telephone was busy"))
        self.pass_deadline()  # Cleo has open questions and an extension
        self.pass_deadline()

    def second_round(self) -> None:
        """Everybody answers; the auctioneer wants no further round."""
        wait_until(self.desk, self.auction, "open")
        self.clock.turn(minutes=3)
        for bidder in (2, 0, 1):
            self.submit(bidder, answers=self.open(bidder))
        self.command(cmd.Stop("the hall closes at six"))
        self.pass_deadline()

    def last_call(self) -> None:
        """A push and its correction, when nothing is asked any more."""
        wait_until(self.desk, self.auction, "open")
        self.clock.turn(minutes=1)
        bundle = self.unknown(2)
        self.submit(2, pushes=[bundle])
        self.submit(2, corrections=[bundle])
        self.pass_deadline()

    def end(self) -> None:
        """Closed, decided, published."""
        wait_until(self.desk, self.auction, "stopped")
        self.command(cmd.Close())
        wait_until(self.desk, self.auction, "decided")
        self.command(cmd.Publish())

    def command(self, command: cmd.Command) -> None:
        self.desk.command(ZOE, self.auction, command).result()

    def pass_deadline(self) -> None:
        """The clock goes past the deadline, and the server looks at it."""
        deadline = self.desk.writer.states[self.auction].deadline
        assert deadline is not None
        self.clock.turn(seconds=(deadline - self.clock.now()).total_seconds() + 2)
        before = self.desk.writer.states[self.auction].seq
        self.desk.watch.tick()
        self.desk.writer.do(lambda connection: None).result()  # the queue is empty
        assert self.desk.writer.states[self.auction].seq > before

    def open(self, bidder: int) -> list[str]:
        """A bidder's open questions."""
        view = self.desk.bidder(self.people[bidder])
        return [question.id for question in view.questions if question.status == "open"]

    def reports(self, bidder: int) -> list[tuple[int, ...]]:
        return list(self.desk.writer.states[self.auction].books[bidder].reports)

    def unknown(self, bidder: int) -> tuple[int, ...]:
        """A bundle that the bidder was not asked about and has not reported."""
        book = self.desk.writer.states[self.auction].books[bidder]
        known = set(book.reports) | {asked.query.bundle for asked in book.queries.values()}
        return next(bundle for bundle in PUSHES if bundle not in known)

    def bundle_of(self, bidder: int, query: str) -> tuple[int, ...]:
        book = self.desk.writer.states[self.auction].books[bidder]
        return book.queries[query].query.bundle

    def submit(
        self,
        bidder: int,
        answers: list[str] = (),  # type: ignore[assignment]
        declines: list[str] = (),  # type: ignore[assignment]
        pushes: list[tuple[int, ...]] = (),  # type: ignore[assignment]
        corrections: list[tuple[int, ...]] = (),  # type: ignore[assignment]
    ) -> None:
        """Submits true values, corrections with one euro more, and ticks every warning."""
        more = {bundle: f"{float(value_of(bidder, bundle)) + 1:.2f}" for bundle in corrections}
        submission = Submission(
            tuple(ValueAnswer(q, value_of(bidder, self.bundle_of(bidder, q))) for q in answers),
            tuple(declines),
            tuple(BundleValue(_named(b), value_of(bidder, b)) for b in pushes),
            tuple(BundleValue(_named(b), value) for b, value in more.items()),
        )
        who = self.people[bidder]
        ticks = tuple(warning.id for warning in self.desk.check(who, submission).warnings)
        ticked = Submission(
            submission.answers,
            submission.declines,
            submission.pushes,
            submission.corrections,
            ticks,
        )
        self.clock.turn(seconds=1)
        request = f"request-{len(self.receipts)}"
        self.receipts.append(self.desk.submit(who, ticked, request).result())

    def enter(self, bidder: int, query: str, reason: str) -> None:
        """The auctioneer enters an answer for a bidder."""
        answer = ValueAnswer(query, value_of(bidder, self.bundle_of(bidder, query)))
        done = self.desk.enter_for(ZOE, self.auction, bidder, Submission((answer,)), reason)
        self.receipts.append(done.result())


def _named(bundle: tuple[int, ...]) -> dict[str, int]:
    goods = zip(("hall", "kitchen", "chairs"), bundle, strict=True)
    return {name: n for name, n in goods if n}


def played(
    data: Path, read: Callable[[GoldenAuction], None], payment_rule: str = "vcg", **options: object
) -> None:
    """
    Plays the auction and has a look at it before the desk closes.

    Parameters
    ----------
    data
        An empty folder.
    read
        What to do at the end.
    payment_rule
        ``vcg`` or ``core``.
    options
        Of the desk, such as ``program=None`` for the real engine.
    """
    clock = HandClock()
    desk = open_desk(data, clock=clock, draw=counting_draw(NAME), is_ticking=False, **options)
    try:
        auction = GoldenAuction(desk, clock, payment_rule)
        auction.play()
        read(auction)
    finally:
        desk.close()


def _write(golden: GoldenAuction) -> None:
    for name, who in (("full", ZOE), ("own", golden.people[1]), ("public", None)):
        lines = golden.desk.log(who, golden.auction)
        (FOLDER / f"golden-{name}.jsonl").write_text("".join(lines))
    for number, receipt in enumerate((golden.receipts[1], golden.receipts[-1]), 1):
        text = json.dumps(receipt.content, indent=2, ensure_ascii=False)
        (FOLDER / f"golden-receipt-{number}.json").write_text(text + "\n")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        played(Path(folder), _write, program=None)
    print(f"Written to {FOLDER}.")
