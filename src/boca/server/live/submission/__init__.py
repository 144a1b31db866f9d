"""What a bidder sends, checked against the rules before anything is taken."""

from boca.server.live.submission.check import Checked, check
from boca.server.live.submission.content import Answer, BundleValue, Submission, WishedBundle

__all__ = ["Answer", "BundleValue", "Checked", "Submission", "WishedBundle", "check"]
