"""Several bots of one auction, until it ends."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from boca.live.bots.bot import Bot
from boca.live.bots.clerk import Clerk
from boca.live.bots.client import Client, Refused

ENDED = ("published", "cancelled")
LOOK_SECONDS = 1.0
# A round that just ended, was paused or was answered by somebody else: look again later.
NOT_NOW = 409


@dataclass(frozen=True)
class Team:
    """
    Everybody in an auction who is a program.

    Parameters
    ----------
    auction
        Where they take part.
    bots
        The bidders.
    clerk
        Who closes and publishes; None where a person does it.
    """

    auction: str
    bots: Sequence[Bot]
    clerk: Clerk | None = None

    def run(
        self,
        rest: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> str:
        """Takes part until the auction has ended; its last phase."""
        while True:
            phase = self.look(clock())
            if self.clerk is not None:
                phase = self.clerk.look(self.auction)
            if phase in ENDED:
                return phase
            rest(LOOK_SECONDS)

    def look(self, now: float) -> str:
        """Looks once, lets every bot answer that is ready, and says the auction's phase."""
        client: Client = self.bots[0].client
        heading = client.get(f"/auctions/{self.auction}")
        phase: str = heading["phase"]
        if phase == "open":
            for bot in self.bots:
                self._let_answer(bot, heading["round"], now)
        return phase

    @staticmethod
    def _let_answer(bot: Bot, round_: int, now: float) -> None:
        try:
            bot.look(round_, now)
        except Refused as refusal:
            if refusal.status != NOT_NOW:
                raise
