"""Texture sets in one folder, distinguished by the beginning of their files' names."""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from neuralshade.source.file_kind import PICTURE_SUFFIXES
from neuralshade.source.map_names import MapName, map_name

ANY = "*"  # may end a set's prefix, where no shell has expanded it
# files that lie beside maps and are none, whatever words their names have
DOCUMENTS = (
    ".txt .md .rst .json .toml .yaml .yml .xml .html .htm .pdf .csv .ini .cfg .log .url .doc "
    ".docx .mtlx .mtl .mat .meta .import .tres .tscn .material .uasset .umap .usd .usda .usdc "
    ".usdz .blend .blend1 .max .ma .mb .c4d .spp .sbs .sbsar .gltf .glb .obj .fbx .stl .ply "
    ".abc .bin .zip .7z .rar .tar .gz .py .js .slang .hlsl .glsl .wgsl .osl .nsh .tmp .part "
    ".bak .db .md5 .sha256"
)
NO_PICTURES = frozenset(DOCUMENTS.split())
TILE = re.compile(r"(?<![0-9A-Za-z])(1[0-9]{3}|[uU]\d+_[vV]\d+)(?![0-9A-Za-z])")
SEPARATORS = " _-."
SET_MAPS = 2  # least number of a set's maps


def pictures_in(folder: Path) -> list[Path]:
    """Return the files of ``folder`` with picture suffixes, sorted; no hidden ones."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() in PICTURE_SUFFIXES
        and not path.name.startswith(".")
        and os.path.isfile(path)
    )


def unread_in(folder: Path, begins: Sequence[str] = ("",)) -> list[Path]:
    """Return the files of ``folder`` that are maps by their names, in unsupported formats.

    Args:
        begins: prefixes of a file's name, one of which must match; "" matches all.
    """
    return sorted(
        path
        for path in folder.iterdir()
        if path.suffix.lower() not in (*PICTURE_SUFFIXES, *NO_PICTURES)
        and not path.name.startswith(".")
        and path.name.lower().startswith(tuple(one.lower() for one in begins))
        and (name := map_name(path.stem)) is not None
        and name.maps
        and os.path.isfile(path)
    )


def sets_in(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Return the files with a map's name, by the prefix before it: sorted, as spelled.

    "wood_base_color" belongs to "wood" where a "wood_normal" exists, too: the longest prefix with
    at least two maps counts, else the one with the most. Files without a prefix are left out.
    """
    begun = {path: _beginnings(path.stem) for path in paths}
    maps: dict[str, set[tuple[str | None, ...]]] = {}
    for path, prefixes in begun.items():
        for prefix in prefixes:
            maps.setdefault(prefix.lower(), set()).add(_maps_of(path.stem))
    found: dict[str, list[Path]] = {}
    spelled: dict[str, str] = {}
    for path, prefixes in begun.items():
        if prefixes:
            best = max(prefixes, key=lambda p: (min(SET_MAPS, len(maps[p.lower()])), len(p)))
            if len(maps[best.lower()]) < SET_MAPS:
                best = max(prefixes, key=lambda p: len(maps[p.lower()]))
            found.setdefault(spelled.setdefault(best.lower(), best), []).append(path)
    return dict(sorted(found.items()))


def is_set(paths: Iterable[Path]) -> bool:
    """Return whether files hold two different maps at least."""
    return len({_maps_of(path.stem) for path in paths}) >= SET_MAPS


def files_with_prefix(path: Path) -> list[Path]:
    """Return the pictures beside ``path`` whose names start with its own, sorted.

    Those of the set with exactly that name if there is one; none if its folder has none.
    "wood.1001" selects those of one UDIM tile, wherever it stands in their names.
    """
    prefix = path.name.rstrip(ANY)
    if not prefix or not os.path.isdir(path.parent):
        return []
    paths = pictures_in(path.parent)
    for called, held in sets_in(paths).items():
        if called.lower() == prefix.lower():
            return held
    found = [other for other in paths if _begins(other.stem, prefix, path.name.endswith(ANY))]
    tile = tile_of(prefix)
    if found or tile is None:
        return found
    before = prefix[: prefix.rindex(tile)].rstrip(SEPARATORS)
    of_tile = [other for other in paths if tile_of(other.stem) == tile]
    return [other for other in of_tile if not before or _begins(other.stem, before, False)]


def tile_of(stem: str) -> str | None:
    """Return the UDIM tile in a name: "1001", "u1_v2"; None for none."""
    found = TILE.findall(stem)
    return found[-1] if found else None


def tiles_in(paths: Iterable[Path]) -> list[str]:
    """Return the UDIM tiles of the files with a map's name, sorted."""
    tiles = {tile_of(path.stem) for path in paths if _maps_of(path.stem)}
    return sorted(tile for tile in tiles if tile is not None)


def names_files(path: Path) -> bool:
    """Return whether ``path`` is a prefix of files, not a file with a suffix."""
    is_one = path.suffix and not TILE.fullmatch(path.suffix[1:])
    return not is_one and bool(files_with_prefix(path))


def _begins(stem: str, prefix: str, anywhere: bool) -> bool:
    """Return whether ``stem`` begins with ``prefix``, in whole words unless ``anywhere``."""
    rest = stem[len(prefix) :]
    if stem[: len(prefix)].lower() != prefix.lower():
        return False
    return anywhere or not rest or not rest[0].isalnum() or (rest[0].isupper())


def _beginnings(stem: str) -> list[str]:
    """Return the possible prefixes before the words of a file's map, shortest first."""
    pieces = re.findall(r"[^\W_]+|[\W_]+", stem)
    whole, found = _maps_of(stem), []
    for count in range(1, len(pieces)):
        prefix = "".join(pieces[:count]).rstrip(SEPARATORS)
        if prefix and prefix not in found and _maps_of("".join(pieces[count:])) == whole != ():
            found.append(prefix)
    return found


def _maps_of(stem: str) -> tuple[str | None, ...]:
    name: MapName | None = map_name(stem)
    return () if name is None else name.maps
