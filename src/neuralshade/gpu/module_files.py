"""Slang files of a user's module: the files it imports, and a folder for compilers."""

from __future__ import annotations

import functools
import os
import pathlib
import re
from collections.abc import Mapping
from ctypes import c_char_p, c_int

from neuralshade.base.temp_files import TempFolder
from neuralshade.errors import ConfigError, OutputError
from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.gpu.slang_com import DEPENDENCY_COUNT, DEPENDENCY_PATH, in_compiler_thread
from neuralshade.gpu.slang_export import load_text, text_session

PACKAGE = SOURCE_FOLDER / "neuralshade"
# Text without a match imports nothing but this package: no compiler is needed.
OTHERS = re.compile(r"\bimport\b(?!\s+neuralshade\.)|__include\b|#\s*include\b")


def module_files(text: str, place: str) -> dict[str, str]:
    """Return the files that a module imports, without this package's: text by name.

    A name is the path from the module's folder, with slashes.

    Args:
        place: the module's file, whose folder is searched for files.

    Raises: KernelError with the compiler's whole log; ConfigError for a file that is neither in
        the module's folder nor below it, or is not UTF-8; DeviceError where slangpy is missing.
    """
    return _files(text, place) if OTHERS.search(text) else {}


@in_compiler_thread
def _files(text: str, place: str) -> dict[str, str]:
    session = text_session("cuda")  # kept: the session owns the module
    module = load_text(session, text, place)
    own, package = pathlib.Path(place).resolve(), PACKAGE.resolve()
    found = {}
    for index in range(module.call(DEPENDENCY_COUNT)):
        raw = module.call(DEPENDENCY_PATH, index, types=(c_int,), result=c_char_p)
        path = pathlib.Path(os.fsdecode(raw)).resolve()
        if path != own and package not in path.parents:
            found[_name(path, own, place)] = _text(path, place)
    return found


def _name(path: pathlib.Path, own: pathlib.Path, place: str) -> str:
    if own.parent not in path.parents:
        raise ConfigError(f"{place}: got {path}, which it takes in, need files in its own folder "
                          "or below, which an asset can hold. Copy it there.")  # fmt: skip
    return path.relative_to(own.parent).as_posix()


def _text(path: pathlib.Path, place: str) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{place}: got {path}, which it takes in and which cannot be read as "
                          "UTF-8, need Slang text. Check it.") from error  # fmt: skip


def files_folder(files: Mapping[str, str]) -> pathlib.Path:
    """Return a folder with these files, for compilers, until this process ends.

    Raises: ConfigError for a name that leads out of the folder.
    """
    for name in files:
        parts = pathlib.PurePosixPath(name)
        if parts.is_absolute() or ".." in parts.parts or re.search(r"[\\:]", name):
            raise ConfigError(f"module: got a file named {name!r}, need one within its folder. "
                              "Do not trust where it comes from.")  # fmt: skip
    return _scratch(tuple(sorted(files.items()))).path


@functools.cache
def _scratch(files: tuple[tuple[str, str], ...]) -> TempFolder:
    """Return a folder with the files, kept until the process ends."""
    folder = TempFolder()
    try:
        for name, text in files:
            path = folder.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    except OSError as error:
        folder.close()
        raise OutputError(f"{folder.path}: got '{error.strerror}', need room for a module's "
                          "files. Set TMPDIR to another folder.") from error  # fmt: skip
    return folder
