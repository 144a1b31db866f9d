"""From reports to an allocation and payments."""

from boca.payments.allocating import AllocationResult, allocate, allocate_quickly
from boca.payments.awards import Award, award
from boca.payments.core_rule import CoreOutcome, quadratic_core
from boca.payments.effort import Progress
from boca.payments.explanation import Explanation, PricedOutcome
from boca.payments.scenarios import Scenario, run_scenarios
from boca.payments.trades import Trades, exchange
from boca.payments.vcg_rule import vcg

__all__ = [
    "AllocationResult",
    "Award",
    "CoreOutcome",
    "Explanation",
    "PricedOutcome",
    "Progress",
    "Scenario",
    "Trades",
    "allocate",
    "allocate_quickly",
    "award",
    "exchange",
    "quadratic_core",
    "run_scenarios",
    "vcg",
]
