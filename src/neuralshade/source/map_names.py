"""What a texture file holds, told from its name."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MAPS = ("albedo", "normal", "roughness", "metallic", "ao")
WORDS = {
    "albedo": ("albedo", "basecolor", "diff", "diffuse", "color", "col", "colour"),
    "normal": ("normal", "nor", "nrm", "norm", "normals", "normalmap"),
    "roughness": ("roughness", "rough", "rgh"),
    "metallic": ("metallic", "metalness", "metal"),
    "ao": ("ao", "ambientocclusion", "occlusion", "occ"),
}
CONVENTIONS = {
    "opengl": ("gl", "ogl", "opengl"),
    "directx": ("dx", "directx"),
}
# Maps that a set has no use for, known so that no other word of their names is taken.
UNUSED = (
    "displacement disp height bump cavity curvature specular spec gloss glossiness smoothness "
    "emissive emission opacity alpha mask translucency transmission thickness id fuzz sheen "
    "anisotropy clearcoat preview thumbnail thumb"
)
LEFT_OUT = frozenset(UNUSED.split())
# Said before the name of a map, these make it a map of something else.
QUALIFIERS = (
    "emissive emission subsurface clearcoat coat sheen detail macro transmission translucency "
    "opacity"
)
OTHER_LAYERS = frozenset(QUALIFIERS.split())
LETTERS = {"o": "ao", "a": "ao", "r": "roughness", "m": "metallic"}
# Unreal's last letter of a name that begins with T_.
UNREAL = {"d": "diffuse", "bc": "basecolor", "n": "normal", "r": "roughness", "m": "metallic",
          "h": "height", "e": "emissive"}  # fmt: skip
# Resolutions, formats, tiles and levels of detail say nothing about what a file holds.
IDLE = re.compile(r"\d+k?|\d+x\d+|lod\d*|jpe?g|png|tiff?|exr|webp", re.IGNORECASE)
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


@dataclass(frozen=True)
class MapName:
    """What a name says: one map; several, one per channel from red on; or none that is used."""

    maps: tuple[str | None, ...]  # of MAPS; None is a channel that is not used; () left out
    convention: str | None = None  # "opengl" or "directx", of normals, where the name says it


def _packed() -> dict[str, tuple[str | None, ...]]:
    """Return the names of packed maps and what their red, green and blue hold."""
    packed: dict[str, tuple[str | None, ...]] = {}
    for occlusion in "oa":
        for order in itertools.permutations(f"{occlusion}rm"):
            packed["".join(order)] = tuple(LETTERS[letter] for letter in order)
    for order in itertools.permutations(("ao", "roughness", "metallic")):
        for words in itertools.product(*(WORDS[name] for name in order)):
            packed["".join(words)] = order
    # glTF's two share a picture in one order only, whichever is named first.
    for pair in itertools.product(WORDS["metallic"], WORDS["roughness"]):
        packed["".join(pair)] = packed["".join(reversed(pair))] = (None, "roughness", "metallic")
    packed["ord"] = packed["ordp"] = ("ao", "roughness", None)  # Quixel: the third displaces
    return packed


PACKED = _packed()
SINGLE = {word: name for name, words in WORDS.items() for word in words}
MARKERS = {word: name for name, words in CONVENTIONS.items() for word in words}
MARKED = {word + marker: [word, marker] for word in WORDS["normal"] for marker in MARKERS}
WHOLE = SINGLE.keys() | MARKERS.keys() | PACKED.keys() | LEFT_OUT


def map_name(stem: str) -> MapName | None:
    """Return what a file called ``stem`` (its name without the suffix) holds, or None.

    Words stand between punctuation or capitals; the last one that is known counts.
    """
    return _recognized(_words(stem))


def is_role(stem: str) -> bool:
    """Return whether ``stem`` says which map a file holds, and nothing of what it is a map of."""
    return "".join(_words(stem)) in SINGLE


def name_files(paths: Sequence[Path]) -> dict[Path, MapName | None]:
    """Return what each file holds by its name, None where it does not say.

    The words that all known files begin or end with name the material, not the map
    ("corrugated_metal_rough" beside "corrugated_metal_diff"), where two maps at least are
    told apart without them.
    """
    words = {path: _words(path.stem) for path in paths}
    plain = {path: _recognized(found) for path, found in words.items()}
    known = [words[path] for path, name in plain.items() if name is not None]
    first, last = _shared(known), _shared([found[::-1] for found in known])
    cut = {path: found[first : max(first, len(found) - last)] for path, found in words.items()}
    told = {path: _recognized(found) for path, found in cut.items()}
    if len({name.maps for name in told.values() if name and name.maps}) < 2:
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
            name = SINGLE[word]
            if before in OTHER_LAYERS or (name == "albedo" and before in ("specular", "spec")):
                return MapName(())
            if name != "normal":
                return MapName((name,))
            return MapName((name,), convention or MARKERS.get(before))
    return None
