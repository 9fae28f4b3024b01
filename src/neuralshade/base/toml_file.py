"""Reader of TOML files."""

import sys
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import read_failure
from neuralshade.base.regular_file import check_regular
from neuralshade.errors import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(path: str | Path, need: str = "a TOML file of recipe settings",
              line: str = "hidden_width = 32") -> dict[str, Any]:  # fmt: skip
    """Return the contents of a TOML file; ConfigError names the file and the reason.

    ``need`` and ``line``: description of the file and an example line, for messages.
    """
    try:
        check_regular(path)
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: got {read_failure(error)}, need {need}. Check the "
                          "path.") from error  # fmt: skip
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: got bytes that are not UTF-8, need {need}. Check the "
                          "path.") from error  # fmt: skip
    return parse_toml(text, path, need, line)


def parse_toml(text: str, path: str | Path, need: str, line: str) -> dict[str, Any]:
    """Return the contents of the TOML text of a file; see ``read_toml``."""
    try:
        return tomllib.loads(text)
    # ValueError: invalid TOML, or a number of thousands of digits; nesting may be too deep
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: got {error}, need {need}. Write lines such as "
                          f"{line}.") from error  # fmt: skip
