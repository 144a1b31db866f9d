"""Setting up an auction by a form: its steps, its mistakes, and the market file it stands for."""

from boca.live.web.setting_up.form import STEPS, SetupForm
from boca.live.web.setting_up.market_text import market_text
from boca.live.web.setting_up.mistakes import SetupMistake, mistakes_of

__all__ = ["STEPS", "SetupForm", "SetupMistake", "market_text", "mistakes_of"]
