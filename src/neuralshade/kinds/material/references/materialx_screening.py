"""Screening of trusted code of a MaterialX document or a scene.

Only arithmetic is allowed, from files in the document's folder or of MaterialX's own library.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from neuralshade.base.message_text import shown
from neuralshade.base.text_file import read_text
from neuralshade.errors import ConfigError
from neuralshade.gpu.import_check import check_imports
from neuralshade.gpu.screening import address_words, is_within, suspicious_files, suspicious_words
from neuralshade.kinds.material.references.materialx_code import DISTRUST
from neuralshade.kinds.material.references.reference_bsdf import (
    FIT_KERNELS,
    ReferenceBsdf,
    reference_kernel,
    reference_text,
)

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
INCLUDES = "#include"  # MaterialX inserts a file for each line with it, even in comments
INCLUDE = re.compile(r'\s*#include\s+"([^"$]+)"\s*')
MOST_FILES = 64  # of a document's own


def check_code(found: Iterable[Any], place: Path, library: Sequence[Path]) -> None:
    """Refuse implementations with a word or a file that arithmetic does not need.

    Args:
        found: implementations with code, of the document or its includes.
        place: the document.
        library: folders that contain MaterialX's own code.

    Raises: ConfigError by the implementation, or the file and its line.
    """
    for one in found:
        name = f"implementation {one.getName()}"
        function = one.getAttribute("function")
        if function and not NAME.fullmatch(function):
            raise _refused(place, f"function {shown(function)} of {name}", "a name")
        source = one.getActiveSourceUri()
        beside = (Path(source) if source else place).resolve().parent
        own = _Includes(place, library)
        text, file = one.getAttribute("sourcecode"), one.getAttribute("file")
        if text:
            own.check(text, name, beside)
        if file:
            own.take(file, name, beside)


class _Includes:
    """The files that one implementation includes; each is screened once."""

    def __init__(self, place: Path, library: Sequence[Path]):
        self._place, self._folder = place, place.resolve().parent
        self._library = [path.resolve() for path in library]
        self._seen: set[Path] = set()

    def check(self, text: str, name: str, beside: Path) -> None:
        """Refuse unexpected words of a text and of its includes."""
        for line, word in suspicious_words(text):
            raise _refused(self._place, f"{word} in line {line} of {name}", "code without it: such "
                           "code can reach all memory and files")  # fmt: skip
        for number, line_text in enumerate(text.split("\n"), 1):
            if INCLUDES in line_text:
                found = INCLUDE.fullmatch(line_text)
                where = f"line {number} of {name}"
                self.take(found[1] if found else line_text.strip(), where, beside)

    def take(self, file: str, name: str, beside: Path) -> None:
        """Screen an included file; refuse one that is neither the document's nor MaterialX's."""
        path = self._found(file, name, beside)
        if path is None or path in self._seen:
            return
        self._seen.add(path)
        if len(self._seen) > MOST_FILES:
            raise _refused(self._place, f"more than {MOST_FILES} files of code", "fewer")
        self.check(read_text(path, "a file of code", "text"), path.name, path.parent)

    def _found(self, file: str, name: str, beside: Path) -> Path | None:
        """Return the path of a document's own file; None for MaterialX's."""
        if is_within(PurePosixPath(file)):
            for folder in (beside, *self._library):
                path = (folder / file).resolve()
                if not os.path.isfile(path):
                    continue
                if self._folder in path.parents:
                    return path
                if any(known in path.parents for known in self._library):
                    return None
                break
        raise _refused(self._place, f"{shown(file)} taken in by {name}", "files in the document's "
                       "folder or of MaterialX only")  # fmt: skip


def check_generated(text: str, place: Path) -> None:
    """Refuse generated text with code, although its parts were screened.

    Raises: ConfigError.
    """
    for line, word in suspicious_words(text):
        raise _refused(place, f"code that becomes {word} in line {line} of what MaterialX writes",
                       "code without it")  # fmt: skip
    for line, word in suspicious_files(text, "x", (), ()):
        raise _refused(place, f"{shown(word)} taken in by line {line} of what MaterialX writes",
                       "files in the document's folder or of MaterialX only")  # fmt: skip


def check_module(path: str | os.PathLike[str]) -> None:
    """Screen a Slang module before it is compiled: refuse words and files that arithmetic does not
    need.

    Raises: ConfigError by file and line.
    """
    place = Path(path)
    text = read_text(place, "a Slang module", "Slang text")
    for file, content in check_imports(text, str(place)).items():
        for line, word in suspicious_words(content):
            raise _refused(place, f"{word} in line {line} of {file.name}", "code without it: such "
                           "code can reach all memory and files")  # fmt: skip


def check_kernels(reference: ReferenceBsdf, place: Path) -> None:
    """Refuse a reference whose kernels compute with addresses.

    Raises: ConfigError; KernelError with the compiler's output.
    """
    for kernel in (*FIT_KERNELS, reference_kernel("reference_emit")):
        for odd in _addresses(reference, kernel.text, kernel.entry):
            raise _refused(place, f"code that computes with addresses ({odd})", "code without "
                           "pointers: such code can reach all memory")  # fmt: skip


def _addresses(reference: ReferenceBsdf, text: str, entry: str) -> Iterator[str]:
    return address_words(reference_text(reference) + text, entry, reference.folder)


def _refused(place: Path, got: str, need: str) -> ConfigError:
    return ConfigError(f"{place}: got {got}, need {need}. {DISTRUST}")
