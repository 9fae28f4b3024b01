"""Standard streams that never end a fit: closed, full, or with names that cannot be encoded."""

import codecs
import io
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

from neuralshade.base.message_text import plain_lines
from neuralshade.base.terminal_lines import broken, columns_of

NAMES = "neuralshade-names"  # error handler of file names that are invalid text
OUTPUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")  # names of standard output
BACKSLASHED = codecs.lookup_error("backslashreplace")


class _Lossy(io.FileIO):
    """A stream that ignores write errors."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return memoryview(data).nbytes


def prepare() -> None:
    """Make the standard streams of this process safe to print to.

    Closed ones are replaced: otherwise the next opened file would become standard error, and
    libraries would print into it. Standard output stays None where it was closed. What libraries
    in C print to it goes to standard error: SlangPy prints the compiler's warnings, which are
    none of a command's results.
    """
    for descriptor in range(3):
        _occupy(descriptor)
    codecs.register_error(NAMES, _name_bytes)
    sys.stderr = _messages()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=_encoding(sys.stdout), errors=NAMES)
        if _descriptor(sys.stdout) == 1:
            sys.stdout = _results(sys.stdout)


def with_own_output(words: Sequence[str]) -> list[str]:
    """Return a command line in which a file that is standard output is where results now go."""
    descriptor = _descriptor(sys.stdout)
    if descriptor in (None, 1):
        return list(words)
    own = f"/dev/fd/{descriptor}"
    parts = [word.rpartition("=") for word in words]  # of --flag=FILE, too
    return [f"{flag}{equals}{own}" if value in OUTPUT else word
            for word, (flag, equals, value) in zip(words, parts, strict=True)]  # fmt: skip


def say(message: str) -> None:
    """Print a message to standard error; on a terminal its lines break at spaces."""
    text = broken(plain_lines(message), columns_of(sys.stderr))
    print(text, file=sys.stderr, flush=True)


def _occupy(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:  # closed, and the lower ones are not: it is the next one
        os.open(os.devnull, os.O_RDWR)
        os.set_inheritable(descriptor, True)


def _messages() -> TextIO:
    """Return a standard error that accepts any text and never fails."""
    raw = _Lossy(2, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), _encoding(sys.stderr), NAMES,
                            line_buffering=True)  # fmt: skip


def _descriptor(stream: TextIO | None) -> int | None:
    """Return the number of the file that a stream prints to; None of one in memory or elsewhere."""
    binary: Any = getattr(stream, "buffer", None)
    raw = getattr(binary, "raw", binary)  # python -u has no buffer between
    return raw.fileno() if isinstance(raw, io.FileIO) else None


def _results(stream: io.TextIOWrapper) -> TextIO:
    """Return a stream of its own to where standard output goes, which then is standard error."""
    stream.flush()
    raw = io.FileIO(os.dup(1), "w")  # no child inherits it
    os.dup2(2, 1)
    binary: Any = raw if isinstance(stream.buffer, io.FileIO) else io.BufferedWriter(raw)
    return io.TextIOWrapper(binary, stream.encoding, NAMES, line_buffering=stream.line_buffering,
                            write_through=stream.write_through)  # fmt: skip


def _encoding(stream: TextIO | None) -> str:
    """Return the stream's encoding, but UTF-8 for ASCII, the default without a locale."""
    encoding = "ascii" if stream is None else stream.encoding
    return "utf-8" if codecs.lookup(encoding).name == "ascii" else encoding


def _name_bytes(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return the bytes of a file name that Python could not decode; otherwise backslash escapes."""
    assert isinstance(error, UnicodeEncodeError)
    refused = error.object[error.start]
    if "\udc80" <= refused <= "\udcff":
        return bytes([ord(refused) - 0xDC00]), error.start + 1
    error.end = error.start + 1
    return BACKSLASHED(error)
