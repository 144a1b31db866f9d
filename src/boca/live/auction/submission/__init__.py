"""What a bidder sends, checked against the rules before anything is taken."""

from boca.live.auction.submission.check import Checked, check
from boca.live.auction.submission.content import BundleValue, DemandAnswer, Submission, ValueAnswer

__all__ = ["BundleValue", "Checked", "DemandAnswer", "Submission", "ValueAnswer", "check"]
