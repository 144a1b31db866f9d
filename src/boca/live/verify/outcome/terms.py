"""The sums that explain payments of purchases and exchanges, against those that were used."""

from collections.abc import Callable, Collection, Iterator, Mapping

from boca.live.ledger import Record
from boca.live.verify.bodies import Body, Damaged, body_of
from boca.live.verify.setup import LoggedSetup
from boca.live.verify.verdict import Finding


def about_terms(
    setup: LoggedSetup,
    records: tuple[Record, ...],
    part: str,
    explained: Collection[int],
    who: str,
    sums_of: Callable[[int], Mapping[str, int | None]],
) -> Iterator[Finding]:
    """
    Whether the sums in ``justified`` and ``result`` are the ones that were used.

    Parameters
    ----------
    setup
        Names and money.
    records
        The whole log.
    part
        Where ``justified`` lists them.
    explained
        Whose payments must be explained there.
    who
        What these are called.
    sums_of
        The sums of one of them by key; None for one that there is not.
    """
    for record in records:
        if record.body is None or record.kind not in ("justified", "result"):
            continue
        body = body_of(record)
        try:
            if record.kind == "justified":
                rows = list(body.parts(part))
                told = [row.whole("bidder") for row in rows]
                if sorted(told) != sorted(explained):
                    raise Damaged(f"it does not explain the payments of {who}.")
            else:
                rows, told = [body], [body.whole("bidder")]
            for bidder, row in zip(told, rows, strict=True):
                if bidder in explained:
                    _compare(setup, bidder, sums_of(bidder), row)
        except Damaged as damage:
            yield Finding(damage.sentence, record.seq)


def _compare(setup: LoggedSetup, bidder: int, sums: Mapping[str, int | None], row: Body) -> None:
    """Damaged unless the sums that a row holds are right."""
    for key, expected in sums.items():
        if row.has(key) and row.whole(key) != expected:
            right = "there is none" if expected is None else f"it is {setup.money(expected)}"
            told = setup.money(row.whole(key))
            raise Damaged(f"it says '{key}' of {setup.name(bidder)} is {told}; {right}.")
