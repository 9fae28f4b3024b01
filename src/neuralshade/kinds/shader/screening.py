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
from neuralshade.kinds.shader.source import ShaderSource

LINE_END = re.compile(r"\r\n?")
SPLICED = re.compile(r"\\\n")  # lines that go on: a word may be cut there
# Comments are looked over, so nothing may be taken for one that is none: what begins like text and
# does not end on its line, raw text (R"...), which may hold quotes, and characters that may or may
# not end a line are odd.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<raw>\bR")"""
    r"""|(?P<text>"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*')|(?P<open>["'])"""
    r"""|(?P<control>[\x00-\x08\x0b-\x1f\x7f]|\\(?!\n))"""
    r"""|(?P<directive>^[ \t]*\#[ \t]*\w*|\#\#)|(?P<word>[^\W\d]\w*)""",
    re.DOTALL | re.MULTILINE,
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
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
TAKES_IN = re.compile(
    r"(?:^[ \t]*#[ \t]*include|\b(?:import|__include|implementing))\b[ \t]*([^\n;]*)", re.MULTILINE
)
QUOTED = re.compile(r'"([^"\n]*)"\s*')
DOTTED = re.compile(r"\w+(?:\s*\.\s*\w+)*\s*")
OWN = "neuralshade"

# SPIR-V, version 1.6: instructions begin with a word of their length and their number.
WORD_BYTES, MAGIC, HEADER_WORDS = 4, 0x07230203, 5
CAPABILITY = 17  # OpCapability
ADDRESSES = {4: "Addresses", 5347: "PhysicalStorageBufferAddresses"}  # among capabilities
CONVERSIONS = {117: "OpConvertPtrToU", 120: "OpConvertUToPtr"}  # among instructions


def check_source(source: ShaderSource) -> None:
    """Refuse a module of which a word, or a file that it takes in, is none a task needs.

    Raises: AssetError naming file, line and word.
    """
    for name, text in {source.name: source.text, **source.files}.items():
        lines = LINE_END.sub("\n", text)
        whole = SPLICED.sub("", lines)
        for line, word in (*_odd_words(lines), *_odd_words(whole)):
            raise AssetError(f"{source.place}: got {word} in line {line} of {name}, need a task "
                             "without it: such code can reach all memory and files. "
                             "Do not trust where it comes from.")  # fmt: skip
        for line, wanted in (*_missing(lines, name, source.files),
                             *_missing(whole, name, source.files)):  # fmt: skip
            raise AssetError(f"{source.place}: got {wanted[:80]!r} taken in by line {line} of "
                             f"{name}, need files of the asset or of {OWN} only. "
                             "Do not trust where it comes from.")  # fmt: skip


def _odd_words(text: str) -> Iterator[tuple[int, str]]:
    for found in TOKEN.finditer(text):
        odd = _odd(found)
        if odd is not None:
            yield text.count("\n", 0, found.start()) + 1, odd


def _odd(token: re.Match[str]) -> str | None:
    """Return what of a token is odd."""
    form, word = token.lastgroup, token[0].strip()
    if form in ("raw", "open", "control") or CONTROL.search(token[0]):
        return repr(token[0][:20])
    if form == "directive":
        return word if word == "##" or word.lstrip("# \t") not in DIRECTIVES else None
    if form in ("word", "text"):
        return next((w for w in WORD_INSIDE.findall(word) if _is_forbidden(w)), None)
    return None


def _is_forbidden(word: str) -> bool:
    return word in FORBIDDEN or (word.startswith("__") and word not in HARMLESS)


def _missing(text: str, name: str, files: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Yield what a file takes in that is neither among ``files`` nor the package's."""
    code = _without_comments(text)
    for found in TAKES_IN.finditer(code):
        wanted = found[1].strip()
        if not _is_there(wanted, name, files):
            yield code.count("\n", 0, found.start()) + 1, wanted


def _without_comments(text: str) -> str:
    def blank(found: re.Match[str]) -> str:
        is_comment = found.lastgroup == "comment"
        return "\n" * found[0].count("\n") if is_comment else found[0]

    return TOKEN.sub(blank, text)


def _is_there(wanted: str, name: str, files: Mapping[str, str]) -> bool:
    quoted, dotted = QUOTED.fullmatch(wanted), DOTTED.fullmatch(wanted)
    if quoted is None and dotted is None:
        return False
    path = quoted[1] if quoted else re.sub(r"\s", "", wanted).replace(".", "/")
    parts = PurePosixPath(path)
    if parts.is_absolute() or ".." in parts.parts or re.search(r"[\\:\0]", path):
        return False
    if parts.parts[:1] == (OWN,):
        return True
    beside = PurePosixPath(name).parent
    places = {str(base / parts) for base in (beside, PurePosixPath())}
    places |= {f"{place}.slang" for place in places}
    places |= {place.replace("_", "-") for place in places}  # import a_b finds a-b.slang
    return not places.isdisjoint(files)


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
