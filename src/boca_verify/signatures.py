"""V3: the signed head, receipts, and heads that somebody noted during the auction."""

from collections.abc import Iterator, Sequence
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from boca_verify.canonical import canonical, sha256
from boca_verify.reading import ReadLog
from boca_verify.records import Record
from boca_verify.verdict import Check, Finding
from boca_verify.wording import counted

# What a receipt repeats of its record.
COPIED = ("at", "auction", "seal")


def check_proofs(
    log: ReadLog,
    receipts: Sequence[dict[str, Any]] = (),
    key: str | None = None,
    heads: Sequence[str] = (),
) -> Check:
    """
    V3: nothing was cut off, and what people hold in their hands is in the log.

    Parameters
    ----------
    log
        The log.
    receipts
        As bidders saved them.
    key
        The public key from elsewhere; None for the one that the log names itself.
    heads
        Hashes that somebody noted.
    """
    named = _key_of(log.records)
    public = key or named
    findings: list[Finding] = []
    if key is not None and named is not None and key != named:
        findings.append(
            Finding(f"it names the key {named[:12]}..., and the key given begins {key[:12]}.", 0)
        )
    findings += _about_head(log, public)
    for number, receipt in enumerate(receipts, 1):
        findings += _about_receipt(number, receipt, log, public)
    hashes = {record.hash for record in log.whole}
    findings += [
        Finding(f"The noted head {head[:12]}... is not in the log.")
        for head in heads
        if head not in hashes
    ]
    parts = ["the head is signed"]
    if receipts:
        parts.append(f"{counted(len(receipts), 'receipt')} signed and in the log")
    if heads:
        parts.append(f"{counted(len(heads), 'noted head')} in the log")
    if public is None:
        sentence = "The key is sealed, so signatures were not checked; give it with --key."
        return Check.of("V3", findings, sentence, "sealed")
    return Check.of("V3", findings, f"With the key {public[:12]}...: {', '.join(parts)}.")


def is_signed(content: dict[str, Any], public: str) -> bool:
    """Whether a ``signature`` over the canonical text of all the rest is by a public key."""
    unsigned = {key: value for key, value in content.items() if key != "signature"}
    try:
        signature = bytes.fromhex(str(content.get("signature", "")))
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        key.verify(signature, canonical(unsigned).encode())
    except (InvalidSignature, ValueError, RecursionError):
        return False
    return True


def receipt_name(number: int, receipt: dict[str, Any]) -> str:
    """How findings call a receipt: its place among those given, and its number on paper."""
    digits = str(receipt.get("hash", ""))[:12]
    return f"Receipt {number} ({digits[:4]} {digits[4:8]} {digits[8:]})"


def _key_of(records: tuple[Record | None, ...]) -> str | None:
    """The public key that the first record names."""
    first = records[0]
    body = first.body if first is not None else None
    key = body.get("public_key") if body else None
    return key if isinstance(key, str) else None


def _about_head(log: ReadLog, public: str | None) -> Iterator[Finding]:
    if log.head is None:
        yield Finding("The log does not end with a signed head; its end may be missing.")
        return
    last = log.records[-1]
    if last is None or log.head.get("head") != last.hash:
        yield Finding(
            f"The signed head does not name record {len(log.records) - 1}, the last one; records "
            "at the end were cut off or added."
        )
    if public is not None and not is_signed(log.head, public):
        yield Finding("The signature of the head is not by the key of the log.")


def _about_receipt(
    number: int, receipt: dict[str, Any], log: ReadLog, public: str | None
) -> Iterator[Finding]:
    name = receipt_name(number, receipt)
    if public is not None and not is_signed(receipt, public):
        yield Finding(f"{name} is not signed by the key of the log, or was changed.")
    try:
        seal = sha256(canonical(receipt.get("body")))
    except (ValueError, RecursionError):
        seal = ""
    if seal != receipt.get("seal"):
        yield Finding(f"{name} has a body that does not belong to its seal.")
    records = {record.hash: record for record in log.whole}
    record = records.get(str(receipt.get("hash")))
    if record is None:
        is_elsewhere = receipt.get("auction") not in {r.envelope.get("auction") for r in log.whole}
        why = "it is of another auction" if is_elsewhere else "something confirmed is missing"
        yield Finding(f"{name} is not in the log: {why}.")
        return
    for field in COPIED:
        if record.envelope.get(field) != receipt.get(field):
            yield Finding(f"{name} and the log differ in '{field}'.", record.envelope.get("seq"))
