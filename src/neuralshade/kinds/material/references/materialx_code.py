"""Code of a MaterialX document's own, and text of it that would become code.

MaterialX writes ``sourcecode`` and files of implementations into the shader as they are, for every
target that Slang inherits from, and values as text where a type has no other form. The first is
code that its user must trust; the second is refused.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neuralshade.base.message_text import plain_name, shown
from neuralshade.errors import ConfigError
from neuralshade.gpu.screening import FORBIDDEN

CODE = ("sourcecode", "file", "function")  # attributes of an implementation that are written out
TRUST = ("need your word that it may run here. Read it, then add --trust, or trust=True in "
         "Python.")  # fmt: skip
DISTRUST = "Do not trust where it comes from."
# Text of these characters is at most a sum of names and numbers, wherever it is written.
HARMLESS = re.compile(r"[\w\s.,:/+-]*")
REPLACED = re.compile(r"\$\w*")  # what MaterialX puts something else in place of
# A pointer: no product ends with its star. ``*=`` and ``*(`` are arithmetic.
POINTER = re.compile(r"\*\s*[)>;,*\]]")
WORD = re.compile(r"[^\W\d]\w*")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def implementations(document: Any) -> list[Any]:
    """Return the implementations that bring code: of any target, wherever they lie."""
    every = (one for one in document.traverseTree() if one.getCategory() == "implementation")
    return [one for one in every if any(map(one.getAttribute, CODE))]


def untrusted(found: list[Any], place: Path) -> ConfigError:
    """Return the error for code of a document that nobody vouched for."""
    names = ", ".join(plain_name(one.getName()) for one in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ConfigError(f"{place}: got a document with code of its own (implementation "
                       f"{names}{more}), {TRUST}")  # fmt: skip


def files_of(document: Any, place: Path) -> list[str]:
    """Return the pictures that a document names, and the documents that it includes."""
    named = {one.getResolvedValueString() for one in document.traverseTree()
             if one.getAttribute("type") == "filename"}  # fmt: skip
    paths = [place.parent / name for name in named if name]
    paths += [Path(name) for name in document.getReferencedSourceUris()]
    return sorted(str(path.resolve()) for path in paths if os.path.isfile(path))


def check_written(document: Any, text: str, place: Path) -> None:
    """Refuse a document of which ``text``, what was generated of it, has more than numbers.

    Raises: ConfigError, by the element whose text it is; what ``check_words`` raises.
    """
    for element, name, value in _attributes(document):
        if any(len(part) > 0 and part in text for part in REPLACED.split(value)
               if not HARMLESS.fullmatch(part)):  # fmt: skip
            raise ConfigError(f"{place}: {element.getNamePath()}: got {name} {shown(value)}, which "
                              "would be run as code, need a value. Change it.")  # fmt: skip
    check_words(text, place)


def check_words(text: str, place: Path) -> None:
    """Refuse text of a document that reaches beyond arithmetic: it brought no code.

    Raises: ConfigError, with the word.
    """
    code = COMMENT.sub(" ", text)
    odd = next((word for word in WORD.findall(code) if word in FORBIDDEN), None)
    pointer = POINTER.search(code)
    if odd or pointer:
        what = odd or shown(pointer[0] if pointer else "")
        raise ConfigError(f"{place}: got a document that becomes code with {what}, need one that "
                          f"is numbers and pictures. {DISTRUST}")  # fmt: skip


def _attributes(document: Any) -> Iterator[tuple[Any, str, str]]:
    """Yield the texts of a document that may be written out, once each: element, name, text."""
    seen = set()
    for element in document.traverseTree():
        names = element.getAttributeNames()
        found = [(name, element.getAttribute(name)) for name in names]
        # elements that MaterialX does not know have no such method
        if "value" in names and hasattr(
            element, "getResolvedValueString"
        ):  # with the folder that is put before it, and tokens replaced
            found.append(("value", element.getResolvedValueString()))
        for name, value in found:
            if value not in seen and not HARMLESS.fullmatch(value):
                seen.add(value)
                yield element, name, value
