"""UTF-8 file names for libraries that take no others."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import OutputError


@contextmanager
def utf8_path(path: Path) -> Iterator[str]:
    """Yield a UTF-8 name for ``path`` in the block, also where its own is no UTF-8.

    That is a link in a temporary folder, with the suffix of ``path``.

    Raises: OutputError where the link cannot be created.
    """
    if _is_utf8(path):
        yield str(path)
        return
    with TempFolder() as folder:
        link = folder.path / f"link{path.suffix if path.suffix.isascii() else ''}"
        try:
            link.symlink_to(os.path.abspath(path))
        except OSError as error:
            raise OutputError(f"{path}: got '{error.strerror}' for a link to a name that is not "
                              "UTF-8, need one that is. Rename it.") from error  # fmt: skip
        yield str(link)


def file_name(path: Path) -> str:
    """Return the last part of ``path`` for messages; bytes that are no UTF-8 are replaced."""
    return path.name if _is_utf8(path) else os.fsencode(path.name).decode("utf-8", "replace")


def _is_utf8(path: Path) -> bool:
    """Return whether the name on disk is valid UTF-8."""
    try:
        return str(path).encode() == os.fsencode(path)
    except UnicodeEncodeError:
        return False
