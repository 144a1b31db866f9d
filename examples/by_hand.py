"""
An auction driven by hand, as a person with a spreadsheet would: ``python examples/by_hand.py``.

Every call reads the state from a file and writes it back, so days may pass between them.

    python examples/by_hand.py start              begin, and write the open questions
    python examples/by_hand.py answer FILE        take the answers from a CSV file, ask again
    python examples/by_hand.py close              who gets what, and at which price

The questions are in ``auction/questions.csv``: fill in the column `value` (leave it empty to
decline) and hand the file back with `answer`. Without arguments everything is played through
with invented answers.
"""

import csv
import sys
from pathlib import Path

from boca.core import Bidder, Good, Market
from boca.mechanism import Auction, auction_params

FOLDER = Path("auction")
STATE, QUESTIONS = FOLDER / "state.json", FOLDER / "questions.csv"


def start() -> None:
    """Describes the market and asks the first questions."""
    goods = tuple(Good(name) for name in ("hall", "kitchen", "garden", "stage"))
    bidders = tuple(Bidder(name) for name in ("Ada", "Ben", "Cleo"))
    market = Market(goods, bidders, "rooms for a weekend")
    params = auction_params("boca", market, num_initial=5, num_per_round=2, num_total=9)
    FOLDER.mkdir(exist_ok=True)
    ask(Auction.start(market, params))


def ask(auction: Auction) -> bool:
    """Writes the open questions; tells whether there are any."""
    queries = auction.ask()
    auction.save(STATE)
    market = auction.state.market
    with QUESTIONS.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["bidder", *(good.name for good in market.goods), "value"])
        for query in queries:
            writer.writerow([market.bidders[query.bidder].name, *query.bundle, ""])
    print(f"{len(queries)} open questions in {QUESTIONS}", auction.state.stopped)
    return bool(queries)


def answer(file: Path) -> bool:
    """Takes the answers and asks the next questions; tells whether there are any."""
    auction = Auction.load(STATE)
    numbers = {bidder.name: i for i, bidder in enumerate(auction.state.market.bidders)}
    with file.open(newline="") as rows:
        for name, *bundle, value in list(csv.reader(rows))[1:]:
            counts = [int(count) for count in bundle]
            if value:
                auction.tell(numbers[name], counts, float(value))
            else:
                auction.decline(numbers[name], counts)
    return ask(auction)


def close() -> None:
    """Prints the outcome."""
    auction = Auction.load(STATE)
    print(auction.close().summary())
    auction.save(STATE)


def play() -> None:
    """Everything, with answers that a made-up rule gives."""
    worth = {"Ada": (9, 2, 4, 6), "Ben": (3, 8, 5, 1), "Cleo": (5, 3, 9, 2)}
    start()
    more = True
    while more:
        rows = list(csv.reader(QUESTIONS.open(newline="")))
        for row in rows[1:]:
            counts = [int(count) for count in row[1:-1]]
            total = sum(c * w for c, w in zip(counts, worth[row[0]], strict=True))
            row[-1] = str(total * (1 + 0.1 * (sum(counts) - 1)))
        with QUESTIONS.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        more = answer(QUESTIONS)
    close()


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            play()
        case ["start"]:
            start()
        case ["answer", file]:
            answer(Path(file))
        case ["close"]:
            close()
        case _:
            sys.exit(__doc__)
