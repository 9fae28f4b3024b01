"""Vocabulary of texture file names: the map of each word."""

import itertools

MAPS = ("albedo", "normal", "roughness", "metallic", "ao")  # used in shading
# Words of each map's file names; the first is the map's own name.
WORDS = {
    "albedo": (
        "albedo",
        "basecolor",
        "diff",
        "diffuse",
        "color",
        "col",
        "colour",
        "basecolour",
        "basemap",
        "diffusecolor",
        "maintex",
        "alb",
        "dif",
    ),
    "normal": ("normal", "nor", "nrm", "norm", "normals", "normalmap", "nml"),
    "roughness": ("roughness", "rough", "rgh"),
    "metallic": ("metallic", "metalness", "metal", "mtl"),
    "ao": ("ao", "ambientocclusion", "occlusion", "occ"),
    "displacement": ("displacement", "disp", "height", "hgt"),
    "emissive": ("emissive", "emission", "emit"),
    "opacity": ("opacity", "alpha", "mask", "cutout"),
    "specular": ("specular", "spec", "reflection", "refl"),
    "gloss": ("gloss", "glossiness", "smoothness"),
    "bump": ("bump",),
    "cavity": ("cavity",),
    "curvature": ("curvature",),
    "translucency": ("translucency",),
    "transmission": ("transmission",),
    "thickness": ("thickness",),
    "fuzz": ("fuzz",),
    "sheen": ("sheen",),
    "anisotropy": ("anisotropy",),
    "clearcoat": ("clearcoat",),
}
NAMES = tuple(WORDS)  # of all maps that a name can mean; MAPS come first
COLORS = ("albedo", "emissive")
EITHER = ("specular", "translucency", "transmission", "sheen", "fuzz")  # a color or one number
SINGLE = {word: name for name, words in WORDS.items() for word in words}
SINGLE |= {f"{word}map": name for word, name in SINGLE.items() if word != "mask"}
CONVENTIONS = {
    "opengl": ("gl", "ogl", "opengl"),
    "directx": ("dx", "directx"),
}
MARKERS = {word: name for name, words in CONVENTIONS.items() for word in words}
MARKED = {word + marker: [word, marker] for word in WORDS["normal"] for marker in MARKERS}
# Other known files, which are no maps of a surface: so no other word of their names is used.
# Interpolated values of an id map mean nothing.
LEFT_OUT = frozenset(["id", "preview", "thumbnail", "thumb"])
# Beside "normal", these words mean another space than tangent space.
OTHER_SPACES = frozenset(["world", "worldspace", "ws", "object", "objectspace", "os", "bent"])
# Before "mask", these words mean a place, not a surface.
MASKED = (
    "dirt dust wear edge edges rust moss mud snow wetness wet water blend grunge scratch "
    "scratches paint leak leaks stain stains crack cracks tint material mat region layer "
    "vertex damage smudge fingerprint"
)
OTHER_MASKS = frozenset(MASKED.split())
# Before the name of a map, these words make it a map of something else.
QUALIFIERS = (
    "emissive emission subsurface clearcoat coat sheen detail macro transmission translucency "
    "opacity"
)
OTHER_LAYERS = frozenset(QUALIFIERS.split())
LETTERS = {"o": "ao", "a": "ao", "r": "roughness", "m": "metallic"}
# Unreal's last letter of a name that starts with T_.
UNREAL = {"d": "diffuse", "b": "basecolor", "bc": "basecolor", "n": "normal", "r": "roughness",
          "m": "metallic", "h": "height", "e": "emissive"}  # fmt: skip
# Unity's: detail, which is not supported, is None.
MASK_MAP = ("metallic", "ao", None, "gloss")
# A color whose alpha is another map.
TRANSPARENT = ("alpha", "opacity", "transparency", "cutout")


def _letters() -> dict[str, tuple[str | None, ...]]:
    """Return the packed maps of letters, in the order of channels."""
    packed: dict[str, tuple[str | None, ...]] = {}
    for occlusion in ("o", "a", "ao"):
        for order in itertools.permutations((occlusion, "r", "m")):
            maps = tuple(LETTERS[letter[0]] for letter in order)
            packed["".join(order)] = maps
            packed["".join(order) + "h"] = (*maps, "displacement")
    packed["ord"] = packed["ordp"] = ("ao", "roughness", "displacement")  # Quixel
    packed["mads"] = packed["mods"] = packed["maskmap"] = MASK_MAP
    packed["mohs"] = packed["mahs"] = ("metallic", "ao", "displacement", "gloss")
    return packed


def _packed_words() -> dict[str, tuple[str | None, ...]]:
    """Return the packed maps of words in sequence, whatever separates them."""
    packed: dict[str, tuple[str | None, ...]] = {}
    for order in itertools.permutations(("ao", "roughness", "metallic")):
        for words in itertools.product(*(WORDS[name] for name in order)):
            packed["".join(words)] = order
    # Poly Haven's: occlusion is red in either order.
    for pair in itertools.product(WORDS["ao"], WORDS["roughness"]):
        packed["".join(pair)] = packed["".join(reversed(pair))] = ("ao", "roughness", None)
    # glTF's two share a picture in one order only; a short first word may be a material's.
    for pair in itertools.product(("metallic", "metalness"), ("roughness",)):
        packed["".join(pair)] = packed["".join(reversed(pair))] = (None, "roughness", "metallic")
    for pair in itertools.product(WORDS["metallic"], WORDS["gloss"]):  # Unity's
        packed["".join(pair)] = ("metallic", None, None, "gloss")
    packed["maskmap"] = MASK_MAP
    return packed


def _closed_pairs() -> dict[str, tuple[str | None, ...]]:
    """Return glTF's two maps in one word: "metalRoughness"."""
    packed: dict[str, tuple[str | None, ...]] = {}
    for pair in itertools.product(WORDS["metallic"], WORDS["roughness"]):
        packed["".join(pair)] = packed["".join(reversed(pair))] = (None, "roughness", "metallic")
    return packed


def _with_alpha() -> dict[str, tuple[str, str]]:
    """Return color maps with another map in their alpha: "AlbedoTransparency"."""
    pairs = [("albedo", "opacity", TRANSPARENT), ("albedo", "gloss", WORDS["gloss"]),
             ("specular", "gloss", WORDS["gloss"])]  # fmt: skip
    return {
        color + of: (name, alpha)
        for name, alpha, words in pairs
        for color, of in itertools.product(WORDS[name], words)
    }


PACKED_WORDS = _packed_words()
PACKED = {**_closed_pairs(), **PACKED_WORDS, **_letters()}
WITH_ALPHA = _with_alpha()
# Words whose meaning together differs from the last one's.
JOINED = {*PACKED_WORDS, *WITH_ALPHA, "basemap"}
WHOLE = SINGLE.keys() | MARKERS.keys() | PACKED.keys() | WITH_ALPHA.keys() | LEFT_OUT
