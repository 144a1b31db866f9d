"""Networks of all bidders that share a hidden layer: what one bidder shows helps with others."""

from boca.surrogates.joint.params import JointParams

__all__ = ["JointParams"]
