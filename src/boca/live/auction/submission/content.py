"""What a bidder sends: texts as typed, bundles by the names of their goods."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ValueAnswer:
    """The value of the bundle that a query asks about, as text."""

    query: str
    value: str


@dataclass(frozen=True)
class BundleValue:
    """A value for a bundle that is named by its goods, for pushes and corrections."""

    bundle: Mapping[str, int]
    value: str


@dataclass(frozen=True)
class DemandAnswer:
    """What is wanted at the prices of a demand query, by the names of the goods; may be empty."""

    query: str
    bundle: Mapping[str, int]


@dataclass(frozen=True)
class Submission:
    """
    Reports, declines, corrections and pushes that one person confirms together.

    Parameters
    ----------
    answers
        To open queries, or to answered ones, which corrects them.
    declines
        Ids of queries that will not be answered.
    pushes
        Bundles that nobody asked about.
    corrections
        Other values for bundles that were reported before.
    confirmed
        Ids of the warnings that were ticked.
    basis
        Hash of the bidder's last submission when the person looked; None to leave it unchecked.
    demands
        Answers to demand queries.
    """

    answers: tuple[ValueAnswer, ...] = ()
    declines: tuple[str, ...] = ()
    pushes: tuple[BundleValue, ...] = ()
    corrections: tuple[BundleValue, ...] = ()
    confirmed: tuple[str, ...] = ()
    basis: str | None = None
    # Digests of requests hold the former word; a request from before is still known when repeated.
    demands: tuple[DemandAnswer, ...] = field(default=(), metadata={"json": "wishes"})

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries that it answers or declines."""
        answered = [answer.query for answer in self.answers]
        demanded = [demand.query for demand in self.demands]
        return (*answered, *demanded, *self.declines)
