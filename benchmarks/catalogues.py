"""
Catalogues of translations: adds what pages and the code say and a catalogue does not have yet.

    python benchmarks/catalogues.py        all languages
    python benchmarks/catalogues.py es     a language, which is begun if there is none

What nobody says any more is taken out. New texts have an empty translation, and pages say them in
English until somebody translates them; tests fail until then. A context is a kind of market whose
own word a text has, or the key of a sentence of a page that means something else than the others
with the same text.
"""

import sys
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from boca.live.web.texts import LOCALE, NUMBERS, english, languages

SOURCE = Path(__file__).parents[1] / "src" / "boca"
KEYWORDS = {"msg": None, "msgn": (1, 2), "msgid": None}
KINDS = ("sell", "buy", "exchange", "courses")
Text = str | tuple[str, str]


def said_by_code() -> dict[Text, set[str]]:
    """Messages, those of one and of many as pairs, with the files that say them."""
    found: dict[Text, set[str]] = {}
    rows = extract_from_dir(str(SOURCE), [("**.py", "python")], keywords=KEYWORDS)
    for name, _, text, _, _ in rows:
        found.setdefault(text, set()).add(name)
    return found


def said_by_pages() -> dict[Text, set[str]]:
    """Sentences of pages, with their keys."""
    found: dict[Text, set[str]] = {}
    for kind in KINDS:
        texts = english(kind)
        for key, text in texts.items():
            if kind != "sell" and text == english("sell").get(key):
                continue
            name, _, number = key.rpartition(".")
            said: Text = text
            if number in NUMBERS and f"{name}.many" in texts:
                key, said = name, (texts[f"{name}.one"], texts[f"{name}.many"])
            found.setdefault(said, set()).add(key if kind == "sell" else f"{kind}:{key}")
    return found


def first_of(text: Text) -> str:
    """A text, or that for one of a pair."""
    return text if isinstance(text, str) else text[0]


def path_of(language: str) -> Path:
    """Where a catalogue lies."""
    return LOCALE / language / "LC_MESSAGES" / "messages.po"


def renewed(language: str) -> Catalog:
    """The catalogue of a language with all that is said, and nothing else."""
    path = path_of(language)
    known = Catalog(locale=language)
    if path.exists():
        with path.open("rb") as file:
            known = read_po(file)
    new = Catalog(locale=language, fuzzy=False)
    code, pages = said_by_code(), said_by_pages()
    for text in sorted({*code, *pages}, key=first_of):
        first = first_of(text)
        # English says what it says; only kinds have other words for it.
        contexts = {row.context for row in known if row.id and first_of(row.id) == first}
        wanted = {*contexts} if language == "en" else {*contexts, None}
        for context in sorted(wanted, key=str):
            row = known.get(first, context)
            new.add(
                text,
                row.string
                if row is not None and row.string
                else ("" if first == text else ("", "")),
                context=context,
                locations=[(name, None) for name in sorted(code.get(text, ()))],
                auto_comments=[", ".join(sorted(pages[text]))] if text in pages else [],
            )
    return new


def write(language: str) -> int:
    """Writes a catalogue; returns how many texts nobody has translated."""
    new, path = renewed(language), path_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, new, width=0, omit_header=True, include_lineno=False)
    head = (
        f"# {Locale(language).english_name}: what pages and the code say, by the English text.\n"
        f'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
        f'"Plural-Forms: nplurals={new.num_plurals}; plural={new.plural_expr};\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n\n'
    )
    path.write_text(head + path.read_text(encoding="utf-8"), encoding="utf-8")
    return sum(not row.string or not all(row.string) for row in new if row.id)


if __name__ == "__main__":
    for name in sys.argv[1:] or languages():
        print(f"{name}: {write(name)} texts without a translation")
