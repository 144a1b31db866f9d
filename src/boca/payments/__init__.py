"""From reports to an allocation and payments."""

from boca.payments.allocate import AllocationResult, allocate
from boca.payments.bid_files import BidFile, read_bids
from boca.payments.core_rule import CoreOutcome, quadratic_core
from boca.payments.outcome import Explanation, PricedOutcome
from boca.payments.vcg import vcg

__all__ = [
    "AllocationResult",
    "BidFile",
    "CoreOutcome",
    "Explanation",
    "PricedOutcome",
    "allocate",
    "quadratic_core",
    "read_bids",
    "vcg",
]
