"""Reader of whole text files."""

import os
from pathlib import Path

from neuralshade.base.message_text import read_failure
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError


def read_text(path: str | os.PathLike[str], file: str, text: str) -> str:
    """Return the text of a file, without the mark that some editors put first.

    ``file`` and ``text``: what is needed, as a message names it: "a .slang file", "Slang text".
    Raises: ConfigError for what cannot be read, a pipe or a device, and for no UTF-8.
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
