"""``python -m boca_verify LOG``."""

import sys

from boca_verify.command import main

if __name__ == "__main__":
    sys.exit(main())
