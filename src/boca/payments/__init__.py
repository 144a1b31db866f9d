"""From reports to an allocation and payments."""

from boca.payments.allocate import AllocationResult, allocate, allocate_quickly
from boca.payments.core_rule import CoreOutcome, quadratic_core
from boca.payments.effort import Progress
from boca.payments.explanation import Explanation, PricedOutcome
from boca.payments.vcg import vcg

__all__ = [
    "AllocationResult",
    "CoreOutcome",
    "Explanation",
    "PricedOutcome",
    "Progress",
    "allocate",
    "allocate_quickly",
    "quadratic_core",
    "vcg",
]
