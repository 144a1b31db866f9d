"""``boca run``: its options, what it does, and how a run goes on."""

from boca.cli.run.command import register

__all__ = ["register"]
