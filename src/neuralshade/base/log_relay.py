"""Handlers that relay the log ``neuralshade`` line by line."""

import logging
from collections.abc import Callable


class LogRelay(logging.Handler):
    """Hands every line of a log on to ``tell``, from whatever thread says it."""

    def __init__(self, tell: Callable[[str], None]):
        super().__init__()
        self.tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())


class LogTap(LogRelay):
    """Hears a log beside what shows it to people.

    Where nothing does, Python prints warnings to standard error, but only of a log that nobody
    hears: here they are printed all the same.
    """

    def emit(self, record: logging.LogRecord) -> None:
        usual = logging.lastResort
        if usual is not None and record.levelno >= usual.level and self._is_alone(record.name):
            usual.handle(record)
        super().emit(record)

    def _is_alone(self, name: str) -> bool:
        """Return whether nothing shows the log, and no other one that hears it comes first."""
        found: list[logging.Handler] = []
        log: logging.Logger | None = logging.getLogger(name)
        while log is not None:
            found += log.handlers
            log = log.parent if log.propagate else None
        return found[:1] == [self] and all(isinstance(each, LogTap) for each in found)
