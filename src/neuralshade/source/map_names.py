"""What a texture file holds, told from its name."""

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralshade.source.map_words import (
    COLORS,
    EITHER,
    LEFT_OUT,
    MAPS,
    MARKED,
    MARKERS,
    OTHER_LAYERS,
    PACKED,
    SINGLE,
    UNREAL,
    WHOLE,
)

# Resolutions, formats, tiles and levels of detail say nothing about what a file holds.
IDLE = re.compile(r"\d+k?|\d+x\d+|lod\d*|jpe?g|png|tiff?|exr|webp", re.IGNORECASE)
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True)
class MapName:
    """What a name says: one map; several, one per channel from red on; or none at all."""

    maps: tuple[str | None, ...]  # keys of WORDS; None is a channel that is not used; () left out
    convention: str | None = None  # "opengl" or "directx", of normals, where the name says it

    def holds(self, maps: Collection[str]) -> bool:
        """Return whether any of ``maps`` is there."""
        return any(name in maps for name in self.maps)


def map_name(stem: str) -> MapName | None:
    """Return what a file called ``stem`` (its name without the suffix) holds, or None.

    Words stand between punctuation or capitals; the last one that is known counts.
    """
    return _recognized(_words(stem))


def is_role(stem: str, maps: Collection[str] = MAPS) -> bool:
    """Return whether ``stem`` says which of ``maps`` a file holds, and not of what surface."""
    return SINGLE.get("".join(_words(stem))) in maps


def key_name(key: str) -> MapName | None:
    """Return what a key of a manifest holds that says no more than that, as files' names do.

    "baseColor", "normal_dx", "metallicRoughness"; None for what would be a name of one's own.
    """
    words = _words(key)
    markers = [word for word in words if word in MARKERS]
    word = "".join(word for word in words if word not in MARKERS)
    if word in PACKED and not markers:
        return MapName(PACKED[word])
    name = SINGLE.get(word)
    if name is None or (markers and name != "normal"):
        return None
    return MapName((name,), MARKERS[markers[0]] if markers else None)


def name_files(paths: Sequence[Path], maps: Collection[str] = MAPS) -> dict[Path, MapName | None]:
    """Return what each file holds by its name, None where it does not say.

    The words that all known files begin or end with name the material, not the map
    ("corrugated_metal_rough" beside "corrugated_metal_diff"), where two of ``maps`` at least
    are told apart without them.
    """
    words = {path: _words(path.stem) for path in paths}
    plain = {path: _recognized(found) for path, found in words.items()}
    known = [words[path] for path, name in plain.items() if name is not None]
    first, last = _shared(known), _shared([found[::-1] for found in known])
    cut = {path: found[first : max(first, len(found) - last)] for path, found in words.items()}
    told = {path: _recognized(found) for path, found in cut.items()}
    if len({name.maps for name in told.values() if name and name.holds(maps)}) < 2:
        return plain
    return told


def _shared(lists: list[list[str]]) -> int:
    """Return how many words all lists begin with; 0 for fewer than two lists."""
    if len(lists) < 2:
        return 0
    alike = itertools.takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))
    return sum(1 for _ in alike)


def _words(stem: str) -> list[str]:
    """Return the words of a name in lower case, without those that say nothing."""
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
        elif word in PACKED:
            return MapName(PACKED[word])
        elif word in SINGLE:
            name = _named_by(word, before)
            if name != "normal":
                return MapName((name,) if name else ())
            return MapName((name,), convention or MARKERS.get(before))
    return None


def _named_by(word: str, before: str) -> str | None:
    """Return the map that ``word`` means after another; None for one that is left out."""
    name, other = SINGLE[word], SINGLE.get(before)
    if name == other:
        return name  # "opacity mask"
    if before in OTHER_LAYERS or (name == "albedo" and other == "specular"):
        return other if name == "albedo" and other in (*COLORS, *EITHER) else None
    # Of what a mask is, its name says; smoothness after metallic lies in alpha alone (Unity).
    if other is not None and (word == "mask" or (word == "smoothness" and other == "metallic")):
        return None
    return name
