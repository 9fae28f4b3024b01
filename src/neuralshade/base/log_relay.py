"""What the package says of its choices: the log `neuralshade`, line by line."""

import logging
from collections.abc import Callable


class LogRelay(logging.Handler):
    """Hands every line of a log on to ``tell``, from whatever thread says it."""

    def __init__(self, tell: Callable[[str], None]):
        super().__init__()
        self.tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())
