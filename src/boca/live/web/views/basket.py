"""What a bidder has typed and not sent yet: drafts, and the submission they make."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from boca.core.errors import InputError
from boca.core.market import Market
from boca.live.auction.choices import cost
from boca.live.auction.events import Bundle
from boca.live.auction.submission import BundleValue, DemandAnswer, Submission, ValueAnswer
from boca.live.auction.views import BidderView, QuestionView, counts
from boca.live.web.texts import Texts
from boca.live.web.views.demand_draft import demand_questions, demanded_bundle, typed_counts
from boca.live.web.views.draft import Draft

ItemKind = Literal["answer", "decline", "push", "correct", "demand", "again"]
# Longer texts are no amounts; they are cut before they are stored.
LONGEST_TEXT = 60


@dataclass(frozen=True)
class BasketItem:
    """
    One row that will be sent.

    Parameters
    ----------
    key
        Of its draft: a query's id, perhaps with the word again, or a bundle with the word push or
        correct.
    kind, bundle
        What it is about.
    text, units, most
        The value as typed and as read, with the end of a range; what a wanted bundle costs; None
        for a declined query.
    was, was_most
        The value or range that counts now, if this corrects one.
    was_bundle
        The bundle that was wanted so far, if this corrects it.
    """

    key: str
    kind: ItemKind
    bundle: Bundle
    text: str = ""
    units: int | None = None
    was: int | None = None
    most: int | None = None
    was_most: int | None = None
    was_bundle: Bundle | None = None

    @property
    def query(self) -> str:
        """The query that it answers or declines; empty for others."""
        return self.key.removeprefix("again:") if self.kind not in ("push", "correct") else ""

    @property
    def draft(self) -> Draft:
        """The row as it was typed."""
        if self.kind in ("demand", "again"):
            return Draft(copies=tuple(map(str, self.bundle)), wants_nothing=not any(self.bundle))
        return Draft(self.text, self.kind == "decline")


@dataclass(frozen=True)
class Basket:
    """
    All drafts of a bidder that could be sent now.

    Parameters
    ----------
    items
        Rows that can be sent.
    errors
        Draft's key -> what is wrong with what was typed.
    """

    items: tuple[BasketItem, ...] = ()
    errors: dict[str, str] = field(default_factory=dict)

    def of(self, kind: ItemKind) -> tuple[BasketItem, ...]:
        """The rows of one kind."""
        return tuple(item for item in self.items if item.kind == kind)

    @property
    def drafts(self) -> dict[str, Draft]:
        """The rows as they were typed, by key."""
        return {item.key: item.draft for item in self.items}


def submission_of(
    drafts: Mapping[str, Draft],
    market: Market,
    confirmed: tuple[str, ...] = (),
    basis: str | None = None,
) -> Submission:
    """
    What is sent if somebody confirms; whether it can be taken is not looked at.

    Parameters
    ----------
    drafts
        What was shown, by key.
    market
        Its goods give bundles their names.
    confirmed
        Warnings that were ticked.
    basis
        Hash of the bidder's last submission when the page was made.
    """
    queries = {
        key.removeprefix("again:"): draft
        for key, draft in drafts.items()
        if ":" not in key or key.startswith("again:")
    }
    demands = {q: d for q, d in queries.items() if d.is_demand and not d.is_declined}

    def values(word: str) -> tuple[BundleValue, ...]:
        return tuple(
            BundleValue(counts(bundle_of(key), market), draft.text)
            for key, draft in drafts.items()
            if key.startswith(word)
        )

    return Submission(
        answers=tuple(
            ValueAnswer(q, d.text)
            for q, d in queries.items()
            if not d.is_declined and q not in demands
        ),
        declines=tuple(q for q, d in queries.items() if d.is_declined),
        pushes=values("push:"),
        corrections=values("correct:"),
        confirmed=confirmed,
        basis=basis,
        demands=tuple(DemandAnswer(q, typed_counts(d, market)) for q, d in demands.items()),
    )


def key_of(word: Literal["push", "correct"], bundle: Bundle) -> str:
    """The key of a draft that belongs to no query."""
    return f"{word}:{','.join(map(str, bundle))}"


def bundle_of(key: str) -> Bundle:
    """The bundle in a key of :func:`key_of`; empty if it holds none."""
    numbers = key.partition(":")[2].split(",")
    is_plain = all(n.isascii() and n.isdecimal() and len(n) < 8 for n in numbers)
    return tuple(map(int, numbers)) if is_plain else ()


def one_line(text: str) -> str:
    """What somebody typed, as it can be stored: one line, not too long."""
    return "".join(c if c.isprintable() else " " for c in text).strip()[:LONGEST_TEXT]


def drafts_of(stored: Mapping[str, str]) -> dict[str, Draft]:
    """Drafts as they were stored."""
    return {key: Draft.from_text(text) for key, text in stored.items()}


def to_content(drafts: Mapping[str, Draft]) -> str:
    """Drafts as a form carries them, so that exactly what was shown is sent."""
    return json.dumps([[key, *draft.to_row()] for key, draft in drafts.items()])


def from_content(content: str) -> dict[str, Draft]:
    """The inverse of :func:`to_content`, for text that anybody may have written."""
    try:
        drafts = {key: Draft.from_row(row) for key, *row in json.loads(content)}
    except (ValueError, TypeError):
        return {}
    return drafts if all(isinstance(key, str) for key in drafts) else {}


def fill(t: Texts, view: BidderView, drafts: Mapping[str, Draft]) -> Basket:
    """
    The basket of a bidder's drafts; what belongs to a closed query is left out.

    Parameters
    ----------
    t
        Texts of the auction's language.
    view
        The auction as the bidder sees it.
    drafts
        What was typed, by key.
    """
    reported = {answer.bundle: answer.report for answer in view.answers}
    rows: list[tuple[str, ItemKind, Bundle]] = [
        (question.id, "answer", question.bundle)
        for question in view.questions
        if question.status == "open" and question.id in drafts and question.prices is None
    ]
    for key in sorted(drafts):
        bundle = bundle_of(key)
        if key.startswith("push:") and bundle not in reported:
            if len(bundle) == view.setup.market.num_goods:
                rows.append((key, "push", bundle))
        elif key.startswith("correct:") and bundle in reported:
            rows.append((key, "correct", bundle))

    items: list[BasketItem] = []
    errors: dict[str, str] = {}
    for key, question in demand_questions(view).items():
        if key in drafts:
            demand = demanded_bundle(t, view.setup.market, drafts[key])
            if isinstance(demand, str):
                errors[key] = demand
            else:
                items.append(demand_item(key, question, demand))
    for key, kind, bundle in rows:
        draft = drafts[key]
        if draft.is_declined and draft.text:
            errors[key] = t("problem.both")
        elif draft.is_declined:
            items.append(BasketItem(key, "decline", bundle))
        else:
            try:
                least, most = view.setup.rules.read_value(draft.text)
            except InputError as error:
                errors[key] = t.read(error.message)
            else:
                was = reported.get(bundle)
                items.append(
                    BasketItem(
                        key,
                        kind,
                        bundle,
                        draft.text,
                        least,
                        was.units if was else None,
                        most,
                        was.most if was else None,
                    )
                )
    return Basket(tuple(items), errors)


def demand_item(key: str, question: QuestionView, bundle: Bundle | None) -> BasketItem:
    """The row of a demand query: what is wanted, or None to decline."""
    if bundle is None:
        return BasketItem(key, "decline", question.bundle)
    assert question.prices is not None
    price = cost(bundle, question.prices)
    kind: ItemKind = "again" if key.startswith("again:") else "demand"
    return BasketItem(key, kind, bundle, units=price, was_bundle=question.demand)
