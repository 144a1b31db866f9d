"""What to try next, and when to give up."""

from boca.lab.studies.tuning.choosing.giving_up import is_hopeless
from boca.lab.studies.tuning.choosing.sampler import SAMPLERS, TargetSampler, distributions, view_of

__all__ = ["SAMPLERS", "TargetSampler", "distributions", "is_hopeless", "view_of"]
