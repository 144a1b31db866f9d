"""The golden log as records that tests can damage, seal anew and sign anew."""

import copy
import json
from collections.abc import Callable
from typing import Any

from golden_auction import FOLDER, signing_key

from boca.live.ledger import SigningKey
from boca_verify import Verdict, verify
from boca_verify.canonical import canonical, sha256
from boca_verify.records import FIRST, VERSION

Change = Callable[[list[dict[str, Any]]], None]
AT = "2026-11-16T20:00:00.000000Z"


def golden_lines(cut: str = "full") -> list[str]:
    """The lines of the golden log, each with its end."""
    return (FOLDER / f"golden-{cut}.jsonl").read_text().splitlines(keepends=True)


def golden_receipts() -> list[dict[str, Any]]:
    """Two receipts of the golden auction, as they were saved."""
    return [json.loads((FOLDER / f"golden-receipt-{k}.json").read_text()) for k in (1, 2)]


def golden_entries(cut: str = "full") -> list[dict[str, Any]]:
    """Time, kind and body of every record, to be changed and sealed again."""
    entries = []
    for line in golden_lines(cut)[:-1]:
        value = json.loads(line)
        envelope = value["envelope"]
        entries.append({"at": envelope["at"], "kind": envelope["kind"], "body": value["body"]})
    return entries


def relinked(entries: list[dict[str, Any]], key: SigningKey | None = None) -> list[str]:
    """
    A log with a chain, seals and a signature that hold, whatever it says.

    Hashes that bodies name are those of the records that took the place of the ones they meant.

    Parameters
    ----------
    entries
        Time, kind and body of every record; a key ``was`` has the hash it had before.
    key
        Signs the head; the key of the golden log unless given.
    """
    prev, lines, renamed = FIRST, list[str](), dict[str, str]()
    for number, entry in enumerate(entries):
        body = _renamed(entry["body"], renamed)
        if entry["kind"] == "published" and "head" in body and not entry.get("keeps_head"):
            body = {**body, "head": prev}
        sealed = canonical(body)
        envelope = canonical(
            {
                "at": entry["at"],
                "auction": "2ze2pi2zjsbpna0z",
                "kind": entry["kind"],
                "prev": prev,
                "seal": sha256(sealed),
                "seq": number,
                "v": VERSION,
            }
        )
        prev = sha256(envelope)
        if "was" in entry:
            renamed[entry["was"]] = prev
        lines.append(f'{{"body":{sealed},"envelope":{envelope},"hash":"{prev}"}}\n')
    head = (key or signing_key()).sign({"at": AT, "head": prev})
    return [*lines, canonical(head) + "\n"]


def changed(change: Change, key: SigningKey | None = None) -> list[str]:
    """The golden log after a change of its records, with everything sealed and signed anew."""
    hashes = [json.loads(line)["hash"] for line in golden_lines()[:-1]]
    entries = copy.deepcopy(golden_entries())
    for entry, hash_ in zip(entries, hashes, strict=True):
        entry["was"] = hash_
    change(entries)
    return relinked(entries, key)


def verdict_on(change: Change) -> Verdict:
    """What the verifier says about the golden log after a change."""
    return verify(changed(change))


def find(entries: list[dict[str, Any]], kind: str, nth: int = 0) -> int:
    """Number of the record that is the nth of its kind; -1 for the last."""
    return [k for k, entry in enumerate(entries) if entry["kind"] == kind][nth]


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """A value in which hashes of old records are those of the new ones."""
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


# What spoils a body.
JUNK = [None, True, -1, 2**60, 0.5, "", "x", [], {}, [[]], [None], {"a": 1}, "9" * 80]


def spoil(value, rng) -> None:
    """Puts nonsense somewhere into a body."""
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = rng.choice(places)
    if isinstance(value[place], dict | list) and value[place] and rng.random() < 0.7:
        spoil(value[place], rng)
    elif isinstance(value, dict) and rng.random() < 0.2:
        del value[place]
    else:
        junk = rng.choice(JUNK)
        value[place] = junk if junk != 2**60 else 2**53 - 1
