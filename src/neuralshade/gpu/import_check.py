"""Import check: a user's module may import files of its own folder only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from neuralshade.base.message_text import LONGEST
from neuralshade.errors import ConfigError
from neuralshade.gpu.device import SOURCE_FOLDER
from neuralshade.gpu.module_files import PACKAGE
from neuralshade.gpu.slang_text import UNCLEAR, macros_of, named_path, possible_imports, spellings


def check_imports(text: str, place: str) -> dict[Path, str]:
    """Refuse a module that imports a file outside of its folder, before anything is compiled.

    Returns its text and that of each of the user's files that it imports, by path.

    A compiler message quotes lines that it cannot parse: of any file that it may read.

    Raises: ConfigError.
    """
    own = Path(place).resolve()
    texts, waiting = {own: text}, [own]
    taken: dict[Path, list[tuple[int, str]]] = {}
    while waiting:
        file = waiting.pop()
        taken[file] = list(possible_imports(texts[file]))
        for _, reference in taken[file]:
            for path in _files_of(named_path(reference), file, own.parent, place):
                if path not in texts:
                    texts[path] = path.read_text("utf-8", errors="replace")
                    waiting.append(path)
    macros = {name for content in texts.values() for name in macros_of(content)}
    for file, found in taken.items():
        for line, reference in found:
            if named_path(reference, macros) is None:
                raise ConfigError(
                    f"{place}: got {reference.lstrip(UNCLEAR)[:LONGEST]!r} taken in by line {line} "
                    f"of {file.name}, need the name of a file. Write it in quotes."
                )
    return texts


def _files_of(named: PurePosixPath | None, file: Path, folder: Path, place: str) -> Iterator[Path]:
    """Yield the user's files that an import or include may refer to."""
    if named is None:
        return
    for base in (file.parent, folder, SOURCE_FOLDER):
        for name in spellings(named):
            path = (base / name).resolve()
            if PACKAGE in path.parents or not os.path.isfile(path):
                continue
            if folder not in path.parents:
                raise ConfigError(
                    f"{place}: got {path}, which it takes in, need files in its own folder or "
                    "below, which an asset can hold. Copy it there."
                )
            yield path
