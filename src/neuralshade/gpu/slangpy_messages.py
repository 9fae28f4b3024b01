"""SlangPy's messages in Python's logging: its own console prints them among a command's results."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

log = logging.getLogger("neuralshade")
CLOSING_LINE = re.compile(r"\n-+'$")  # of a list of warnings


def relay_messages(spy: Any) -> None:
    """Pass warnings and errors of SlangPy on to the package's log, all else to standard error.

    For who has just loaded it: a program that loaded SlangPy before has its messages as it chose.
    """

    class Relay(spy.LoggerOutput):  # type: ignore[misc]
        def write(self, level: Any, name: str, message: str) -> None:
            if level.value >= spy.LogLevel.warn.value:
                rank = logging.WARNING if level == spy.LogLevel.warn else logging.ERROR
                log.log(rank, "%s", CLOSING_LINE.sub("", message.strip()))
            else:
                print(message, file=sys.stderr)

    logger = spy.Logger.get()
    logger.remove_all_outputs()
    logger.add_output(Relay())
