"""Whoever was invited acts for the bidder at a place of the list, which that bidder keeps (V5)."""

from boca_verify.bodies import Body, Damaged, body_of
from boca_verify.records import Record


class LoggedPlaces:
    """The list of bidders, and the places for which somebody was invited, record by record."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._invited: set[int] = set()

    def see(self, record: Record) -> None:
        """Follows one record; Damaged if people would act for another bidder than before."""
        if record.body is None or record.kind not in ("configured", "invited"):
            return
        body = body_of(record)
        if record.kind == "invited":
            if body.has("bidder"):
                self._invited.add(body.whole("bidder"))
            return
        before, self._names = self._names, _names(body)
        for place in sorted(self._invited):
            name = before[place] if place < len(before) else ""
            if place >= len(self._names):
                raise Damaged(f"it drops '{name}', for whom people were invited.")
            if name in self._names and self._names[place] != name:
                raise Damaged(f"it moves '{name}', for whom people were invited, to another place.")


def _names(body: Body) -> list[str]:
    bidders = body.part("market").list("bidders") if "market" in body.fields else []
    return [str(one.get("name")) if isinstance(one, dict) else "" for one in bidders]
