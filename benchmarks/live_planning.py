"""
How long a live server plans a round, by the number of bidders and goods.

    python benchmarks/live_planning.py
    python benchmarks/live_planning.py --sizes 5x10 20x40 --mechanism svr

For each size a desk with the real engine plays an auction with drawn values up to its second
round with learning: bidders answer everything at once, so all that takes time is planning. Shown
are the seconds of the first round (chance alone), of the first with learning and of the next,
as the log has them; the processor's seconds of all rounds together, which a busy machine does not
stretch; and the memory of the largest child so far. `--rounds 2` leaves out the last round.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

from boca.live.auction import commands as cmd
from boca.live.auction.state import LiveState
from boca.live.auction.submission import Submission, ValueAnswer
from boca.live.auction.views import counts
from boca.live.bots.random_values import draw_truth
from boca.live.desk import Desk
from boca.live.people import Who

SIZES = ("5x10", "10x20", "20x40", "50x50", "100x100")
ZOE = Who("zoe", "session", "auctioneer", None, None, "Zoe", "", None)
COLUMNS = ("first round", "with learning", "next round")


def market_text(num_bidders: int, num_goods: int, mechanism: str) -> str:
    """A market with the usual number of questions."""
    return "\n".join(
        [
            f'name = "{num_bidders} x {num_goods}"',
            *(f'[[goods]]\nname = "g{j}"' for j in range(num_goods)),
            *(f'[[bidders]]\nname = "b{i}"' for i in range(num_bidders)),
            "[auction]",
            f'mechanism = "{mechanism}"',
            "num_initial = 10",
            "num_per_round = 3",
            "num_total = 25",
            "close_early = true",
            "round_minutes = [80000, 80000]",
            'monotone = "warn"',
        ]
    )


def wait_for_questions(desk: Desk, auction: str, round_: int) -> LiveState:
    """Waits until a round is open; raises if it will not be."""
    while True:
        state = desk.state_of(auction)
        if state.phase == "open" and state.round == round_:
            return state
        if state.phase == "stuck":
            raise RuntimeError(f"planning failed: {state.failures}")
        time.sleep(0.1)


def answer_all(desk: Desk, auction: str, goods: list[dict], most: str) -> None:
    """Answers everything that is open, for every bidder."""
    state = desk.state_of(auction)
    for bidder in range(len(state.books)):
        who = Who(f"s{bidder}", "session", "bidder", auction, bidder, "p", "", None)
        truth = draw_truth(f"b{bidder}", goods, most, seed=1)
        view = desk.bidder(who)
        answers = tuple(
            ValueAnswer(q.id, truth.value(counts(q.bundle, view.setup.market), "0.01"))
            for q in view.questions
            if q.is_open
        )
        ticks = tuple(w.id for w in desk.check(who, Submission(answers), "api").warnings)
        submission = Submission(answers, confirmed=ticks)
        desk.submit(who, submission, f"round-{state.round}", channel="api").result()


def planning_seconds(
    num_bidders: int, num_goods: int, mechanism: str, num_rounds: int, data: Path
) -> list[float]:
    """Seconds of planning each round, as the log has them."""
    desk = Desk(data)
    try:
        text = market_text(num_bidders, num_goods, mechanism)
        auction = desk.create(ZOE, text).result().auction
        for bidder in range(num_bidders):
            desk.invite(ZOE, auction, bidder, "p").result()
        desk.command(ZOE, auction, cmd.Start("Zoe", True)).result()
        goods = [{"name": f"g{j}"} for j in range(num_goods)]
        for round_ in range(num_rounds):
            state = wait_for_questions(desk, auction, round_)
            if round_ + 1 < num_rounds:
                rules, _ = state.setup
                answer_all(desk, auction, goods, rules.max_value)
        return [summary.seconds for summary in desk.state_of(auction).rounds]
    finally:
        desk.close()


def processor_seconds() -> float:
    """What all children that have ended used of the processor."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", nargs="+", default=SIZES, help="BIDDERSxGOODS")
    parser.add_argument("--mechanism", default="boca")
    parser.add_argument("--rounds", type=int, default=3, choices=(1, 2, 3))
    options = parser.parse_args()
    names = ("bidders", "goods", *COLUMNS[: options.rounds], "processor", "memory")
    print(f"| {' | '.join(names)} |")
    print(f"|{'--:|' * len(names)}", flush=True)
    for size in options.sizes:
        num_bidders, num_goods = map(int, size.split("x"))
        before = processor_seconds()
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data"
            seconds = planning_seconds(
                num_bidders, num_goods, options.mechanism, options.rounds, data
            )
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        shown = " | ".join(f"{number:.0f} s" for number in seconds)
        used = processor_seconds() - before
        print(
            f"| {num_bidders} | {num_goods} | {shown} | {used:.0f} s | {memory:.0f} MB |",
            flush=True,
        )


if __name__ == "__main__":
    main()
