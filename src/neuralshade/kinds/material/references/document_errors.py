"""One-line ConfigErrors for foreign errors of reading a material."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, NeuralShadeError

# Exceptions that pybind11 makes of C++'s own; MaterialX's are in its module.
PLAIN = (LookupError, RuntimeError, ValueError)
PACKAGE = "MaterialX"


@contextmanager
def as_config_error(place: str | os.PathLike[str]) -> Iterator[None]:
    """Raise ConfigError in place of an error of the file system or of MaterialX.

    ``place``: path of the material, at the start of the message.
    """
    try:
        yield
    except NeuralShadeError:
        raise
    except OSError as error:
        what = "a name that is too long" if error.errno == errno.ENAMETOOLONG else error.strerror
        name = shown(os.fspath(error.filename)) if error.filename is not None else "it"
        raise ConfigError(f"{place}: got {what} at {name}, need files that can be read. Change the "
                          "name.") from error  # fmt: skip
    except Exception as error:
        if type(error) not in PLAIN and not type(error).__module__.startswith(PACKAGE):
            raise
        raise ConfigError(f"{place}: got {shown(str(error))}, need a document that MaterialX can "
                          "read and write. Check it with mxvalidate.py.") from error  # fmt: skip
