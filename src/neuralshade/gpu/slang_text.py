"""Scanner of Slang text: comments, words, and the files of imports and includes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import PurePosixPath

LINE_END = re.compile(r"\r\n?")
SPLICED = re.compile(r"\\\n")  # continued lines: a word may be split there
# Comments are skipped, so nothing else may look like one. Suspicious therefore: a string that does
# not end on its line, raw strings (R"..."), which may hold quotes, and control characters that may
# end a line.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<raw>\bR")"""
    r"""|(?P<text>"(?:\\[^\n]|[^"\\\n])*"|'(?:\\[^\n]|[^'\\\n])*')|(?P<open>["'])"""
    r"""|(?P<control>[\x00-\x08\x0b-\x1f\x7f]|\\(?!\n))"""
    r"""|(?P<directive>^[ \t]*\#[ \t]*\w*|\#\#)|(?P<word>[^\W\d]\w*)""",
    re.DOTALL | re.MULTILINE,
)
ODD = ("raw", "open", "control")  # of its groups
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
TAKES_IN = re.compile(
    r"(?P<define>^[ \t]*#[ \t]*define\b[^\n]*)?"
    r"(?:(?P<include>^[ \t]*#[ \t]*include)|\b(?:import|__include|implementing))\b"
    r"[ \t]*(?P<reference>[^\n;]*)",
    re.MULTILINE,
)
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
QUOTED = re.compile(r'"([^"\n]*)"\s*')
DOTTED = re.compile(r"\w+(?:\s*\.\s*\w+)*\s*")
OWN = "neuralshade"
UNCLEAR = "#"  # before text that a macro may change


def readings(text: str) -> tuple[str, str]:
    """Return a text with one kind of line end, and the same with continued lines joined.

    A search for words needs both: a word may be split at the end of a line.
    """
    lines = LINE_END.sub("\n", text)
    return lines, SPLICED.sub("", lines)


def imports_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of the imports and includes in one reading of a text."""
    yield from _matches(TOKEN.sub(_blank, text))


def _matches(code: str) -> Iterator[tuple[int, str]]:
    for found in TAKES_IN.finditer(code):
        reference = found["reference"].strip()
        # a macro may stand for another name, with parameters
        unclear = found["define"] or (found["include"] and not QUOTED.fullmatch(reference))
        prefix = UNCLEAR if unclear else ""
        yield code.count("\n", 0, found.start()) + 1, prefix + reference


def macros_of(text: str) -> set[str]:
    """Return the macros that a text defines."""
    return {name for reading in readings(text) for name in DEFINED.findall(reading)}


def possible_imports(text: str) -> Iterator[tuple[int, str]]:
    """Yield ``imports_of`` both readings, including doubtful comments."""
    for reading in readings(text):
        yield from imports_of(reading)
        if any(token.lastgroup in ODD for token in TOKEN.finditer(reading)):
            yield from _matches(reading)


def _blank(token: re.Match[str]) -> str:
    is_comment = token.lastgroup == "comment"
    return "\n" * token[0].count("\n") if is_comment else token[0]


def named_path(reference: str, macros: Container[str] = ()) -> PurePosixPath | None:
    """Return the path in an import or include; None where it is unclear.

    ``macros``: names of macros.
    """
    quoted, dotted = QUOTED.fullmatch(reference), DOTTED.fullmatch(reference)
    if quoted is not None:
        return PurePosixPath(quoted[1])
    parts = re.sub(r"\s", "", reference).split(".")
    return PurePosixPath(*parts) if dotted and not any(part in macros for part in parts) else None


def spellings(path: PurePosixPath) -> list[str]:
    """Return the file names that an import may refer to: import a_b finds a-b.slang."""
    both = [str(path), f"{path}.slang"]
    return both + [name.replace("_", "-") for name in both if "_" in name]
