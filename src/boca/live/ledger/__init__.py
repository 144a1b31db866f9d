"""Records that cannot be changed unnoticed, and receipts; knows nothing of auctions."""

from boca.live.ledger.canonical import canonical, sha256
from boca.live.ledger.chain import FIRST, Broken, Record, check_chain, next_record
from boca.live.ledger.lines import read_lines, write_lines
from boca.live.ledger.receipts import SigningKey, check_signature

__all__ = [
    "FIRST",
    "Broken",
    "Record",
    "SigningKey",
    "canonical",
    "check_chain",
    "check_signature",
    "next_record",
    "read_lines",
    "sha256",
    "write_lines",
]
