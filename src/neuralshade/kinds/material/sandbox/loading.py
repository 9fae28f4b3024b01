"""A stranger's MaterialX document, loaded in a sandbox; what answers there: server.py."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from neuralshade.base.sandbox.sandbox import Said, Sandbox
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.sandbox.message import reference_from_message

SECONDS = 120.0  # to load it, and to compile and to run it once
MOST_BYTES = 4 * 2**30  # of memory
MOST_TEXT = 2**24  # bytes of its text and all that is said with it
SERVES = "neuralshade.kinds.material.sandbox.server:SandboxHandler"


def load_sandboxed(
    path: str | os.PathLike[str], element: str | None = None, varied: Sequence[str] = (), *,
    trust: bool = False, readable: Sequence[str] = (),
) -> ReferenceBsdf:  # fmt: skip
    """Return the reference of a MaterialX document, as ``load_materialx`` does, from a sandbox.

    There it is loaded, compiled and run once: a document that ends what reads it, compiles it or
    runs it ends that process. It reads files in the document's folder or below, and the system's.

    ``trust``: code of its own may run, once it was looked through; it is refused otherwise;
    ``readable``: other files that it may read.
    Raises: ConfigError where it ends the process, takes too long or too much memory; what
        ``load_materialx`` raises; DeviceError where there is no process.
    """
    place, there = Path(path), os.path.abspath(path)
    said = Said(str(path), "a document", "it", "document", "one that MaterialX reads",
                "one that takes less time", "one that takes less", ConfigError)  # fmt: skip
    asked = {"path": there, "element": element, "varied": list(varied), "trust": trust}
    with Sandbox(SERVES, said, MOST_BYTES, [str(place.resolve().parent), *readable]) as sandbox:
        try:
            message, arrays = sandbox.ask(asked, seconds=SECONDS, memory=MOST_BYTES,
                                          most_bytes=MOST_BYTES, most_json=MOST_TEXT)  # fmt: skip
        except NeuralShadeError as error:
            raise type(error)(str(error).replace(there, str(path))) from error
        reference = reference_from_message(message, arrays, place)
        if reference is None:
            raise sandbox.odd("an answer that is no material")
    if varied:
        return reference
    return replace(
        reference, written=partial(load_sandboxed, path, element, trust=trust, readable=readable)
    )


class SandboxedDocument(os.PathLike[str]):
    """The path of a document that somebody else sent: it is loaded in a sandbox alone."""

    def __init__(self, path: str):
        self._path = path
        self._loaded: dict[str | None, ReferenceBsdf] = {}

    def __fspath__(self) -> str:
        return self._path

    def __str__(self) -> str:
        return self._path

    def reference(self, element: str | None) -> ReferenceBsdf:
        """Return the reference of its first material, or of another one; see ``load_sandboxed``."""
        if element not in self._loaded:
            self._loaded[element] = load_sandboxed(self._path, element)
        return self._loaded[element]
