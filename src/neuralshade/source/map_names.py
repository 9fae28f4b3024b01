"""What a texture file holds, told from its name."""

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

# Resolutions, formats, tiles and levels of detail say nothing about what a file holds.
IDLE = re.compile(r"\d+k?|\d+x\d+|lod\d*|jpe?g|png|tiff?|exr|webp", re.IGNORECASE)
LONGEST_JOINED = 4  # words: "ambient_occlusion_rough_metal"
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True)
class MapName:
    """What a name says: one map; several, one per channel from red on; or none at all."""

    maps: tuple[str | None, ...]  # keys of WORDS; None is a channel that is not used; () left out
    convention: str | None = None  # "opengl" or "directx", of normals, where the name says it
    alpha: str | None = None  # what the alpha of a single map holds, where the name says it

    @property
    def all(self) -> tuple[str, ...]:
        """Return every map that is there."""
        return tuple(name for name in (*self.maps, self.alpha) if name)

    def holds(self, maps: Collection[str]) -> bool:
        """Return whether any of ``maps`` is there."""
        return any(name in maps for name in self.all)


OPACITY = MapName(("opacity",))


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
    if not markers and (together := _together(word)):
        return together
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
    known_words = {path: words[path] for path, name in plain.items() if name is not None}
    if len({name.maps for name in told.values() if name and name.holds(maps)}) < 2:
        told = plain
    return {path: MapName(()) if name == OPACITY and _is_other_mask(known_words, path) else name
            for path, name in told.items()}  # fmt: skip


def _is_other_mask(words: Mapping[Path, list[str]], path: Path) -> bool:
    """Return whether the mask ``path`` is one of something: "dirt_mask" beside "leaf_albedo".

    What stands before "mask" names the material alone where another file begins so, too.
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
    """Return the several maps that a word names, one per channel or one in the alpha."""
    if word in PACKED:
        return MapName(PACKED[word])
    if word in WITH_ALPHA:
        name, alpha = WITH_ALPHA[word]
        return MapName((name,), alpha=alpha)
    return None


def _joined(words: list[str]) -> MapName | None:
    """Return what the last words mean together: "mask_map", "ao_rough_metal", "albedo_alpha"."""
    for count in (LONGEST_JOINED, LONGEST_JOINED - 1, 2):
        word = "".join(words[-count:])
        if len(words) >= count and word in JOINED:
            return _together(word) or MapName((SINGLE[word],))
    return None


def _named_by(word: str, before: str) -> str | None:
    """Return the map that ``word`` means after another; None for one that is left out."""
    name, other = SINGLE[word], SINGLE.get(before)
    if name == other:
        return name  # "opacity mask"
    if before in OTHER_LAYERS or (name == "albedo" and other == "specular"):
        return other if name == "albedo" and other in (*COLORS, *EITHER) else None
    # Of what a mask is, its name says.
    if word == "mask" and (other is not None or before in OTHER_MASKS):
        return None
    return name
