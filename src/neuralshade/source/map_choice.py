"""Choice of one file for each map of a set, among all candidates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError
from neuralshade.source.map_entry import MapFile, MapRules
from neuralshade.source.map_names import MapName
from neuralshade.source.map_words import CONVENTIONS, SINGLE, WORDS

NAMES_SHOWN = 8
# after the word of a map: "NRM16", "height_32", "normal_16bit"
BITS = re.compile(r"([A-Za-z]+)[ _-]?((?:8(?=[ _-]?bit)|16|32)(?:[ _-]?bits?)?)(?![0-9A-Za-z])")
DETAIL = re.compile(r"lod(\d+)", re.IGNORECASE)
# preference among formats of the same picture, the most precise first
SUFFIX_RANK = (".exr", ".tif", ".tiff", ".png", ".tga", ".bmp", ".webp", ".jpg", ".jpeg", ".jfif",
               ".jp2", ".jxl", ".avif", ".ktx2", ".dds", ".psd", ".psb")  # fmt: skip

Candidate: TypeAlias = tuple[MapName, MapFile]


@dataclass(frozen=True)
class MapFiles:
    """The files of one set."""

    name: str
    place: str  # the source's name in messages
    files: dict[str, MapFile]  # by map
    notes: tuple[str, ...] = ()


def custom_names(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    """Return the maps with names of their own, in order."""
    names = [name for what, _ in candidates for name in what.maps if name and name not in WORDS]
    return tuple(dict.fromkeys(names))


def searched_maps(
    rules: MapRules, candidates: Sequence[Candidate], supplied: Mapping[str, MapFile]
) -> tuple[str, ...]:
    """Return the names of the maps to search, without those in ``supplied``, in order."""
    every = (*rules.maps, *custom_names(candidates)) if rules.custom_names else rules.maps
    if "roughness" not in supplied and not any("roughness" in what.all for what, _ in candidates):
        every = (*every, "gloss")  # from which roughness follows
    return tuple(name for name in dict.fromkeys(every) if name not in supplied)


def choose(
    place: str,
    candidates: Sequence[Candidate],
    searched: Sequence[str],
    needed: Collection[str] | None = None,
) -> tuple[dict[str, MapFile], tuple[str, ...]]:
    """Return one file for each searched map that has any, and notes on the choice.

    Args:
        needed: maps for which two files are refused; for others both are left out, with a note.
            None: all.

    Raises: ConfigError, naming ``place``, for two files of one map.
    """
    files: dict[str, MapFile] = {}
    notes: list[str] = []
    for name in searched:
        alone = _best(name, [one for one in candidates if one[0].maps == (name,)], notes)
        inside = _inside(name, candidates)
        if needed is not None and name not in needed:
            same = alone or inside
            if len(same) > 1:
                names = listed([file.path.name for file in same])
                notes.append(f"{name}: left out, as {len(same)} files may be it: {names}. Move "
                             "the others away, or give the path of one by itself.")  # fmt: skip
                continue
            inside = inside[:1]  # not used beside another file
        for same in (alone, inside):
            _check_one(place, name, same)
        if alone and inside:
            other = "the packed" if inside[0].packed else "the alpha of"
            notes.append(f"{name}: taken from {alone[0].path.name}, not from {other} "
                         f"{inside[0].path.name}.")  # fmt: skip
        if alone or inside:
            files[name] = (alone or inside)[0]
    return files, tuple(notes)


def _inside(name: str, candidates: Sequence[Candidate]) -> list[MapFile]:
    """Return the packed files with a map in one channel, and those with it in their alpha."""
    packed = [
        replace(file, channel=what.maps.index(name), packed=True)
        for what, file in candidates
        if len(what.maps) > 1 and name in what.maps
    ]
    # an albedo's alpha is the opacity even if its name does not say so; see map_reader.py
    colors = [file for what, file in candidates if what.maps == ("albedo",) and not what.alpha]
    alphas = [
        replace(file, channel=3, doubtful=True)
        for what, file in candidates
        if what.alpha == name and (name != "opacity" or colors)
    ]
    return packed or alphas


def roughness_of_gloss(file: MapFile) -> tuple[MapFile, str]:
    """Return the roughness from a gloss map, and a note."""
    note = f"roughness: 1 minus the gloss of {file.path.name}, as there is no roughness."
    return replace(file, inverted=not file.inverted), note


def _best(name: str, candidates: list[Candidate], notes: list[str]) -> list[MapFile]:
    """Return the best of several files for a map if there is a clear one, else all."""
    if len(candidates) < 2:
        return [file for _, file in candidates]
    files = [file for _, file in candidates]
    if name == "normal" and len(found := _opengl_of(files, notes)) == 1:
        return found
    plain = [file for what, file in candidates if not what.alpha]
    if len(plain) == 1 and len(candidates) == 2:
        other = next(file for what, file in candidates if what.alpha)
        notes.append(f"{name}: taken from {plain[0].path.name}, not from {other.path.name}, whose "
                     "alpha is another map.")  # fmt: skip
        return plain
    variants = [_variant(file.path.stem) for file in files]
    if len({rest for *_, rest in variants}) == 1 < len(files) == len(set(variants)):
        best = files[variants.index(min(variants))]
        others = listed([file.path.name for file in files if file is not best])
        notes.append(f"{name}: taken from {best.path.name}, not from {others}, which has fewer "
                     "bits or less detail.")  # fmt: skip
        return [best]
    if len({file.path.with_suffix("").name.lower() for file in files}) == 1:
        best = min(files, key=_format_rank)
        others = listed([file.path.name for file in files if file is not best])
        notes.append(f"{name}: taken from {best.path.name}, not from {others} of the same name.")
        return [best]
    return files


def _variant(stem: str) -> tuple[int, int, str]:
    """Return the sort key of files of one map, the best first, and the name without variants.

    By bits, then levels of detail: "NRM16" before "NRM", "Normal" before "Normal_LOD0".
    """
    bits, detail, rest = 8, -1, stem
    for found in BITS.finditer(stem):
        if SINGLE.get(found[1].lower()) or found[2].lower().endswith(("bit", "bits")):
            bits = int(re.sub(r"\D", "", found[2]))
            rest = stem[: found.start(2)] + stem[found.end(2) :]
    if found_detail := DETAIL.search(rest):
        detail = int(found_detail[1])
        rest = rest[: found_detail.start()] + rest[found_detail.end() :]
    return -bits, detail, re.sub(r"[\W_]", "", rest.lower())


def _format_rank(file: MapFile) -> int:
    """Return the sort key of files of one name by the precision of their format, best first."""
    suffix = file.path.suffix.lower()
    return SUFFIX_RANK.index(suffix) if suffix in SUFFIX_RANK else len(SUFFIX_RANK)


def _opengl_of(files: list[MapFile], notes: list[str]) -> list[MapFile]:
    """Return the OpenGL map of an OpenGL and DirectX pair, else ``files`` unchanged."""
    gl, dx = ([file for file in files if file.convention == kind] for kind in CONVENTIONS)
    if len(gl) != 1 or len(dx) != 1 or len(files) != 2:
        return files
    names = gl[0].path.name, dx[0].path.name
    notes.append(f"normal: taken from {names[0]} (OpenGL), not from {names[1]} (DirectX).")
    return gl


def _check_one(place: str, name: str, files: list[MapFile]) -> None:
    if len(files) > 1:
        names = listed([file.path.name for file in files])
        raise ConfigError(
            f"{place}: got {len(files)} files for {name}: {names}; need one. "
            "Move the others away, or give the path of one by itself."
        )


def listed(names: Iterable[str]) -> str:
    """Return the names in one line, shortened."""
    names = [plain_name(name) for name in names]
    more = ", ..." if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
