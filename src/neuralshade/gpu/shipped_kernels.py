"""Machine code that comes with a built package, for the presets: what a first fit would compile.

`make kernels` writes an archive for each GPU architecture, see scripts/make_kernels.py. Names in it
are digests of all that the code depends on, so that an archive of other sources is of no effect.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pathlib
import zipfile
import zlib
from collections.abc import Iterable

FOLDER = pathlib.Path(__file__).parent / "shipped"

log = logging.getLogger("neuralshade")


def shipped_name(parts: Iterable[str]) -> str:
    """Return the name of a kernel from all that its machine code depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def shipped_kernel(architecture: str, parts: Iterable[str]) -> bytes | None:
    """Return the kernel of ``parts`` as ``write_archive`` got it; None where none was shipped."""
    path = FOLDER / f"{architecture}.zip"
    if not os.path.isfile(path):
        return None
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(shipped_name(parts))
    except KeyError:
        return None
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        log.warning("kernels: they are compiled anew, since %s cannot be read (%s). Install the "
                    "package again.", path, error)  # fmt: skip
        return None


def write_archive(path: pathlib.Path, kernels: Iterable[tuple[str, bytes]]) -> None:
    """Write kernels, each a ``shipped_name`` and its content, as an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(kernels):
            # a fixed time: equal kernels make equal archives
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
