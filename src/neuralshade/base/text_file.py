"""Reader of whole text files."""

import os
from pathlib import Path

from neuralshade.base.message_text import read_failure
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError


def read_text(path: str | os.PathLike[str], file: str, text: str) -> str:
    """Return the text of a file, without a byte order mark.

    ``file`` and ``text``: what is needed, for the message: "a .slang file", "Slang text".
    Raises: ConfigError where it cannot be read, is a pipe or a device, or is no UTF-8.
    """
    try:
        check_regular(path)
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: got {read_failure(error)}, need {file}. Check the "
                          "path.") from error  # fmt: skip
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: got bytes that are not UTF-8, need {text}. Check the "
                          "path.") from error  # fmt: skip
