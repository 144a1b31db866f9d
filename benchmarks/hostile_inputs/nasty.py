"""
Values that break programs, and the ways to get them into a file.

Two ways: change a file's tree (a value, a key, an item of a list), which stays readable and reaches
the checks of meaning; or change its text (a token, a line, a byte), which reaches the reader.
"""

import json
import re
from typing import Any

import tomli_w
from hypothesis import strategies as st

LONG = "x" * 100_000
DEEP = 3_000

# Written as they stand, in JSON and in TOML.
NUMBERS = (
    "-1", "0", "-0.0", "1.5", "2.0", "1e308", "-1e308", "1e-320", "1e15", "1e16", "999999999999",
    "1000000000000000000", "9223372036854775808", "-9223372036854775809", "9" * 400, "9" * 5_000,
    "1e999", "0.1", "4294967296", "65536", "20000", "100000000",
)  # fmt: skip
STRINGS = (
    "", " ", "x", "1", "-1", "nan", "inf", "1e400", "true", "null", "main", "Reserve", "capacity",
    "Ann", "Bread", "toy", "random", "boca", "../../../etc/passwd", "/dev/zero", "/dev/stdin", ".",
    "a\nb", "a,b", "a;b", '"', "\t", "\u202eabc", "\x1b[2J", "[bold]x[/]", "[/]", "é", "İ", "1٣",
    "0-99999999", "5-1", "=1+1", "%s{0}", "\x00", "٣", "x" * 300, LONG,
)  # fmt: skip
JSON_ONLY = ("NaN", "Infinity", "-Infinity", "null", '"\\ud800"', '"\\u0000"')
TOML_ONLY = ("nan", "inf", "-inf", "1979-05-27", "07:32:00", "0x7fffffffffffffff", "'''\n'''")
SHARED = ("true", "false", "[]", "{}", "[[]]", "[{}]", "[1, 2]", '["a"]', "[" * 60 + "]" * 60)

TEXT_TOKENS = (*NUMBERS, *STRINGS, "nan", "-inf", "{", "[", '"', "#", ",", ";", "\r", "=")
# What happens to a place in a tree, the gentle changes more often than the brutal ones.
CHANGES = ("nudge", "nudge", "nudge", "swap", "swap", "replace", "replace", "delete", "add", "copy")
PLACE = re.compile(r'"@@(\d+)@@"')


def tokens(language: str) -> list[str]:
    """Hostile values as they are written in a language, toml or json."""
    own = JSON_ONLY if language == "json" else TOML_ONLY
    return [*NUMBERS, *(json.dumps(text) for text in STRINGS), *SHARED, *own]


def paths_of(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places in a tree of dictionaries and lists, the root left out."""
    places = [path] if path else []
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, item in items:
        if isinstance(item, dict | list):
            places += paths_of(item, (*path, key))
        else:
            places.append((*path, key))
    return places


def leaves_of(tree: Any) -> list[Any]:
    """The values in a tree of dictionaries and lists."""
    if not isinstance(tree, dict | list):
        return [tree]
    items = tree.values() if isinstance(tree, dict) else tree
    return [leaf for item in items for leaf in leaves_of(item)]


def nudged(value: Any) -> list[Any]:
    """Values of the same kind that are nearly right: the hardest to tell from right ones."""
    if isinstance(value, bool) or value is None:
        return [not value]
    if isinstance(value, int | float):
        if abs(value) > 10**300:  # larger ones divide to no float
            return [value + 1, -value]
        return [value + 1, value - 1, -value, 2 * value, value / 2, 100 * value, float(value)]
    return [value + "s", value.upper(), value[:-1], f" {value}", f"{value}\u200b"]


def write_tree(tree: Any, language: str, values: list[str]) -> bytes:
    """
    A tree as a file, with raw values in their places.

    Parameters
    ----------
    tree
        Dictionaries and lists; a string ``@@3@@`` stands for the raw value with that number.
    language
        toml or json.
    values
        The raw values.
    """
    try:
        text = json.dumps(tree) if language == "json" else tomli_w.dumps(tree)
    except (TypeError, ValueError):
        text = json.dumps(tree)  # what TOML cannot say is hostile in its own way
    return PLACE.sub(lambda match: values[int(match[1])], text).encode(errors="surrogatepass")


@st.composite
def changed_trees(draw: st.DrawFn, tree: Any, language: str) -> bytes:
    """A file whose tree differs from a valid one in one to three places."""
    tree = json.loads(json.dumps(tree))
    values: list[str] = []
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        places = paths_of(tree)
        if not places:
            break
        *way, last = draw(st.sampled_from(places))
        parent = tree
        for key in way:
            parent = parent[key]
        change = draw(st.sampled_from(CHANGES))
        if change in ("nudge", "swap") and not isinstance(parent[last], dict | list):
            others = [value for value in leaves_of(tree) if type(value) is type(parent[last])]
            parent[last] = draw(
                st.sampled_from(nudged(parent[last]) if change == "nudge" else others)
            )
            continue
        if change == "delete":
            del parent[last]
            continue
        if change == "copy" and isinstance(parent, list):
            parent.extend(json.loads(json.dumps([parent[last]])) * draw(st.sampled_from((1, 50))))
            continue
        values.append(draw(st.sampled_from(tokens(language))))
        place = f"@@{len(values) - 1}@@"
        if change == "add" and isinstance(parent, dict):
            parent[draw(st.sampled_from(STRINGS[:-1]))] = place
        else:
            parent[last] = place
    return write_tree(tree, language, values)


@st.composite
def changed_texts(draw: st.DrawFn, text: str) -> bytes:
    """A file whose text differs from a valid one: a word, a line, or the end."""
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 3)))):
        words = list(re.finditer(r"[^\s,;\"'\[\]{}=:]+", text))
        lines = text.splitlines(keepends=True)
        change = draw(
            st.sampled_from(
                ("word", "word", "swap", "swap", "nudge", "nudge", "insert", "line", "cut", "twice")
            )
        )
        if change == "word" and words:
            word = draw(st.sampled_from(words))
            text = text[: word.start()] + draw(st.sampled_from(TEXT_TOKENS)) + text[word.end() :]
        elif change in ("swap", "nudge") and words:
            word, other = draw(st.sampled_from(words)), draw(st.sampled_from(words))[0]
            near = nudged(int(word[0])) if word[0].isdecimal() else nudged(word[0])
            text = (
                text[: word.start()]
                + (other if change == "swap" else str(draw(st.sampled_from(near))))
                + text[word.end() :]
            )
        elif change == "insert":
            place = draw(st.integers(0, len(text)))
            text = text[:place] + draw(st.sampled_from(TEXT_TOKENS)) + text[place:]
        elif lines:
            number = draw(st.integers(0, len(lines) - 1))
            if change == "line":
                del lines[number]
            elif change == "twice":
                lines.insert(number, lines[number])
            else:
                lines = [*lines[:number], lines[number][: len(lines[number]) // 2]]
            text = "".join(lines)
    return text.encode(errors="surrogatepass")


@st.composite
def changed_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """A file that is no text any more, or another kind of text."""
    changes = ("flip", "flip", "utf-16", "bom", "crlf", "nul", "deep", "empty", "random", "cut")
    change = draw(st.sampled_from(changes))
    if change == "flip":
        place = draw(st.integers(0, len(content) - 1))
        return content[:place] + bytes([draw(st.integers(128, 255))]) + content[place + 1 :]
    return {
        "utf-16": content.decode(errors="replace").encode("utf-16"),
        "cut": content[: draw(st.integers(0, len(content)))],
        "bom": b"\xef\xbb\xbf" + content,
        "crlf": content.replace(b"\n", b"\r\n"),
        "nul": content + b"\x00" * 1_000,
        "deep": b"[" * DEEP + b"]" * DEEP,
        "empty": b"",
        "random": draw(st.binary(max_size=200)),
    }[change]
