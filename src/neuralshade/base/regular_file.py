"""Check that an input is a regular file: reading a pipe or a device may never end."""

import errno
import os
import stat


class IrregularError(OSError):
    """A path that is no regular file; ``strerror`` says what it is."""


def check_regular(path: str | os.PathLike[str]) -> None:
    """Raise IrregularError where ``path`` is a pipe, a socket or a device, before it is opened.

    Raises: OSError where it is missing. A folder passes: opening it gives a better error.
    """
    try:
        mode = os.stat(path).st_mode
    except ValueError as error:  # a NUL, or text that cannot be encoded
        raise IrregularError(errno.EINVAL, "a name that no file has", os.fspath(path)) from error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise IrregularError(errno.EINVAL, "a device or pipe", os.fspath(path))
