"""Removal of what a kernel does not use from the prelude of Slang's CUDA text.

Slang begins each CUDA text with the same 300 KB of declarations, of which a kernel uses few. NVRTC
reads them anew for each kernel, and for one kernel at a time in all threads of a process, which
takes 0.13 s: more than the rest of most kernels.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

GUARD = "#ifndef SLANG_CUDA_PRELUDE_H"  # the prelude's first line; the matching #endif is its last
OPERAND, MATRIX_OF = "+", "Matrix<"  # marks of words: vectors and matrices that operators take
BUILT_IN = ("uint3", OPERAND + "uint3")  # type of threadIdx and its like, often not named
CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|endif)", re.MULTILINE)
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)
MARK = re.compile(r"""^[ \t]*\#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{}();]""", re.MULTILINE)
MORE = re.compile(r"\s*;")  # after a brace that does not end its declaration
WORD = re.compile(r"[A-Za-z_]\w*")
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)(?:\(([^)]*)\))?(.*)")
UNDEFINE = re.compile(r"\s*#\s*undef\s+(\w+)\s*")
CALL = re.compile(r"((?:\s*\w+\s)*?)\s*(\w+)\s*\((.*)\)", re.DOTALL)
ARGUMENT = re.compile(r"(?:[^(),]|\([^()]*\))+")
STRING_OF = re.compile(r"(?<!#)#\s*(\w+)")
PASTED = re.compile(r"\s*##\s*")
HEAD = r"(?:template\s*<(?:[^<>]|<[^<>]*>)*>\s*)*"
TYPE = re.compile(HEAD + r"(?:struct|union|enum|class|namespace)\s+"
                         r"(?:__align__\s*\(\d+\)\s*)?(\w+)")  # fmt: skip
NAMED = re.compile(HEAD + r"(?:typedef\b[^;]*?(\w+)\s*;|using\s+(\w+)\s*="
                          r"|static const\w* [\w\s]*?(\w+)\s*=)")  # fmt: skip
FUNCTION = re.compile(HEAD + r"[\w\s:<>,*&]*?\b(operator\W+?|\w+)\s*(?:<[^()]*>\s*)?"
                             r"\(((?:[^(){}]|\([^(){}]*\))*)\)[^(){};=]*[{;]")  # fmt: skip
VECTOR = re.compile(r"(?:bool|u?(?:char|short|int|longlong)|float|double|__half)[1-4]$|__half$")
MATRIX = re.compile(r"[mM]atrix\s*<\s*(\w+)")  # of which numbers

Macros = dict[str, tuple[list[str], str]]  # parameters and body of each


@dataclass(frozen=True)
class Item:
    """A directive or a declaration at the prelude's top level."""

    text: str
    needs: frozenset[str]  # a text that has all of these words may use it
    words: frozenset[str]  # which then are in that text, too


def trimmed(code: str) -> str:
    """Return CUDA text of Slang's without what it does not use of the prelude.

    The machine code is the same but for unused variables. Text of others is returned as it is.
    """
    parts = _parts(code)
    if parts is None:
        return code
    before, prelude, after = parts
    with _indexing:
        items, needing = _indexed(prelude)
    kept = _used(items, needing, {*BUILT_IN, *_words(before + after)})
    chosen = (item.text for item, keep in zip(items, kept, strict=True) if keep)
    return before + "\n".join(chosen) + after


def own_text(code: str) -> str:
    """Return CUDA text of Slang's without the prelude."""
    parts = _parts(code)
    return code if parts is None else parts[0] + parts[2]


def _parts(code: str) -> tuple[str, str, str] | None:
    """Return what stands before the prelude, the prelude, and what stands after it."""
    first, depth = code.find(GUARD), 0
    if first < 0:
        return None
    for found in CONDITION.finditer(code, first):
        depth += 1 if found[1] == "if" else -1
        if depth == 0:
            end = code.find("\n", found.end())
            return code[:first], code[first:end], code[end:]
    return None


def _used(items: list[Item], needing: Mapping[str, list[int]], words: Set[str]) -> list[bool]:
    """Return for each item whether a text with these words uses it."""
    missing = [len(item.needs) for item in items]
    fresh = [*words, *(word for item in items if not item.needs for word in item.words)]
    seen: set[str] = set()
    while fresh:
        word = fresh.pop()
        if word in seen:
            continue
        seen.add(word)
        for index in needing.get(word, ()):
            missing[index] -= 1
            if missing[index] == 0:
                fresh.extend(items[index].words - seen)
    return [count == 0 for count in missing]


_indexing = threading.Lock()  # builds run side by side: without turns each would make its own


@functools.lru_cache(1)  # a process sees one Slang's
def _indexed(prelude: str) -> tuple[list[Item], dict[str, list[int]]]:
    """Return a prelude's items, and for each word those that need it."""
    plain = COMMENT.sub(lambda found: found[1] or " ", prelude.replace("\\\n", " "))
    pieces = list(_pieces(plain, {}))
    types = {found[1] for piece in pieces if (found := TYPE.match(piece))}
    items = [_item(piece, types) for piece in pieces]
    needing: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        for word in item.needs:
            needing.setdefault(word, []).append(index)
    return items, needing


def _item(piece: str, types: Set[str]) -> Item:
    """Return a piece with what it needs: its name, of a function also the types that it takes.

    A name alone is not enough: some have an overload for each of forty types. What this does not
    understand is of use to every text.
    """
    words = frozenset(WORD.findall(piece))
    if piece[0] == "#":
        found = DEFINE.fullmatch(piece) or UNDEFINE.fullmatch(piece)
        return Item(piece, frozenset() if found is None else frozenset({found[1]}), words)
    if found := TYPE.match(piece) or NAMED.match(piece):
        return Item(piece, frozenset(filter(None, found.groups())), words)
    found = FUNCTION.match(piece)
    if found is None:
        return Item(piece, frozenset(), words)
    # Names of numbers are left out: one number has several, as uint64_t and unsigned long long.
    taken = {word for word in WORD.findall(found[2]) if word in types or VECTOR.match(word)}
    if not found[1].startswith("operator"):
        return Item(piece, frozenset({found[1], *taken}), words)
    matrices = {MATRIX_OF + word for word in MATRIX.findall(found[2])}
    vectors = {OPERAND + word for word in taken if VECTOR.match(word)}
    return Item(piece, frozenset(matrices or vectors or taken), _words(piece))


def _words(text: str) -> frozenset[str]:
    """Return what a text names; vectors and matrices also with their marks."""
    words = frozenset(WORD.findall(text))
    matrices = {MATRIX_OF + word for word in MATRIX.findall(text)}
    vectors = {OPERAND + word for word in words if VECTOR.match(word)}
    return words | matrices | vectors


def _pieces(text: str, macros: Macros) -> Iterator[str]:
    """Split text into directives and declarations; macros that declare something are expanded."""
    start = depth = 0
    for mark in MARK.finditer(text):
        sign = mark[0].lstrip()
        depth += (sign[0] in "({") - (sign[0] in ")}")
        if depth or sign[0] in "\"'":
            continue
        if sign[0] == "#":
            yield from _declared(text[start : mark.start()], macros)
            yield sign
            found = DEFINE.fullmatch(sign)
            if found is not None and found[1] not in macros:  # of two branches NVRTC's is first
                macros[found[1]] = [name.strip() for name in (found[2] or "").split(",")], found[3]
        elif sign == ")":
            call = CALL.fullmatch(text, start, mark.end())
            if call is None or not {call[2], *call[1].split()} <= macros.keys():
                continue
            for word in call[1].split():
                yield from _declared(word, macros)
            yield from _pieces(_expanded(*macros[call[2]], call[3]), macros)
        elif sign == "}" and MORE.match(text, mark.end()):
            continue
        else:
            yield from _declared(text[start : mark.end()], macros)
        start = mark.end()
    yield from _declared(text[start:], macros)


def _declared(text: str, macros: Macros) -> Iterator[str]:
    """Yield a declaration, or those of a macro without parameters."""
    text = text.strip()
    if text in macros:
        yield from _pieces(macros[text][1], macros)
    elif text:
        yield text


def _expanded(names: list[str], body: str, arguments: str) -> str:
    """Return the body of a macro for a call of it."""
    values = dict(zip(names, map(str.strip, ARGUMENT.findall(arguments)), strict=False))
    body = STRING_OF.sub(lambda found: f'"{values.get(found[1])}"', " ".join(body.split()))
    return PASTED.sub("", WORD.sub(lambda found: values.get(found[0], found[0]), body))
