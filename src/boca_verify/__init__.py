"""
The stand-alone verifier of live auctions: a log in, eleven checks out.

It imports nothing of boca. What server and engine compute in one way is computed here in another,
by SCIP and in whole units, from the log alone.
"""

from boca_verify.errors import Undecided, Unreadable
from boca_verify.verdict import Check, Finding, Given, Verdict
from boca_verify.verifier import verify, verify_chain

# The one of boca: both are one release.
__version__ = "0.2.0"

__all__ = [
    "Check",
    "Finding",
    "Given",
    "Undecided",
    "Unreadable",
    "Verdict",
    "__version__",
    "verify",
    "verify_chain",
]
