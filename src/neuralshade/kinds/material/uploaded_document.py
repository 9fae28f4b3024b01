"""Uploaded material of a live page, restricted to the pictures that came with it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree

from neuralshade.base.message_text import shown
from neuralshade.base.text_file import read_text
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.references.sources import MATERIALX
from neuralshade.kinds.material.sandbox.loading import SandboxedDocument
from neuralshade.source.file_kind import PICTURE_SUFFIXES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEEPEST = 64  # nested elements: MaterialX recurses for each
# Elements that add compiled text or other files to a document.
CODE = ("implementation", "typedef", "targetdef", "include", "token")
CODE_ATTRIBUTES = ("sourcecode", "file", "href")
DECLARES = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def uploaded_material(document: Path, pictures: Sequence[Path]) -> dict[str, Any]:
    """Return the arguments of ``fit_material`` for a document in its own folder.

    Pictures that it names in subfolders are copied there. A MaterialX document is loaded in a
    sandbox, now and for each later fit.

    Raises: ConfigError for an invalid document, code, files elsewhere, or a document that crashes
        its loader; errors of ``load_materialx``.
    """
    suffix = document.suffix.lower()
    text = read_text(document, f"a {suffix} file", "text")
    named = list((_of_document if suffix == MATERIALX else _of_stack)(text, document))
    sent = {path.name: path for path in pictures}
    for name in named:
        path = _below(name, document)
        found = sent.get(path.name)
        place = document.parent / path
        if found is not None and not os.path.exists(place):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, place)
    if suffix != MATERIALX:
        return {"source": os.fspath(document)}
    source = SandboxedDocument(os.fspath(document))
    source.reference(None)
    return {"source": source}


def _below(name: str, document: Path) -> PurePosixPath:
    """Return a name as a path below the document's folder. Raises: ConfigError."""
    path = PurePosixPath(name)
    odd = path.is_absolute() or ".." in path.parts or any(one in name for one in "\\:\0")
    if odd:
        raise ConfigError(f"{document}: got {shown(name)}, need pictures that are sent with it. "
                          "Name them without folders above its own.")  # fmt: skip
    return path


def _of_stack(text: str, document: Path) -> Iterator[str]:
    """Yield the texts of a stack that may be paths."""
    try:
        waiting: list[Any] = [tomllib.loads(text)]
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{document}: got {shown(str(error))}, need TOML. Mend that "
                          "line.") from error  # fmt: skip
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, str) and _is_path(one):
            yield one


def _is_path(text: str) -> bool:
    return (
        any(c in text for c in "/\\:\0") or ".." in text or text.lower().endswith(PICTURE_SUFFIXES)
    )


def _of_document(text: str, document: Path) -> Iterator[str]:
    """Yield the paths of a MaterialX document without code and other files."""
    root = _parsed(text, document)
    # MaterialX reads the text that was checked, not another parser's view of it
    document.write_bytes(ElementTree.tostring(root, "utf-8", xml_declaration=True))
    waiting = [(root, "", 1)]
    while waiting:
        one, prefix, depth = waiting.pop()
        tag = one.tag.rpartition("}")[2].lower()
        odd = [tag] if tag in CODE else [name for name in CODE_ATTRIBUTES if name in one.attrib]
        if odd or depth > DEEPEST:
            what = shown(odd[0]) if odd else f"elements {depth} deep"
            raise ConfigError(f"{document}: got {what}, need a document that brings no code and "
                              "no other files. Fit it in a terminal.")  # fmt: skip
        prefix = one.get("fileprefix", prefix)
        if prefix:
            _below(prefix, document)
        if one.get("type") == "filename" and one.get("value"):
            yield from {one.get("value", ""), prefix + one.get("value", "")}
        waiting += [(child, prefix, depth + 1) for child in one]


def _parsed(text: str, document: Path) -> ElementTree.Element:
    if DECLARES.search(text):  # entities may be endless, or other files
        raise ConfigError(f"{document}: got a DOCTYPE, need a document without. Take it out.")
    try:
        return ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise ConfigError(f"{document}: got {shown(str(error))}, need a MaterialX document. Check "
                          "the file.") from error  # fmt: skip
