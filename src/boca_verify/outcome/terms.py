"""The sums that explain payments, against those that were used, and the outcomes they come from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.records import Record
from boca_verify.rules import LoggedSetup
from boca_verify.verdict import Finding

Sums = Mapping[str, int | None]
# Everything that somebody can be told about its own payment, in any kind of market.
TOLD = ("others_without", "others_with", "reserve", "vcg_payment", "more", "most", "keeps")

# Where ``justified`` explains payments, by the kind of market.
PARTS = ("winners", "suppliers", "traders")


@dataclass(frozen=True)
class Explained:
    """
    What stands behind one payment.

    Parameters
    ----------
    sums
        What ``justified`` says of it, by key; None for one that there is not.
    told
        What its own ``result`` says, if the rules explain payments.
    alternative
        What is wrong with the outcome without it that ``justified`` names, in words; empty if
        nothing is. Damaged if it cannot be read.
    """

    sums: Sums
    told: Sums
    alternative: Callable[[Body], str]


def about_terms(
    setup: LoggedSetup,
    records: tuple[Record, ...],
    part: str,
    explained: Mapping[int, Explained],
    who: str,
) -> Iterator[Finding]:
    """
    Whether ``justified`` and ``result`` say what was used: all of it, and nothing else.

    Parameters
    ----------
    setup
        Names and money.
    records
        The whole log.
    part
        Where ``justified`` lists them.
    explained
        Everybody whose payment must be explained there.
    who
        What these are called.
    """
    for record in records:
        if record.body is None or record.kind not in ("justified", "result"):
            continue
        body = body_of(record)
        try:
            if record.kind == "result":
                bidder = body.whole("bidder")
                terms = explained.get(bidder) if setup.explains else None
                told = terms.told if terms is not None else {}
                _compare(setup, bidder, {key: told.get(key) for key in TOLD}, body)
                continue
            if any(body.fields.get(other) for other in PARTS if other != part):
                raise Damaged(f"it explains payments elsewhere than in '{part}'.")
            rows = list(body.parts(part))
            named = [row.whole("bidder") for row in rows]
            if sorted(named) != sorted(explained):
                raise Damaged(f"it does not explain the payments of {who}.")
            for bidder, row in zip(named, rows, strict=True):
                _compare(setup, bidder, explained[bidder].sums, row)
                problem = explained[bidder].alternative(row)
                if problem:
                    raise Damaged(f"without {setup.name(bidder)} it names another: {problem}")
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)


def _compare(setup: LoggedSetup, bidder: int, sums: Sums, row: Body) -> None:
    """Damaged unless the sums that a row holds are right, and all there."""
    for key, expected in sums.items():
        if not row.has(key) and expected is None:
            continue
        right = "there is none" if expected is None else f"it is {setup.money(expected)}"
        if not row.has(key):
            raise Damaged(f"it does not say '{key}' of {setup.name(bidder)}; {right}.")
        if row.amount(key) != expected:
            told = setup.money(row.amount(key))
            raise Damaged(f"it says '{key}' of {setup.name(bidder)} is {told}; {right}.")
