"""Whatever a server says on standard error is a line of JSON, complaints of its parts too."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from boca.live.clock import to_text

# Libraries that log by themselves; everything goes through the one handler below.
LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.asgi")


class JsonLine(logging.Formatter):
    """One line per message; a traceback is a member of it."""

    def format(self, record: logging.LogRecord) -> str:
        level = "error" if record.levelno >= logging.ERROR else record.levelname.lower()
        content = {
            "time": to_text(datetime.fromtimestamp(record.created, UTC)),
            "level": level,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            content["traceback"] = self.formatException(record.exc_info)
        return json.dumps(content)


class WritingHandler(logging.Handler):
    """
    Passes lines on.

    Parameters
    ----------
    write
        Takes one line with its end.
    """

    def __init__(self, write: Callable[[str], object]):
        super().__init__(logging.WARNING)
        self.write = write
        self.setFormatter(JsonLine())

    def emit(self, record: logging.LogRecord) -> None:
        self.write(self.format(record) + "\n")


def log_as_json(write: Callable[[str], object]) -> None:
    """Sends all messages of this process, and warnings to ``write``."""
    root = logging.getLogger()
    root.handlers = [WritingHandler(write)]
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    logging.captureWarnings(True)
