"""What anybody sees of an auction."""

from dataclasses import dataclass
from datetime import datetime

from boca.live.auction.state import LiveState
from boca.live.auction.views.heading import Heading, heading
from boca.live.auction.views.outcome import OutcomeRow, outcome_rows
from boca.live.auction.views.setup import Setup, setup


@dataclass(frozen=True)
class PublicView:
    """What anybody sees; ``outcome`` is empty unless it is published."""

    heading: Heading
    setup: Setup
    outcome: tuple[OutcomeRow, ...]
    publish: str


def public_view(state: LiveState, now: datetime) -> PublicView:
    """What anybody sees."""
    rules, _ = state.setup
    publish = rules.publish if state.phase == "published" else ""
    return PublicView(heading(state, now), setup(state), outcome_rows(state), publish)
