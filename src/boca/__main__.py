"""``python -m boca`` is the ``boca`` command."""

from boca.cli.main import main

main()
