"""Tests of all messages that people can read: no doubled words, and each ends once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from boca.live.web.texts import catalogue, english, languages

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "boca"
# What builds a message besides `raise`: reports of mistakes, and checks that fail.
TELLERS = {"InputError", "Refusal", "Finding", "Damaged", "fail", "wrong", "_wrong", "refuse", "t"}
# A value in a message; what it holds is only known when it is shown.
GAP = "\u2026"
GUESS = "did_you_mean"
# Words that may follow themselves: "laden Sie sie hoch", "die Zeit, in der der Server nicht lief",
# "vous vous adressez".
TWICE = "Sie sie|der der|die die|das das|vous vous|nous nous"
FAULTS = {
    "a doubled word": re.compile(rf"\b(?!(?:{TWICE})\b)(\w+) \1\b", re.IGNORECASE),
    "a stop after a question mark": re.compile(r"\?\."),
    "two stops": re.compile(r"(?<!\.)\.\.(?!\.)"),
    "a blank before a stop": re.compile(r"[\w'] [.,;](?: |$)"),
    "a word that nobody says": re.compile(r"\banew\b|says so not|missing to the"),
}


def told(node: ast.expr) -> str:
    """The text of an expression, with a mark in place of values; a guess ends its sentence."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(told, node.values))
    if isinstance(node, ast.BinOp):
        return told(node.left) + told(node.right)
    if isinstance(node, ast.FormattedValue):
        return "did you mean it?" if GUESS in ast.unparse(node) else GAP
    return "did you mean it?" if GUESS in ast.unparse(node) else GAP


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of every message in a source file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        calls = [node.exc] if isinstance(node, ast.Raise) else [node]
        for call in calls:
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
            name = call.func.id if isinstance(call.func, ast.Name) else name
            if isinstance(node, ast.Raise) or name in TELLERS:
                for argument in (*call.args, *(k.value for k in call.keywords)):
                    if isinstance(argument, ast.Constant | ast.JoinedStr | ast.BinOp):
                        yield call.lineno, told(argument)


def faults(text: str) -> list[str]:
    return [name for name, pattern in FAULTS.items() if pattern.search(text)]


def test_messages_of_the_source_read_well():
    """Tests every message in the source; the list says where and what."""
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name} in {text!r}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in messages(path)
        for name in faults(text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", languages())
def test_texts_of_pages_read_well(language):
    """Tests every sentence of the live house's pages, of all kinds of markets."""
    texts = {text for kind in ("sell", "buy") for text in english(kind).values()}
    if language != "en":
        rows = [row.string for row in catalogue(language) if row.id]
        texts = {text for row in rows for text in ((row,) if isinstance(row, str) else row)}
    assert len(texts) > 500
    assert [f"{name} in {text!r}" for text in texts for name in faults(text)] == []


def test_french_keeps_its_blanks():
    """Tests that no stop of a French sentence begins a line."""
    rows = [row.string for row in catalogue("fr") if row.id]
    texts = {text for row in rows for text in ((row,) if isinstance(row, str) else row)}
    assert [text for text in texts if re.search(r"\S [;:?!»](\s|$)|« ", text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "expected expected one of hall",
        "laden Sie die Datei Datei hoch",
        "did you mean 'hall'?.",
        "the file is cut off..",
        "found 'x' ; expected y",
        "start the server anew",
    ],
)
def test_the_faults_would_be_found(text):
    """Tests the tests."""
    assert faults(text)
    assert not faults("Found 'hal'; did you mean 'hall'? Wait ... and look again.")
    assert not faults("Laden Sie sie hoch; in der der Server lief.")


def test_a_stop_behind_a_guess_would_be_found():
    """Tests that a guess counts as the end of a sentence, wherever it stands."""
    line = "raise InputError(f\"found '{word}'; {did_you_mean(word, names)}.\")"
    (call,) = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)][:1]
    assert faults(told(call.args[0])) == ["a stop after a question mark"]
