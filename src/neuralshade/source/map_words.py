"""The words of texture files' names, and the map that each of them means."""

import itertools

MAPS = ("albedo", "normal", "roughness", "metallic", "ao")  # what mip levels are trained for
# What a file with such a word in its name holds; a list of words begins with the map's own name.
WORDS = {
    "albedo": ("albedo", "basecolor", "diff", "diffuse", "color", "col", "colour"),
    "normal": ("normal", "nor", "nrm", "norm", "normals", "normalmap"),
    "roughness": ("roughness", "rough", "rgh"),
    "metallic": ("metallic", "metalness", "metal"),
    "ao": ("ao", "ambientocclusion", "occlusion", "occ"),
    "displacement": ("displacement", "disp", "height"),
    "emissive": ("emissive", "emission"),
    "opacity": ("opacity", "alpha", "mask"),
    "specular": ("specular", "spec"),
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
NAMES = tuple(WORDS)  # of all maps that a name can say; MAPS come first
COLORS = ("albedo", "emissive")
EITHER = ("specular", "translucency", "transmission", "sheen", "fuzz")  # a color or one number
SINGLE = {word: name for name, words in WORDS.items() for word in words}
CONVENTIONS = {
    "opengl": ("gl", "ogl", "opengl"),
    "directx": ("dx", "directx"),
}
MARKERS = {word: name for name, words in CONVENTIONS.items() for word in words}
MARKED = {word + marker: [word, marker] for word in WORDS["normal"] for marker in MARKERS}
# No maps of a surface, but known, so that no other word of their names is taken. What is between
# two numbers of an id map means nothing.
LEFT_OUT = frozenset(["id", "preview", "thumbnail", "thumb"])
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
    packed["ord"] = packed["ordp"] = ("ao", "roughness", "displacement")  # Quixel
    return packed


PACKED = _packed()
WHOLE = SINGLE.keys() | MARKERS.keys() | PACKED.keys() | LEFT_OUT
