"""What a bidder sends, checked against the rules before anything is taken."""

from boca.live.auction.submission.check import Checked, check
from boca.live.auction.submission.content import Answer, BundleValue, Submission, WishedBundle

__all__ = ["Answer", "BundleValue", "Checked", "Submission", "WishedBundle", "check"]
