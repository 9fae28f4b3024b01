"""Code in a MaterialX document, and text in it that would become code.

MaterialX copies ``sourcecode`` and implementation files into the shader, for every target that
Slang inherits from, and values as text if a type has no other form. The former is code that the
user must trust; the latter is refused.
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

CODE = ("sourcecode", "file", "function")  # copied attributes of an implementation
TRUST = ("need your word that it may run here. Read it, then add --trust, or trust=True in "
         "Python.")  # fmt: skip
DISTRUST = "Do not trust where it comes from."
# Text of these characters is at most a sum of names and numbers, in any position.
HARMLESS = re.compile(r"[\w\s.,:/+-]*")
REPLACED = re.compile(r"\$\w*")  # placeholders that MaterialX replaces
# A pointer: no product ends with its star. ``*=`` and ``*(`` are arithmetic.
POINTER = re.compile(r"\*\s*[)>;,*\]]")
WORD = re.compile(r"[^\W\d]\w*")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def implementations(document: Any) -> list[Any]:
    """Return all implementations with code, of any target, at any depth."""
    every = (one for one in document.traverseTree() if one.getCategory() == "implementation")
    return [one for one in every if any(map(one.getAttribute, CODE))]


def untrusted(found: list[Any], place: Path) -> ConfigError:
    """Return the error for a document's code without ``trust``."""
    names = ", ".join(plain_name(one.getName()) for one in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ConfigError(f"{place}: got a document with code of its own (implementation "
                       f"{names}{more}), {TRUST}")  # fmt: skip


def files_of(document: Any, place: Path) -> list[str]:
    """Return the pictures and the includes that a document names."""
    named = {one.getResolvedValueString() for one in document.traverseTree()
             if one.getAttribute("type") == "filename"}  # fmt: skip
    paths = [place.parent / name for name in named if name]
    paths += [Path(name) for name in document.getReferencedSourceUris()]
    return sorted(str(path.resolve()) for path in paths if os.path.isfile(path))


def check_written(document: Any, text: str, place: Path) -> None:
    """Refuse a document whose values put more than numbers into the generated ``text``.

    Raises: ConfigError with the element; errors of ``check_words``.
    """
    for element, name, value in _attributes(document):
        if any(len(part) > 0 and part in text for part in REPLACED.split(value)
               if not HARMLESS.fullmatch(part)):  # fmt: skip
            raise ConfigError(f"{place}: {element.getNamePath()}: got {name} {shown(value)}, which "
                              "would be run as code, need a value. Change it.")  # fmt: skip
    check_words(text, place)


def check_words(text: str, place: Path) -> None:
    """Refuse a document without code whose text does more than arithmetic.

    Raises: ConfigError with the word.
    """
    code = COMMENT.sub(" ", text)
    odd = next((word for word in WORD.findall(code) if word in FORBIDDEN), None)
    pointer = POINTER.search(code)
    if odd or pointer:
        what = odd or shown(pointer[0] if pointer else "")
        raise ConfigError(f"{place}: got a document that becomes code with {what}, need one that "
                          f"is numbers and pictures. {DISTRUST}")  # fmt: skip


def _attributes(document: Any) -> Iterator[tuple[Any, str, str]]:
    """Yield the document's texts that may be generated, once each: element, name, text."""
    seen = set()
    for element in document.traverseTree():
        names = element.getAttributeNames()
        found = [(name, element.getAttribute(name)) for name in names]
        # unknown elements have no such method
        if "value" in names and hasattr(
            element, "getResolvedValueString"
        ):  # with the folder that is put before it, and tokens replaced
            found.append(("value", element.getResolvedValueString()))
        for name, value in found:
            if value not in seen and not HARMLESS.fullmatch(value):
                seen.add(value)
                yield element, name, value
