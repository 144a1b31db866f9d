"""``boca tune``: its options, what it does, how it looks."""

from boca.cli.tune.command import register

__all__ = ["register"]
