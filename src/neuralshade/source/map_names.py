"""Map recognition: what a texture file holds, by the words of its name."""

import itertools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralshade.source.map_words import (
    COLORS,
    EITHER,
    JOINED,
    LEFT_OUT,
    MAPS,
    MARKED,
    MARKERS,
    OTHER_LAYERS,
    OTHER_MASKS,
    OTHER_SPACES,
    PACKED,
    SINGLE,
    UNREAL,
    WHOLE,
    WITH_ALPHA,
)

# Resolutions, formats, tiles and levels of detail are ignored.
IDLE = re.compile(r"\d+k?|\d+x\d+|lod\d*|jpe?g|png|tiff?|exr|webp", re.IGNORECASE)
LONGEST_JOINED = 4  # words: "ambient_occlusion_rough_metal"
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True)
class MapName:
    """Maps by a name: one map; several, one per channel from red on; or none."""

    maps: tuple[str | None, ...]  # keys of WORDS; None is an unused channel; () for ignored files
    convention: str | None = None  # "opengl" or "directx", of normals, if in the name
    alpha: str | None = None  # map in the alpha of a single map, if in the name

    @property
    def all(self) -> tuple[str, ...]:
        """Return all maps."""
        return tuple(name for name in (*self.maps, self.alpha) if name)

    def holds(self, maps: Collection[str]) -> bool:
        """Return whether any of ``maps`` is among them."""
        return any(name in maps for name in self.all)


OPACITY = MapName(("opacity",))


def map_name(stem: str) -> MapName | None:
    """Return the maps of a file called ``stem`` (its name without the suffix), or None.

    Words are separated by punctuation or capitals; the last known one counts.
    """
    return _recognized(_words(stem))


def is_role(stem: str, maps: Collection[str] = MAPS) -> bool:
    """Return whether ``stem`` names only which of ``maps`` a file holds, and no surface."""
    return SINGLE.get("".join(_words(stem))) in maps


def key_name(key: str) -> MapName | None:
    """Return the maps of a manifest's key that has no other words, as in files' names.

    "baseColor", "normal_dx", "metallicRoughness"; None for a custom name.
    """
    words = _words(key)
    markers = [word for word in words if word in MARKERS]
    word = "".join(word for word in words if word not in MARKERS)
    if not markers and (together := _together(word)):
        return together
    name = SINGLE.get(word)
    if name is None or (markers and name != "normal"):
        return None
    return MapName((name,), MARKERS[markers[0]] if markers else None)


def name_files(paths: Sequence[Path], maps: Collection[str] = MAPS) -> dict[Path, MapName | None]:
    """Return the maps of each file by its name, None for unknown ones.

    Words that all recognized files begin or end with name the material, not the map
    ("corrugated_metal_rough" beside "corrugated_metal_diff"), if at least two of ``maps`` are
    distinguished without them.
    """
    words = {path: _words(path.stem) for path in paths}
    plain = {path: _recognized(found) for path, found in words.items()}
    known = [words[path] for path, name in plain.items() if name is not None]
    first, last = _shared(known), _shared([found[::-1] for found in known])
    cut = {path: found[first : max(first, len(found) - last)] for path, found in words.items()}
    recognized = {path: _recognized(found) for path, found in cut.items()}
    known_words = {path: words[path] for path, name in plain.items() if name is not None}
    if len({name.maps for name in recognized.values() if name and name.holds(maps)}) < 2:
        recognized = plain
    return {path: MapName(()) if name == OPACITY and _is_other_mask(known_words, path) else name
            for path, name in recognized.items()}  # fmt: skip


def _is_other_mask(words: Mapping[Path, list[str]], path: Path) -> bool:
    """Return whether the mask ``path`` masks something: "dirt_mask" beside "leaf_albedo".

    Words before "mask" name the material if another file begins with them, too.
    """
    found = words[path]
    if "mask" not in found:
        return False
    before = found[: len(found) - 1 - found[::-1].index("mask")]
    if not before or SINGLE.get(before[-1]) == "opacity":
        return False
    others = [other for one, other in words.items() if one != path]
    return bool(others) and all(other[: len(before)] != before for other in others)


def _shared(lists: list[list[str]]) -> int:
    """Return the number of words at the start of all lists; 0 for fewer than two lists."""
    if len(lists) < 2:
        return 0
    alike = itertools.takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))
    return sum(1 for _ in alike)


def _words(stem: str) -> list[str]:
    """Return the words of a name in lower case, without ignored ones."""
    words: list[str] = []
    for piece in re.split(r"[\W_]+", stem):
        small = piece.lower()
        if small in MARKED:
            words += MARKED[small]
        elif small in WHOLE:
            words.append(small)
        elif not IDLE.fullmatch(piece):
            parts = [part.lower() for part in CAMEL.findall(piece) if not part.isdigit()]
            if parts[-2:] == ["direct", "x"]:  # of "NormalDirectX"; other pairs end in their word
                parts[-2:] = ["directx"]
            words += parts
    if len(words) > 1 and words[0] == "t" and words[-1] in UNREAL:
        words[-1] = UNREAL[words[-1]]
    return words


def _recognized(words: list[str]) -> MapName | None:
    convention = None
    for place in reversed(range(len(words))):
        word, before = words[place], words[place - 1] if place else ""
        if word in MARKERS:
            convention = convention or MARKERS[word]
        elif word in LEFT_OUT:
            return MapName(())
        elif together := _together(word) or _joined(words[: place + 1]):
            return together
        elif word in SINGLE:
            name = _named_by(word, before)
            if name != "normal":
                return MapName((name,) if name else ())
            if OTHER_SPACES.intersection((*words[max(0, place - 2) : place], *words[place + 1 :])):
                return MapName(())
            return MapName((name,), convention or MARKERS.get(before))
    return None


def _together(word: str) -> MapName | None:
    """Return the maps of a word for several, one per channel or one in the alpha."""
    if word in PACKED:
        return MapName(PACKED[word])
    if word in WITH_ALPHA:
        name, alpha = WITH_ALPHA[word]
        return MapName((name,), alpha=alpha)
    return None


def _joined(words: list[str]) -> MapName | None:
    """Return the maps of the last words together: "mask_map", "ao_rough_metal", "albedo_alpha"."""
    for count in (LONGEST_JOINED, LONGEST_JOINED - 1, 2):
        word = "".join(words[-count:])
        if len(words) >= count and word in JOINED:
            return _together(word) or MapName((SINGLE[word],))
    return None


def _named_by(word: str, before: str) -> str | None:
    """Return the map of ``word`` after another; None for an ignored one."""
    name, other = SINGLE[word], SINGLE.get(before)
    if name == other:
        return name  # "opacity mask"
    if before in OTHER_LAYERS or (name == "albedo" and other == "specular"):
        return other if name == "albedo" and other in (*COLORS, *EITHER) else None
    # the words before name what is masked
    if word == "mask" and (other is not None or before in OTHER_MASKS):
        return None
    return name
