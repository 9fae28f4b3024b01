"""Loading of untrusted MaterialX documents in a sandbox; the process inside: server.py."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from neuralshade.base.sandbox.sandbox import Sandbox, SandboxWording
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf
from neuralshade.kinds.material.sandbox.message import reference_from_message

SECONDS = 120.0  # to load, compile and run it once
MOST_BYTES = 4 * 2**30  # of memory
MOST_TEXT = 2**24  # bytes of its text and of the message
SERVES = "neuralshade.kinds.material.sandbox.server:SandboxHandler"


def load_sandboxed(
    path: str | os.PathLike[str], element: str | None = None, varied: Sequence[str] = (), *,
    trust: bool = False, readable: Sequence[str] = (),
) -> ReferenceBsdf:  # fmt: skip
    """Load the reference of a MaterialX document in a sandbox, like ``load_materialx``.

    It is loaded, compiled and run once there: a document that crashes a step crashes only that
    process. It can read files in the document's folder or below, and the system's.

    ``trust``: run its own code, after it was checked; it is refused otherwise.
    ``readable``: other files that it may read.
    Raises: ConfigError if it crashes, takes too long or too much memory; errors of
        ``load_materialx``; DeviceError if there is no process.
    """
    place, there = Path(path), os.path.abspath(path)
    said = SandboxWording(str(path), "a document", "it", "document", "one that MaterialX reads",
                "one that takes less time", "one that takes less", ConfigError)  # fmt: skip
    request = {"path": there, "element": element, "varied": list(varied), "trust": trust}
    with Sandbox(SERVES, said, MOST_BYTES, [str(place.resolve().parent), *readable]) as sandbox:
        try:
            message, arrays = sandbox.request(request, seconds=SECONDS, memory=MOST_BYTES,
                                          most_bytes=MOST_BYTES, most_json=MOST_TEXT)  # fmt: skip
        except NeuralShadeError as error:
            raise type(error)(str(error).replace(there, str(path))) from error
        reference = reference_from_message(message, arrays, place)
        if reference is None:
            raise sandbox.violation("an answer that is no material")
    if varied:
        return reference
    return replace(
        reference, written=partial(load_sandboxed, path, element, trust=trust, readable=readable)
    )


class SandboxedDocument(os.PathLike[str]):
    """The path of an untrusted document: it is only loaded in a sandbox."""

    def __init__(self, path: str):
        self._path = path
        self._loaded: dict[str | None, ReferenceBsdf] = {}

    def __fspath__(self) -> str:
        return self._path

    def __str__(self) -> str:
        return self._path

    def reference(self, element: str | None) -> ReferenceBsdf:
        """Return the reference of its first or another material; see ``load_sandboxed``."""
        if element not in self._loaded:
            self._loaded[element] = load_sandboxed(self._path, element)
        return self._loaded[element]
