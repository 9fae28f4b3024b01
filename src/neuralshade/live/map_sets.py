"""Uploaded texture sets: maps of one surface, collected in a folder that a fit takes whole."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neuralshade.base.lazy_import import import_object
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.kinds import all_kinds
from neuralshade.kinds.kind import Kind
from neuralshade.live.upload_checks import (
    RefusedError,
    check_open,
    check_place,
    forget_oldest,
    plain_name,
)
from neuralshade.source.file_kind import PICTURE_SUFFIXES

MOST_MAPS = 16  # of a set
MOST_SET_BYTES = 2**29  # of a set's files
MOST_SET_TEXELS = 2**27  # of a set: a fit resizes all maps to the largest
UNNAMED = "maps"  # name of a set whose file names have no common beginning
REMEDY = "Send its maps again."


@dataclass
class MapSet:
    """The maps uploaded so far: width and height by file name."""

    folder: Path
    sizes: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def place(self) -> Path:
        """Return the folder that holds nothing else."""
        return self.folder.parent

    def facts(self, key: str) -> dict[str, Any]:
        """Return the facts for pages: files, their roles, and the kinds that refuse the set."""
        refused = {kind.name: line for kind in map_kinds() if (line := self.refusal(kind))}
        taken = self._taken()
        files = [{"name": name, "width": width, "height": height, "taken": taken[name]}
                 for name, (width, height) in self.sizes.items()]  # fmt: skip
        return {"maps": key, "name": self.name, "files": files, "refused": refused}

    def refusal(self, kind: Kind) -> str | None:
        """Return why that kind cannot fit these maps, by name and size; None where it can."""
        from neuralshade.source.map_folder import optional_maps
        from neuralshade.source.resize import common_size, misfits

        try:
            found = import_object(kind.subject.maps)(self.folder, {})
            wide = {name: self.sizes[file.path.name] for name, file in found.files.items()}
            sizes = {name: (h, w) for name, (w, h) in wide.items()}
            left = misfits(sizes, optional_maps(sizes, found.files))
            common_size(self.name, {n: size for n, size in sizes.items() if n not in left}, [])
        except NeuralShadeError as error:
            return str(error).replace(str(self.folder), self.name)
        return None

    def _taken(self) -> dict[str, list[str]]:
        """Return the maps that each file holds, judged by its name."""
        from neuralshade.source.map_names import name_files
        from neuralshade.source.map_words import NAMES

        roles = name_files([self.folder / name for name in self.sizes], NAMES)
        return {path.name: list(name.all) if name else [] for path, name in roles.items()}


class MapSets:
    """The newest sets of a session; ``new_path`` returns a new path for a name."""

    def __init__(self, new_path: Callable[[str], Path]):
        self._new_path = new_path
        self._lock = threading.Lock()  # fits are started by another thread than the server's
        self._sets: dict[str, MapSet] = {}
        self._fitted: str | None = None

    def check(self, key: str | None, name: str) -> None:
        """Raise RefusedError where a file of that name can neither join that set nor begin one.

        Its size is known after the upload only: ``add`` checks again.
        """
        plain = plain_name(name)
        if Path(plain).suffix.lower() not in PICTURE_SUFFIXES:
            raise RefusedError(415, f"{plain}: got a file that is no picture by its name, need one "
                               f"of {', '.join(PICTURE_SUFFIXES)}. Leave it out.")  # fmt: skip
        if key is not None:
            self._check_place(self._open_set(key), plain)

    def add(self, key: str | None, path: Path, width: int, height: int) -> dict[str, Any]:
        """Move an upload into a set, a new one without ``key``; return the set's facts.

        Raises: RefusedError; the upload then stays in place.
        """
        with self._lock:
            self.check(key, path.name)  # other files may have arrived
            begun = MapSet(path.parent) if key is None else self._sets[key]
            self._check_limits(begun, path, width, height)
            key = self._begin(path.name) if key is None else key
            one = self._sets[key]
            path.rename(one.folder / path.name)
            path.parent.rmdir()
            one.sizes[path.name] = (width, height)
        return one.facts(key)

    def fit(self, key: str, kind: Kind) -> Path:
        """Return the folder of the set to be fitted: it is kept, and closed to more maps.

        Raises: ConfigError for an unknown key, or maps that the kind cannot fit.
        """
        with self._lock:
            if key not in self._sets:
                raise ConfigError(f"start.maps: got {key[:80]!r}, need maps that were uploaded and "
                                  "kept. Send them again.")  # fmt: skip
            line = self._sets[key].refusal(kind)
            if line is not None:
                raise ConfigError(f"start.maps: {line}")
            self._fitted = key
            return self._sets[key].folder

    def _open_set(self, key: str) -> MapSet:
        check_open("maps.of", key, self._sets, self._fitted, REMEDY)
        return self._sets[key]

    def _check_place(self, one: MapSet, name: str) -> None:
        check_place(name, one.sizes, MOST_MAPS, "map")

    def _check_limits(self, one: MapSet, path: Path, width: int, height: int) -> None:
        size = path.stat().st_size + sum((one.folder / n).stat().st_size for n in one.sizes)
        if size > MOST_SET_BYTES:
            raise RefusedError(413, f"{path.name}: got {size} bytes of maps together, need "
                               f"{MOST_SET_BYTES} at most. Fit them in a terminal.")  # fmt: skip
        largest = max(w * h for w, h in [(width, height), *one.sizes.values()])
        texels = largest * (len(one.sizes) + 1)
        if texels > MOST_SET_TEXELS:
            raise RefusedError(413, f"{path.name}: got {texels} texels of maps as large as the "
                               f"largest, need {MOST_SET_TEXELS} at most. Fit them in a "
                               "terminal.")  # fmt: skip

    def _begin(self, first: str) -> str:
        """Begin a set that is named after its first file; return its key."""
        from neuralshade.source.map_sets import sets_in

        name = next(iter(sets_in([Path(first)])), UNNAMED)
        folder = self._new_path(name)
        folder.mkdir()
        key = f"m{folder.parent.name}"
        self._sets[key] = MapSet(folder)
        forget_oldest(self._sets, key, self._fitted)
        return key


def map_kinds() -> list[Kind]:
    """Return the kinds that are fitted to a folder of maps."""
    return [kind for kind in all_kinds() if kind.fits is not None and kind.subject.maps]


def check_takes_maps(kind: Kind) -> None:
    """Raise ConfigError for a kind that is not fitted to a folder of maps."""
    if not kind.subject.maps:
        raise ConfigError(f"start.kind: got {kind.name} for maps, need one of "
                          f"{[one.name for one in map_kinds()]}. Choose one of them.")  # fmt: skip
