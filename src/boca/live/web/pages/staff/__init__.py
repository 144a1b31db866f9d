"""The pages of auctioneer and auditor; the auditor's have no buttons."""

from boca.live.web.pages.staff import (
    bidder,
    bidders,
    commands,
    courses,
    creating,
    entry,
    log,
    outcome,
    proofs,
    rehearsal,
    run,
    scenarios,
)

# In the order in which addresses are looked up.
STAFF_PAGES = (
    courses,
    creating,
    run,
    commands,
    bidders,
    bidder,
    entry,
    outcome,
    scenarios,
    log,
    rehearsal,
    proofs,
)

__all__ = ["STAFF_PAGES"]
