"""Slang text that came with an asset, looked through before anything is compiled of it.

What a task may do is arithmetic on its members and what the package offers it. Slang can do more:
read and write any address, hand text through to the next compiler, take in any file. A stranger's
module that asks for such is refused, by its words and then by the instructions that come of it.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from neuralshade.errors import AssetError
from neuralshade.gpu.slang_export import export_bytes
from neuralshade.kinds.shader.slang_text import (
    CONTROL,
    ODD,
    OWN,
    TOKEN,
    UNCLEAR,
    macros_of,
    named_path,
    readings,
    spellings,
    taken_in,
)
from neuralshade.kinds.shader.source import ShaderSource

WORD_INSIDE = re.compile(r"[^\W\d]\w*")
# Words with two underscores first are the compiler's own; of these, tasks have use for some.
HARMLESS = ("__include", "__init", "__subscript", "__extension", "__generic")
FORBIDDEN = {
    "Ptr", "ImmutablePtr", "ConstBufferPointer", "NativeRef", "NativeString", "DescriptorHandle",
    "ResourceDescriptorHeap", "SamplerDescriptorHeap", "getDescriptorFromHandle", "spirv_asm",
    "DllImport", "DllExport", "CudaKernel", "CudaHost", "CudaDeviceExport", "PyExport",
    "AutoPyBindCUDA", "TorchEntryPoint", "TorchTensor", "extern", "unsafeForceInlineEarly",
    "import_asm", "loadAligned", "storeAligned", "coherentLoad", "coherentStore",
}  # fmt: skip
DIRECTIVES = ("if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "include",
              "pragma", "error", "warning")  # fmt: skip
ODD_PATH = re.compile(r"[\\:\0]")

# SPIR-V, version 1.6: instructions begin with a word of their length and their number.
WORD_BYTES, MAGIC, HEADER_WORDS = 4, 0x07230203, 5
CAPABILITY = 17  # OpCapability
ADDRESSES = {4: "Addresses", 5347: "PhysicalStorageBufferAddresses"}  # among capabilities
CONVERSIONS = {117: "OpConvertPtrToU", 120: "OpConvertUToPtr"}  # among instructions


def check_source(source: ShaderSource) -> None:
    """Refuse a module of which a word, or a file that it takes in, is none a task needs.

    Raises: AssetError naming file, line and word.
    """
    texts = {source.name: source.text, **source.files}
    macros = {name for text in texts.values() for name in macros_of(text)}
    for name, text in texts.items():
        for reading in readings(text):
            _check_reading(reading, name, source, macros)


def _check_reading(text: str, name: str, source: ShaderSource, macros: set[str]) -> None:
    for line, word in _odd_words(text):
        raise AssetError(f"{source.place}: got {word} in line {line} of {name}, need a task "
                         "without it: such code can reach all memory and files. "
                         "Do not trust where it comes from.")  # fmt: skip
    for line, wanted in taken_in(text):
        if not _is_there(named_path(wanted, macros), name, source.files):
            told = wanted.lstrip(UNCLEAR)[:80]
            raise AssetError(f"{source.place}: got {told!r} taken in by line {line} of {name}, "
                             f"need files of the asset or of {OWN} only. "
                             "Do not trust where it comes from.")  # fmt: skip


def _odd_words(text: str) -> Iterator[tuple[int, str]]:
    for found in TOKEN.finditer(text):
        odd = _odd(found)
        if odd is not None:
            yield text.count("\n", 0, found.start()) + 1, odd


def _odd(token: re.Match[str]) -> str | None:
    """Return what of a token is odd."""
    form, word = token.lastgroup, token[0].strip()
    if form in ODD or CONTROL.search(token[0]):
        return repr(token[0][:20])
    if form == "directive":
        return word if word == "##" or word.lstrip("# \t") not in DIRECTIVES else None
    if form in ("word", "text"):
        return next((w for w in WORD_INSIDE.findall(word) if _is_forbidden(w)), None)
    return None


def _is_forbidden(word: str) -> bool:
    return word in FORBIDDEN or (word.startswith("__") and word not in HARMLESS)


def _is_there(path: PurePosixPath | None, name: str, files: Mapping[str, str]) -> bool:
    if path is None or path.is_absolute() or ".." in path.parts or ODD_PATH.search(str(path)):
        return False
    if path.parts[:1] == (OWN,):
        return True
    beside = PurePosixPath(name).parent
    return any(
        place in files for base in (beside, PurePosixPath()) for place in spellings(base / path)
    )


def check_kernel(text: str, entry: str, place: str, folder: Path | None) -> None:
    """Refuse a kernel that computes with addresses.

    Raises: AssetError; KernelError with all that the compiler said.
    """
    code = export_bytes(text, entry, "spirv", folder=folder)
    for odd in _addresses(struct.unpack(f"<{len(code) // WORD_BYTES}I", code)):
        raise AssetError(f"{place}: got code that computes with addresses ({odd}), need a task "
                         "without pointers: such code can reach all memory. "
                         "Do not trust where it comes from.")  # fmt: skip


def _addresses(words: tuple[int, ...]) -> Iterator[str]:
    assert words[0] == MAGIC, "Slang's SPIR-V is of this machine's byte order"
    at = HEADER_WORDS
    while at < len(words):
        length, number = words[at] >> 16, words[at] & 0xFFFF
        if number == CAPABILITY and words[at + 1] in ADDRESSES:
            yield ADDRESSES[words[at + 1]]
        if number in CONVERSIONS:
            yield CONVERSIONS[number]
        at += max(length, 1)
