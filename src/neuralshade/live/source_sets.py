"""Uploaded tasks and materials: a document with its pictures, each set in a folder.

They contain code or become code, so uploads are refused unless the server was started with
permission to run them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neuralshade.base.lazy_import import import_object
from neuralshade.errors import ConfigError
from neuralshade.kinds import all_kinds
from neuralshade.kinds.kind import Kind
from neuralshade.live.map_sets import MOST_SET_BYTES, MOST_SET_TEXELS
from neuralshade.live.upload_checks import (
    RefusedError,
    check_open,
    check_place,
    forget_oldest,
    plain_name,
)
from neuralshade.source.file_kind import PICTURE_SUFFIXES

MOST_PICTURES = 16  # of a document
MOST_DOCUMENT_BYTES = 2**20
REMEDY = "Send its files again."
NOT_ALLOWED = ("got code that a page sends, need a server that may run it. Start it with "
               "--run-shaders.")  # fmt: skip


@dataclass
class SourceSet:
    """A document, and its pictures uploaded so far: width and height by name."""

    document: Path
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)
    arguments: dict[str, dict[str, Any]] = field(default_factory=dict)  # arguments by kind

    @property
    def place(self) -> Path:
        """Return the folder that holds nothing else."""
        return self.document.parent

    def facts(self, key: str) -> dict[str, Any]:
        """Return the facts for pages: the files, and the kinds that take such a document."""
        files = [{"name": name, "width": width, "height": height}
                 for name, (width, height) in self.sizes.items()]  # fmt: skip
        kinds = [kind.name for kind in document_kinds() if _takes(kind, self.document.name)]
        return {"source": key, "name": self.document.name, "files": files, "kinds": kinds}


class SourceSets:
    """The newest sets of a session; ``new_path`` returns a new path for a name."""

    def __init__(self, new_path: Callable[[str], Path], allowed: bool):
        self.allowed = allowed
        self._new_path = new_path
        self._lock = threading.Lock()  # fits are started by another thread than the server's
        self._sets: dict[str, SourceSet] = {}
        self._fitted: str | None = None

    def check(self, key: str | None, name: str) -> None:
        """Raise RefusedError where a file of that name can neither begin nor join a set."""
        if not self.allowed:
            raise RefusedError(403, NOT_ALLOWED)
        plain = plain_name(name)
        suffixes = PICTURE_SUFFIXES if key is not None else document_suffixes()
        if Path(plain).suffix.lower() not in suffixes:
            what = "picture" if key is not None else "task or material"
            raise RefusedError(415, f"{plain}: got a file that is no {what} by its name, need one "
                               f"of {', '.join(suffixes)}. Leave it out.")  # fmt: skip
        if key is not None:
            self._check_place(key, plain)

    def begin(self, path: Path) -> dict[str, Any]:
        """Take an upload as a document; return the set's facts. Raises RefusedError."""
        size = path.stat().st_size
        if size > MOST_DOCUMENT_BYTES:
            raise RefusedError(413, f"{path.name}: got {size} bytes, need {MOST_DOCUMENT_BYTES} at "
                               "most. Fit it in a terminal.")  # fmt: skip
        with self._lock:
            self.check(None, path.name)
            key = f"s{path.parent.name}"
            self._sets[key] = SourceSet(path)
            forget_oldest(self._sets, key, self._fitted)
            return self._sets[key].facts(key)

    def add(self, key: str, path: Path, width: int, height: int) -> dict[str, Any]:
        """Move a picture into a set; return the set's facts.

        Raises: RefusedError; the upload then stays in place.
        """
        with self._lock:
            self.check(key, path.name)  # other files may have arrived
            one = self._sets[key]
            folder = one.document.parent
            size = path.stat().st_size + sum((folder / n).stat().st_size for n in one.sizes)
            texels = width * height + sum(w * h for w, h in one.sizes.values())
            if size > MOST_SET_BYTES or texels > MOST_SET_TEXELS:
                raise RefusedError(413, f"{path.name}: got {size} bytes and {texels} texels of "
                                   f"pictures together, need {MOST_SET_BYTES} and "
                                   f"{MOST_SET_TEXELS} at most. Fit them in a "
                                   "terminal.")  # fmt: skip
            path.rename(folder / path.name)
            path.parent.rmdir()
            one.sizes[path.name] = (width, height)
            one.arguments.clear()
            return one.facts(key)

    def fit(self, key: str, kind: Kind) -> dict[str, Any]:
        """Return the fit arguments of a set: it is kept, and closed to more files.

        Raises: ConfigError for an unknown key or a kind that takes no such document; the kind's
            own errors about the document.
        """
        if not self.allowed:
            raise ConfigError(f"start.source: {NOT_ALLOWED}")
        with self._lock:
            if key not in self._sets:
                raise ConfigError(f"start.source: got {key[:80]!r}, need one that was uploaded and "
                                  "kept. Send it again.")  # fmt: skip
            one = self._sets[key]
            if not _takes(kind, one.document.name):
                able = [other.name for other in document_kinds()
                        if _takes(other, one.document.name)]  # fmt: skip
                raise ConfigError(f"start.kind: got {kind.name} for {one.document.name}, need one "
                                  f"of {able}. Choose one of them.")  # fmt: skip
            pictures = [one.document.parent / name for name in one.sizes]
            if kind.name not in one.arguments:  # checked before the running fit is stopped
                one.arguments[kind.name] = import_object(kind.subject.uploaded)(
                    one.document, pictures
                )
            self._fitted = key
            return one.arguments[kind.name]

    def _check_place(self, key: str, name: str) -> None:
        check_open("source.of", key, self._sets, self._fitted, REMEDY)
        check_place(name, self._sets[key].sizes, MOST_PICTURES, "picture")


def document_kinds() -> list[Kind]:
    """Return the kinds that are fitted to a document which pages may upload."""
    return [kind for kind in all_kinds() if kind.fits is not None and kind.subject.documents]


def document_suffixes() -> tuple[str, ...]:
    """Return the file suffixes of such documents."""
    return tuple(suffix for kind in document_kinds() for suffix in kind.subject.documents)


def _takes(kind: Kind, name: str) -> bool:
    return Path(name).suffix.lower() in kind.subject.documents
