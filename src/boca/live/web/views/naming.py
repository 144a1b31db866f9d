"""What people call a question or an own bid; ids are for programs."""

import re

from boca.live.auction.query_id import in_place_of_ids, round_and_number
from boca.live.auction.state import ReportState
from boca.live.web.texts import Texts

# A question in a spreadsheet: no spreadsheet takes this for a date or a decimal number.
SHEET_NAME = re.compile(r"R\s*(\d{1,6})[\s.,/-]*Q\s*(\d{1,6})", re.IGNORECASE)


def question_name(t: Texts, query: str) -> str:
    """``Question 3 of round 2``."""
    place = round_and_number(query)
    return query if place is None else t("question.name", round=place[0], number=place[1])


def sentence_name(t: Texts, query: str) -> str:
    """The same within a sentence: ``question 3 of round 2``."""
    return without_ids(t, query)


def question_title(t: Texts, query: str) -> str:
    """``Question 3``, where the round is known."""
    place = round_and_number(query)
    return query if place is None else t("question.title", number=place[1])


def said_name(t: Texts, report: ReportState) -> str:
    """The question that a report answered, or that it is an own bid."""
    if report.query is None:
        return t("question.own", round=report.round + 1)
    return question_name(t, report.query)


def without_ids(t: Texts, text: str) -> str:
    """A sentence in which questions are called by their names."""
    return in_place_of_ids(text, lambda rnd, number: t("question.of", round=rnd, number=number))


def sheet_name(query: str) -> str:
    """A question as spreadsheets name it, in every language: ``R2 Q3``."""
    place = round_and_number(query)
    return query if place is None else f"R{place[0]} Q{place[1]}"


def address_key(query: str) -> str:
    """A question in an address: ``2.3``."""
    place = round_and_number(query)
    return query if place is None else f"{place[0]}.{place[1]}"


def is_named(text: str, query: str) -> bool:
    """Whether a cell names a question, by its name or by its id as former sheets did."""
    match = SHEET_NAME.fullmatch(text.strip())
    if match is None:
        return text.strip() == query
    return (int(match[1]), int(match[2])) == round_and_number(query)
