"""A user's Slang module, and the typed values of its members."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from neuralshade.base.argument_checks import check_path
from neuralshade.base.text_file import read_text
from neuralshade.errors import KernelError
from neuralshade.gpu.import_check import check_imports
from neuralshade.gpu.module_files import files_folder, module_files
from neuralshade.source.picture import Picture

SUFFIX = ".slang"
REMEDIES = (  # words of a compiler message, and the remedy
    ("member 'loss' cannot satisfy differentiable interface requirement",
     "Write [Differentiable] before loss."),
    ("undefined identifier 'ITask'", "Write import neuralshade.model.trainable; at the top."),
)  # fmt: skip


@dataclass(frozen=True)
class ShaderSource:
    """The text of a module, its file's name for errors, and the user's files that it includes.

    ``files``: text by name, as ``module_files`` returns them. ``foreign``: it came with an asset
    that somebody else made.
    """

    text: str
    place: str
    files: Mapping[str, str] = field(default_factory=dict)
    foreign: bool = False

    @property
    def name(self) -> str:
        """Return the file's name."""
        return Path(self.place).name

    @cached_property
    def digest(self) -> str:
        """SHA-256 hex of the text, and of the files that it takes in."""
        parts = [self.text, *(part for item in sorted(self.files.items()) for part in item)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def folder(self) -> Path | None:
        """Return a folder with the included files; None where there are none.

        Raises: ConfigError for one whose name leads out of the folder.
        """
        return files_folder(self.files) if self.files else None


def load_shader(path: str | os.PathLike[str]) -> ShaderSource:
    """Return the module of a file, with the user's files that it includes.

    Raises: ConfigError where one is no UTF-8 text, or lies outside of the module's folder;
        KernelError where it includes others and does not compile.
    """
    check_path("task", path)
    place = os.fspath(path)
    text = read_text(path, f"a {SUFFIX} file", "Slang text")
    check_imports(text, place)
    with remedies():
        return ShaderSource(text, place, module_files(text, place))


@contextmanager
def remedies() -> Iterator[None]:
    """Add known remedies to compiler errors raised inside the block."""
    try:
        yield
    except KernelError as error:
        known = [remedy for words, remedy in REMEDIES if words in str(error)]
        if not known:
            raise
        raise KernelError("\n".join([str(error), *known])) from error


def kept_words(
    values: Mapping[str, Any], trained: Collection[str], files: Collection[str] = ()
) -> tuple[str, ...] | None:
    """Return the flags that repeat the values in a resumed fit; None where one cannot be typed.

    Without initial values of ``trained`` members, which the checkpoint replaces. Pictures can be
    typed if their names are those of ``files``.
    """
    words: list[str] = []
    for name, value in values.items():
        if name in trained:
            continue
        if not isinstance(value, str) and name.endswith(".size"):
            value = "x".join(map(str, value))
        if isinstance(value, Picture) and value.name in files:
            value = value.name
        if not isinstance(value, (str, os.PathLike, int, float)):
            return None
        words += ["--set", f"{name}={value}"]
    return tuple(words)
