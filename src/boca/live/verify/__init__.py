"""
The stand-alone verifier of live auctions: a log in, eleven checks out.

It knows neither the server nor the engine. What they compute in one way is computed here in
another, by SCIP and in whole units.
"""

from boca.live.verify.verdict import Check, Finding, Given, Verdict
from boca.live.verify.verifier import verify, verify_chain

__all__ = ["Check", "Finding", "Given", "Verdict", "verify", "verify_chain"]
