"""Handlers that relay the log ``neuralshade`` line by line."""

import logging
from collections.abc import Callable


class LogRelay(logging.Handler):
    """Log handler that passes every line to ``tell``, in the thread that logs it."""

    def __init__(self, tell: Callable[[str], None]):
        super().__init__()
        self.tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self.tell(record.getMessage())


class LogTap(LogRelay):
    """Relay beside the handlers that show the log to people.

    Without any other handler Python prints warnings to standard error; with this one alone it
    would not, so this one prints them itself.
    """

    def emit(self, record: logging.LogRecord) -> None:
        usual = logging.lastResort
        if usual is not None and record.levelno >= usual.level and self._is_alone(record.name):
            usual.handle(record)
        super().emit(record)

    def _is_alone(self, name: str) -> bool:
        """Return whether no other handler shows the log, and this is the first relay of it."""
        found: list[logging.Handler] = []
        log: logging.Logger | None = logging.getLogger(name)
        while log is not None:
            found += log.handlers
            log = log.parent if log.propagate else None
        return found[:1] == [self] and all(isinstance(each, LogTap) for each in found)
