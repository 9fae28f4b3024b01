"""Screening of untrusted Slang text: suspicious words, imports and addresses.

Such code needs arithmetic and the functions of this package. Slang can do more: access any address,
pass text to the next compiler, import any file. The text is searched for words and file names
before it is compiled, and the compiled instructions are searched for addresses.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from neuralshade.gpu.slang_export import export_bytes
from neuralshade.gpu.slang_text import (
    CONTROL,
    ODD,
    OWN,
    TOKEN,
    UNCLEAR,
    imports_of,
    named_path,
    readings,
    spellings,
)

WORD_INSIDE = re.compile(r"[^\W\d]\w*")
# Words that begin with two underscores are the compiler's own; tasks need some of them.
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
LONGEST = 80  # characters of a name in a message

# SPIR-V 1.6: an instruction begins with a word of its length and opcode.
WORD_BYTES, MAGIC, HEADER_WORDS = 4, 0x07230203, 5
CAPABILITY = 17  # OpCapability
ADDRESSES = {4: "Addresses", 5347: "PhysicalStorageBufferAddresses"}  # among capabilities
CONVERSIONS = {117: "OpConvertPtrToU", 120: "OpConvertUToPtr"}  # among instructions


def suspicious_words(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and word of everything beyond arithmetic in a text, in both of its readings."""
    for reading in readings(text):
        for found in TOKEN.finditer(reading):
            odd = _odd(found)
            if odd is not None:
                yield reading.count("\n", 0, found.start()) + 1, odd


def suspicious_files(
    text: str, name: str, files: Collection[str], macros: Collection[str]
) -> Iterator[tuple[int, str]]:
    """Yield line and name of imports other than ``files`` and this package's.

    Args:
        name: of the text's own file, whose folder is searched for others.
        files: names of allowed imports.
        macros: names that are macros in any of them.
    """
    for reading in readings(text):
        for line, reference in imports_of(reading):
            if not _is_there(named_path(reference, macros), name, files):
                yield line, reference.lstrip(UNCLEAR)[:LONGEST]


def is_within(path: PurePosixPath) -> bool:
    """Return whether a path stays within its folder, by its name alone."""
    return not (path.is_absolute() or ".." in path.parts or ODD_PATH.search(str(path)))


def address_words(text: str, entry: str, folder: Path | None) -> Iterator[str]:
    """Yield the address operations of a kernel, by their SPIR-V names.

    Raises: KernelError with the compiler's whole log.
    """
    code = export_bytes(text, entry, "spirv", folder=folder)
    yield from _addresses(struct.unpack(f"<{len(code) // WORD_BYTES}I", code))


def _odd(token: re.Match[str]) -> str | None:
    """Return the suspicious part of a token."""
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


def _is_there(path: PurePosixPath | None, name: str, files: Collection[str]) -> bool:
    if path is None or not is_within(path):
        return False
    if path.parts[:1] == (OWN,):
        return True
    beside = PurePosixPath(name).parent
    return any(
        place in files for base in (beside, PurePosixPath()) for place in spellings(base / path)
    )


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
