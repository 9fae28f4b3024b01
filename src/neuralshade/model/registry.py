"""Registry of encodings, and the text form in recipes.

    dense_grid:width=64,height=64,features=8 + frequency:octaves=2

is a concatenation of parts joined by ``+``; each part is a kind and its settings.

A picture has positions (u, v), other tasks longer ones. Grids and cell_wave take the first two
numbers, the others all, or ``dimensions`` of them from number ``first`` on. For (u, v), and for
(u, v, level):

    one_blob:bins=9,dimensions=1 + frequency:octaves=4,first=1      (each sees one of both)
    dense_grid:width=64,height=64 + frequency:octaves=4             (the waves see all three)
    dense_grid:width=64,height=64 + frequency:octaves=4,first=2     (they see the level alone)
"""

import re
from importlib import import_module

import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named, shown
from neuralshade.base.plugins import names
from neuralshade.errors import ConfigError
from neuralshade.model.composite import Composite
from neuralshade.model.encoding import AxisEncoding, Encoding, is_drawn, settings_of

PACKAGE = "neuralshade.model"
ENCODINGS = {  # classes of this folder; a fit loads those that its recipe names
    "identity": "Identity",
    "frequency": "Frequency",
    "triangle_wave": "TriangleWave",
    "one_blob": "OneBlob",
    "cell_wave": "CellWave",
    "dense_grid": "DenseGrid",
    "hash_grid": "HashGrid",
    "staggered_grid": "StaggeredGrid",
    "tile_grid": "TileGrid",
}
LIMITS = {  # smallest and largest value of every setting above
    "octaves": (1, 24),
    "bins": (1, 1024),
    "levels": (1, 32),
    "features": (1, 64),
    "log2_entries": (4, 26),
    "coarsest": (1, 65_536),
    "finest": (1, 1_048_576),
    "growth_ppb": (10**9, 10**11),
    "width": (1, 65_536),
    "height": (1, 65_536),
    "tile": (8, 128),
    "texels": (4, 2**24 - 1),
    "first": (0, 63),
    "dimensions": (1, 64),
    "smooth": (0, 1),
    "wrapped": (0, 1),
    "shifted": (0, 1),
}
# settings that texts omit when they are 0, as texts from before they existed do
OMITTED_ZERO = ("smooth", "wrapped", "shifted")
PICTURE = {"first": 0, "dimensions": 2}  # of a picture's positions, the default
Parts = list[tuple[str, dict[str, int]]]


def encoding_named(kind: str) -> type[Encoding]:
    """Return an encoding of this package, or of another that is installed.

    Raises: ConfigError for an unknown name, and for a plug-in that is no
        encoding.
    """
    if kind in ENCODINGS:
        ours: type[Encoding] = getattr(import_module(f"{PACKAGE}.{kind}"), ENCODINGS[kind])
        return ours
    from neuralshade.model.foreign_encoding import foreign_encoding  # loads the checks

    found = foreign_encoding(kind, ENCODINGS)
    if found is None:
        known = names("encoding", ENCODINGS)
        raise ConfigError(f"encoding: got {shown(kind)}, need one of {known}."
                          f"{did_you_mean(kind, known)}")  # fmt: skip
    return found


def defaults_of(kind: str) -> dict[str, int]:
    """Return the settings of an encoding kind and their defaults."""
    return settings_of(encoding_named(kind))


def foreign_kinds(text: str) -> list[str]:
    """Return the kinds in ``text`` that belong to other packages."""
    kinds = (part.partition(":")[0].strip() for part in text.split("+"))
    return sorted({kind for kind in kinds if kind not in ENCODINGS})


def parse_encoding(text: str, dimensions: int = 2) -> Parts:
    """Return the parts of ``text`` with all their settings.

    ``dimensions``: numbers of a position. Per-axis kinds also have the settings ``first`` and
    ``dimensions``; not where they take both of two.

    Raises: ConfigError where it cannot be parsed, or leaves a coordinate out.
    """
    parts = [_parse_part(part.strip(), dimensions) for part in text.split("+")]
    seen = {number for part in parts for number in range(*_span(*part))}
    for number in range(dimensions):
        if number not in seen:
            raise ConfigError(f"encoding: got no part for number {number} of positions of "
                              f"{dimensions}, need one for each. "
                              f"Add frequency:first={number}.")  # fmt: skip
    return parts


def _span(kind: str, settings: dict[str, int]) -> tuple[int, int]:
    """Return the first coordinate that a part takes, and the one after its last."""
    first = settings.get("first", 0)
    return first, first + settings.get("dimensions", 2)


def format_encoding(parts: Parts) -> str:
    """Return the text that ``parse_encoding`` parses to ``parts``."""
    texts = []
    for kind, settings in parts:
        listed = ",".join(f"{name}={value}" for name, value in settings.items()
                          if value or name not in OMITTED_ZERO)  # fmt: skip
        texts.append(f"{kind}:{listed}" if listed else kind)
    return " + ".join(texts)


def build_encoding(text: str, rng: torch.Generator | None, dimensions: int = 2) -> Encoding:
    """Build the encoding of ``text`` for positions of so many numbers.

    Its trainable numbers are drawn from ``rng``.
    """
    parts: list[Encoding] = []
    firsts: list[int] = []
    for kind, settings in parse_encoding(text, dimensions):
        firsts.append(settings.pop("first", 0))
        of_kind = encoding_named(kind)
        drawn = {"rng": rng} if is_drawn(of_kind) else {}
        parts.append(of_kind(**settings, **drawn))
    return Composite(parts, firsts)


def _parse_part(text: str, dimensions: int) -> tuple[str, dict[str, int]]:
    kind, _, listed = text.partition(":")
    kind = kind.strip()
    of_kind = encoding_named(kind)
    settings, found = settings_of(of_kind), set[str]()
    per_axis = issubclass(of_kind, AxisEncoding)
    if per_axis:
        settings |= {"first": 0, "dimensions": dimensions}
    for item in filter(None, (item.strip() for item in listed.split(","))):
        name, _, value = (piece.strip() for piece in item.partition("="))
        if name not in settings:
            raise ConfigError(f"encoding {kind}.{named(name)}: unknown setting, need one of "
                              f"{list(settings)}.{did_you_mean(name, settings)}")  # fmt: skip
        if name in found:
            raise ConfigError(f"encoding {kind}.{name}: got it twice, need it once. "
                              "Leave one out.")  # fmt: skip
        found.add(name)
        limits = of_kind.limits.get(name) or LIMITS[name]
        settings[name] = _number(f"encoding {kind}.{name}", value, *limits)
    if kind == "hash_grid" and settings["levels"] > 1 and settings["coarsest"] > settings["finest"]:
        raise ConfigError(f"encoding {kind}.coarsest: got {settings['coarsest']}, need at most "
                          f"finest={settings['finest']}. Lower coarsest.")  # fmt: skip
    if kind == "staggered_grid":
        _check_staggered(settings)
    if kind == "tile_grid":
        from neuralshade.model.tile_grid import check_texels

        check_texels(*(settings[name] for name in ("width", "height", "tile", "texels")))
    if per_axis and "dimensions" not in found:
        settings["dimensions"] = max(1, dimensions - settings["first"])
    first, end = _span(kind, settings)
    if end > dimensions:
        raise ConfigError(f"encoding {kind}: got numbers {first} to {end - 1} of a position, need "
                          f"them below {dimensions}. Lower first or dimensions.")  # fmt: skip
    if per_axis and dimensions == 2 and PICTURE.items() <= settings.items():
        settings = {name: value for name, value in settings.items() if name not in PICTURE}
    return kind, settings


def _check_staggered(settings: dict[str, int]) -> None:
    """Raise ConfigError where levels of a staggered grid grow beyond the finest of all."""
    coarsest, steps, most = settings["coarsest"], settings["levels"] - 1, LIMITS["finest"][1]
    if not steps or coarsest * (settings["growth_ppb"] / 1e9) ** steps <= most:
        return
    largest = int(1e9 * (most / coarsest) ** (1 / steps))
    raise ConfigError(f"encoding staggered_grid.growth_ppb: got {settings['growth_ppb']}, need at "
                      f"most {largest} for {steps + 1} levels from {coarsest}. "
                      "Lower it.")  # fmt: skip


def _number(place: str, text: str, low: int, high: int) -> int:
    # few digits: Python refuses to read numbers of thousands
    number = int(text) if re.fullmatch("[-+]?[0-9]{1,18}", text) else None
    if number is None or not low <= number <= high:
        raise ConfigError(f"{place}: got {shown(text)}, need a whole number from {low} to {high}. "
                          f"Write for example {place.rpartition('.')[2]}={low}.")  # fmt: skip
    return number


def parameter_count(text: str) -> int:
    """Return how many trainable numbers the encoding ``text`` has, without allocating them."""
    with torch.device("meta"):
        encoding = build_encoding(text, None)
    return sum(p.numel() for p in encoding.parameters())
