"""What to ask next: first queries, economies, and the plan of a round."""

from boca.queries.economies import MarginalUse
from boca.queries.plan_round import RoundPlan, RoundPlanner, plan_round

__all__ = ["MarginalUse", "RoundPlan", "RoundPlanner", "plan_round"]
