"""Screening of a module that came with an asset, before it is compiled."""

from __future__ import annotations

from pathlib import Path

from neuralshade.errors import AssetError
from neuralshade.gpu.screening import address_words, suspicious_files, suspicious_words
from neuralshade.gpu.slang_text import OWN, macros_of
from neuralshade.kinds.shader.source import ShaderSource


def check_source(source: ShaderSource) -> None:
    """Refuse a module with a word, or an included file, that no task needs.

    Raises: AssetError naming file, line and word.
    """
    texts = {source.name: source.text, **source.files}
    macros = {name for text in texts.values() for name in macros_of(text)}
    for name, text in texts.items():
        for line, word in suspicious_words(text):
            raise AssetError(f"{source.place}: got {word} in line {line} of {name}, need a task "
                             "without it: such code can reach all memory and files. "
                             "Do not trust where it comes from.")  # fmt: skip
        for line, included in suspicious_files(text, name, source.files, macros):
            raise AssetError(f"{source.place}: got {included!r} taken in by line {line} of {name}, "
                             f"need files of the asset or of {OWN} only. "
                             "Do not trust where it comes from.")  # fmt: skip


def check_kernel(text: str, entry: str, place: str, folder: Path | None) -> None:
    """Refuse a kernel that computes with addresses.

    Raises: AssetError; KernelError with the compiler's whole output.
    """
    for odd in address_words(text, entry, folder):
        raise AssetError(f"{place}: got code that computes with addresses ({odd}), need a task "
                         "without pointers: such code can reach all memory. "
                         "Do not trust where it comes from.")  # fmt: skip
