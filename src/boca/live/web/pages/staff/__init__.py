"""The pages of auctioneer and auditor; the auditor's have no buttons."""

from boca.live.web.pages.staff import (
    bidder,
    bidders,
    commands,
    courses,
    creating,
    entry,
    log,
    mails,
    outcome,
    proofs,
    rehearsal,
    run,
    scenarios,
    setup,
)

# In the order in which addresses are looked up.
STAFF_PAGES = (
    courses,
    creating,
    setup,
    run,
    commands,
    bidders,
    bidder,
    entry,
    outcome,
    scenarios,
    log,
    mails,
    rehearsal,
    proofs,
)

__all__ = ["STAFF_PAGES"]
