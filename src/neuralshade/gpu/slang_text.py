"""Scanner of Slang text: comments, words, and the files of imports and includes."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from pathlib import PurePosixPath

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
ODD = ("raw", "open", "control")  # of its groups
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
TAKES_IN = re.compile(
    r"(?P<define>^[ \t]*#[ \t]*define\b[^\n]*)?"
    r"(?:(?P<include>^[ \t]*#[ \t]*include)|\b(?:import|__include|implementing))\b"
    r"[ \t]*(?P<wanted>[^\n;]*)",
    re.MULTILINE,
)
DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
QUOTED = re.compile(r'"([^"\n]*)"\s*')
DOTTED = re.compile(r"\w+(?:\s*\.\s*\w+)*\s*")
OWN = "neuralshade"
UNCLEAR = "#"  # before what a macro may change


def readings(text: str) -> tuple[str, str]:
    """Return a text with one kind of line end, and the same with lines that go on put together.

    Who looks for words has to look in both: a word may be cut at the end of a line.
    """
    lines = LINE_END.sub("\n", text)
    return lines, SPLICED.sub("", lines)


def imports_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and words of what a text, one of its readings, imports or includes."""
    yield from _matches(TOKEN.sub(_blank, text))


def _matches(code: str) -> Iterator[tuple[int, str]]:
    for found in TAKES_IN.finditer(code):
        wanted = found["wanted"].strip()
        # a macro may become another name, and its parameters may
        unclear = found["define"] or (found["include"] and not QUOTED.fullmatch(wanted))
        yield code.count("\n", 0, found.start()) + 1, f"{UNCLEAR}{wanted}" if unclear else wanted


def macros_of(text: str) -> set[str]:
    """Return the names that a text defines."""
    return {name for reading in readings(text) for name in DEFINED.findall(reading)}


def possible_imports(text: str) -> Iterator[tuple[int, str]]:
    """Yield what ``imports_of`` does of both readings, and of comments where these may be none."""
    for reading in readings(text):
        yield from imports_of(reading)
        if any(token.lastgroup in ODD for token in TOKEN.finditer(reading)):
            yield from _matches(reading)


def _blank(token: re.Match[str]) -> str:
    is_comment = token.lastgroup == "comment"
    return "\n" * token[0].count("\n") if is_comment else token[0]


def named_path(wanted: str, macros: Container[str] = ()) -> PurePosixPath | None:
    """Return the path that stands behind an import or include; None where none can be read.

    ``macros``: names that stand for something else.
    """
    quoted, dotted = QUOTED.fullmatch(wanted), DOTTED.fullmatch(wanted)
    if quoted is not None:
        return PurePosixPath(quoted[1])
    parts = re.sub(r"\s", "", wanted).split(".")
    return PurePosixPath(*parts) if dotted and not any(part in macros for part in parts) else None


def spellings(path: PurePosixPath) -> list[str]:
    """Return the names of files that a path may stand for: import a_b finds a-b.slang."""
    both = [str(path), f"{path}.slang"]
    return both + [name.replace("_", "-") for name in both if "_" in name]
