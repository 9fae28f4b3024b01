"""Unused pictures: those that a task's render cannot reach, found by a scan of its text.

A name that occurs nowhere in code that render may reach is unused. Where the text is unusual, or
the name is ambiguous, the picture counts as used: at worst that refuses an asset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from neuralshade.gpu.slang_text import ODD, TOKEN, readings
from neuralshade.kinds.shader.source import ShaderSource

TASK = re.compile(r"\bstruct\s+Task\b[^{;]*\{")
DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
WORD = re.compile(r"[^\W\d]\w*")
ATTRIBUTE = re.compile(r"\[[^\[\]]*\]")
GENERIC = re.compile(r"<[^<>]*>")
PICTURE = re.compile(r"^Picture\s*<\s*float([234]?)\s*>\s*(\w+)\s*$")
DRAWS = "render"
ALWAYS = ""  # the key of words outside of methods, which anything may reach


@dataclass
class _Words:
    """The words of each method of a task, and its members."""

    of: dict[str, set[str]] = field(default_factory=lambda: {ALWAYS: set()})
    pictures: dict[str, int] = field(default_factory=dict)  # members: channels by name

    def add(self, method: str, text: str) -> None:
        self.of.setdefault(method, set()).update(WORD.findall(text))

    def reached(self, begin: str) -> set[str]:
        """Return all words of a method and of the methods that it may call."""
        words, waiting, seen = set[str](), [begin, ALWAYS], set[str]()
        while waiting:
            method = waiting.pop()
            if method not in seen:
                seen.add(method)
                words |= self.of[method]
                waiting += [name for name in self.of[method] if name in self.of]
        return words


def unused_pictures(source: ShaderSource) -> dict[str, int]:
    """Return the unused pictures of a task: channels by name."""
    texts = [readings(text)[1] for text in (source.text, *source.files.values())]
    if any(_is_odd(text) for text in texts):
        return {}
    first, *others = (_plain(text) for text in texts)
    found = _words_of(first)
    if found is None or DRAWS not in found.of:
        return {}
    for text in others:
        found.add(ALWAYS, text)
    reached = found.reached(DRAWS)
    return {name: count for name, count in found.pictures.items() if name not in reached}


def _is_odd(text: str) -> bool:
    """Return whether a text may hide words from the scan: unusual text, or token pasting."""
    return any(token.lastgroup in ODD or token[0] == "##" for token in TOKEN.finditer(text))


def _plain(text: str) -> str:
    """Return a text without comments and string literals."""
    return TOKEN.sub(lambda t: " " if t.lastgroup in ("comment", "text") else t[0], text)


def _words_of(text: str) -> _Words | None:
    """Return the words of a module with exactly one struct Task, None for any other."""
    found = _Words()
    for line in DIRECTIVE.findall(text):
        found.add(ALWAYS, line)
    text = DIRECTIVE.sub("", text)
    heads = list(TASK.finditer(text))
    end = _closing(text, heads[0].end()) if len(heads) == 1 else None
    if end is None:
        return None
    found.add(ALWAYS, text[: heads[0].start()] + heads[0][0] + text[end:])
    return found if _read_members(text[heads[0].end() : end - 1], found) else None


def _read_members(body: str, found: _Words) -> bool:
    """Add the body of the task; return whether its braces are balanced."""
    at = 0
    for stop in re.finditer(r"[;{]", body):
        if stop.start() < at:
            continue  # inside a method's body
        head = body[at : stop.start()]
        if stop[0] == ";":
            _read_statement(head, found)
            at = stop.end()
            continue
        end = _closing(body, stop.end())
        if end is None:
            return False
        found.add(_called(head), body[at:end])
        at = end
    found.add(ALWAYS, body[at:])
    return True


def _read_statement(text: str, found: _Words) -> None:
    """Add a member, or another statement."""
    picture = PICTURE.match(text.strip())
    if picture is None:
        found.add(ALWAYS, text)
    else:
        found.pictures[picture[2]] = int(picture[1] or 1)


def _called(head: str) -> str:
    """Return the name of the method before a brace; ALWAYS where there is none."""
    plain, before = ATTRIBUTE.sub(" ", head), ""
    while plain != before:
        before, plain = plain, GENERIC.sub(" ", plain)
    words = WORD.findall(plain.partition("(")[0]) if "(" in plain else []
    special = not words or words[-1].startswith("__") or "operator" in words
    return ALWAYS if special else str(words[-1])


def _closing(text: str, begin: int) -> int | None:
    """Return the place after the brace that closes the one before ``begin``."""
    depth = 1
    for brace in re.finditer(r"[{}]", text[begin:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return begin + brace.end()
    return None
