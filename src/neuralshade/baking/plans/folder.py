"""Folders as lists of assets: pictures, documents, or folders of maps."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from neuralshade.baking.job import Job
from neuralshade.baking.plans.entries import JobBuilder
from neuralshade.baking.plans.faults import Faults
from neuralshade.baking.plans.settings import Recipes, baked_kinds, check_kind, settings_of
from neuralshade.base.message_text import plural
from neuralshade.errors import ConfigError
from neuralshade.kinds.kind import Kind
from neuralshade.source.file_kind import PICTURE_SUFFIXES
from neuralshade.source.map_sets import is_set, pictures_in, sets_in

MOST_FILES = 1_000_000


class FolderPlaces:
    """Where an entry of a folder is: its own path."""

    def __init__(self, folder: str, names: list[str]):
        self.folder, self.names = folder, names

    def entry(self, index: int, key: str | None = None) -> str:
        """Return the path of a source."""
        return os.path.join(self.folder, self.names[index])

    def default(self, key: str | None = None) -> str:
        """Return the folder; it has no defaults of its own."""
        return self.folder


def read_folder(folder: str, faults: Faults, recipes: Recipes, kind: str | None = None,
                pattern: str | None = None, settings: Mapping[str, Any] | None = None,
                output: str | None = None) -> tuple[tuple[Job, ...], int]:  # fmt: skip
    """Return a job for each source in a folder, named after its path there; and how many pictures
    are left out, as they lie beside no set of maps.

    Args:
        kind: None where the folder has texture sets alone, which are made textures.
        pattern: of paths in the folder, such as "**/*.png"; by default what ``kind`` takes: its
            pictures, documents or sets of maps at any depth.
        output: a folder that is not searched, and neither are hidden ones.

    Raises: ConfigError for a folder without sources, or one that needs ``kind``.
    """
    if kind is not None:
        check_kind(kind)
    skipped, loose = "" if output is None else os.path.abspath(output), 0
    if pattern is not None:
        names = list(_matching(folder, pattern, skipped))
        kind = kind or _sets_kind(folder, names)
    else:
        kind, names, loose = _usual(folder, kind, skipped)
    if not names:
        sought = "picture or set of maps" if kind is None else f"source of fit {kind}"
        what = "nothing that matches it" if pattern is not None else f"no {sought}"
        raise ConfigError(f"{pattern or folder}: got {what}, need at least one. Check the path"
                          f"{', and quote the pattern' if pattern else ', or add --pattern'}"
                          ".")  # fmt: skip
    if kind is None:
        raise ConfigError(f"{folder}: got {plural(len(names), 'source')} and no kind, need one of "
                          f"{', '.join(baked_kinds())}. Add for example --kind "
                          f"{baked_kinds()[0]}.")  # fmt: skip
    builder = JobBuilder(faults, FolderPlaces(folder, names), os.path.abspath(folder),
                         recipes)  # fmt: skip
    builder.set_defaults({}, kind, settings or {})
    for index, (source, name) in enumerate(zip(names, _asset_names(folder, names), strict=True)):
        builder.add(index, {"input": source, "name": name})
    return builder.finished(), loose


def _usual(folder: str, kind: str | None, skipped: str) -> tuple[str | None, list[str], int]:
    """Return the kind and the sources of a folder, as paths in it, and the pictures left out."""
    if kind is not None:
        return kind, list(_sources(folder, settings_of(kind).kind, skipped)), 0
    sets, loose = _kind_of_sets(), list[str]()
    if found := list(_sources(folder, settings_of(sets).kind, skipped, loose)):
        return sets, found, len(loose)
    return None, list(_files(folder, PICTURE_SUFFIXES, skipped)), 0


def _kind_of_sets() -> str:
    """Return the kind that texture sets are for: the one whose source may be several maps."""
    subjects = {name: settings_of(name).kind.subject for name in baked_kinds()}
    return next(name for name, subject in subjects.items() if subject.maps and subject.several)


def _sets_kind(folder: str, names: list[str]) -> str | None:
    """Return the kind of texture sets where all names are folders of maps, else None."""
    paths = [Path(folder, name) for name in names]
    sets = all(os.path.isdir(path) and is_set(pictures_in(path)) for path in paths)
    return _kind_of_sets() if sets else None


def _sources(folder: str, kind: Kind, skipped: str, loose: list[str] | None = None
             ) -> Iterator[str]:  # fmt: skip
    """Yield the sources of a kind in a folder, sorted; ``loose`` gets pictures beside no set."""
    subject = kind.subject
    if subject.picture:
        yield from _files(folder, PICTURE_SUFFIXES, skipped)
        return
    if subject.maps:
        yield from _sets(folder, skipped, [] if loose is None else loose)
    if subject.documents:
        yield from _files(folder, subject.documents, skipped)


def _sets(folder: str, skipped: str, loose: list[str]) -> Iterator[str]:
    """Yield folders with a set of maps, and prefixes of files where there are several in one."""
    for place, files in _walk(folder, skipped):
        pictures = pictures_in(Path(place))
        if not is_set(pictures):
            loose += [name for name in files
                      if os.path.splitext(name)[1].lower() in PICTURE_SUFFIXES]  # fmt: skip
            continue
        relative = os.path.relpath(place, folder)
        found = [prefix for prefix, files in sets_in(pictures).items() if is_set(files)]
        if len(found) > 1:
            yield from (os.path.normpath(os.path.join(relative, prefix)) for prefix in found)
        else:
            yield relative


def _files(folder: str, suffixes: tuple[str, ...], skipped: str) -> Iterator[str]:
    for place, files in _walk(folder, skipped):
        for name in files:
            if os.path.splitext(name)[1].lower() in suffixes:
                yield os.path.normpath(os.path.join(os.path.relpath(place, folder), name))


def _walk(folder: str, skipped: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder that is not hidden, and its files that are not hidden, sorted.

    Links to folders are followed, each folder once.
    """
    count, seen = 0, set[str]()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # a link to a folder around it, or a second one to the same
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if not name.startswith(".")
                            and os.path.abspath(os.path.join(place, name)) != skipped)  # fmt: skip
        shown = sorted(name for name in files if not name.startswith("."))
        count += len(shown)
        if count > MOST_FILES:
            raise ConfigError(f"{folder}: got more than {MOST_FILES:,} files, need fewer. Bake "
                              "folders in it one by one.")  # fmt: skip
        yield place, shown


def _matching(folder: str, pattern: str, skipped: str) -> Iterator[str]:
    """Yield the paths that match a pattern, sorted; none that is hidden or in ``skipped``."""
    parts = PurePath(pattern).parts
    if not parts or ".." in parts or PurePath(pattern).is_absolute() or "\0" in pattern:
        raise ConfigError(f"pattern: got {pattern!r}, need one of paths in the folder. Write for "
                          'example "**/*.png".')  # fmt: skip
    for path in sorted(Path(folder).glob(pattern)):
        relative = path.relative_to(folder)
        whole = os.path.abspath(path)
        hidden = any(part.startswith(".") for part in relative.parts)
        own = bool(skipped) and (whole + os.sep).startswith(skipped + os.sep)
        if not hidden and not own:
            yield str(relative)


def _asset_names(folder: str, names: list[str]) -> Iterator[str]:
    """Yield the assets' names: paths without a file's suffix, unless two are the same so."""
    whole = os.path.basename(os.path.abspath(folder))
    stems = [_stem(folder, name, whole) for name in names]
    counts = Counter(stem.casefold() for stem in stems)
    for name, stem in zip(names, stems, strict=True):
        unique = stem if counts[stem.casefold()] == 1 else name
        yield PurePath(unique).as_posix()


def _stem(folder: str, name: str, whole: str) -> str:
    if name == os.curdir:
        return whole
    return os.path.splitext(name)[0] if os.path.isfile(os.path.join(folder, name)) else name
