"""The encodings that a recipe can name, and the text that names them.

    dense_grid:width=64,height=64,features=8 + frequency:octaves=2

is a concatenation of parts joined by ``+``; each part is a kind and its settings.
"""

import inspect
import re

import torch

from neuralshade.base.did_you_mean import nearest
from neuralshade.base.message_text import named, shown
from neuralshade.errors import ConfigError
from neuralshade.model.cell_wave import CellWave
from neuralshade.model.composite import Composite
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.encoding import Encoding
from neuralshade.model.frequency import Frequency
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.identity import Identity
from neuralshade.model.one_blob import OneBlob
from neuralshade.model.triangle_wave import TriangleWave

ENCODINGS: dict[str, type[Encoding]] = {
    "identity": Identity,
    "frequency": Frequency,
    "triangle_wave": TriangleWave,
    "one_blob": OneBlob,
    "cell_wave": CellWave,
    "dense_grid": DenseGrid,
    "hash_grid": HashGrid,
}
LIMITS = {  # smallest and largest value of every setting above
    "octaves": (1, 24),
    "bins": (1, 1024),
    "levels": (1, 32),
    "features": (1, 64),
    "log2_entries": (4, 26),
    "coarsest": (1, 65_536),
    "finest": (1, 1_048_576),
    "width": (1, 65_536),
    "height": (1, 65_536),
}


def defaults_of(kind: str) -> dict[str, int]:
    """Return the settings of an encoding kind and their defaults."""
    parameters = inspect.signature(ENCODINGS[kind].__init__).parameters.values()
    return {p.name: p.default for p in parameters if p.name not in ("self", "rng")}


def parse_encoding(text: str) -> list[tuple[str, dict[str, int]]]:
    """Return the parts that ``text`` names with all their settings; ConfigError if it can't."""
    return [_parse_part(part.strip()) for part in text.split("+")]


def format_encoding(parts: list[tuple[str, dict[str, int]]]) -> str:
    """Return the text that ``parse_encoding`` reads back as ``parts``."""
    texts = []
    for kind, settings in parts:
        listed = ",".join(f"{name}={value}" for name, value in settings.items())
        texts.append(f"{kind}:{listed}" if listed else kind)
    return " + ".join(texts)


def build_encoding(text: str, rng: torch.Generator | None) -> Encoding:
    """Build what ``text`` names; its trainable numbers are drawn from ``rng``."""
    parts: list[Encoding] = []
    for kind, settings in parse_encoding(text):
        drawn = {"rng": rng} if kind in ("dense_grid", "hash_grid") else {}
        parts.append(ENCODINGS[kind](**settings, **drawn))
    return Composite(parts)


def _parse_part(text: str) -> tuple[str, dict[str, int]]:
    kind, _, listed = text.partition(":")
    kind = kind.strip()
    if kind not in ENCODINGS:
        raise ConfigError(f"encoding: got {shown(kind)}, need one of {list(ENCODINGS)}."
                          f"{nearest(kind, ENCODINGS)}")  # fmt: skip
    settings, given = defaults_of(kind), set[str]()
    for item in filter(None, (item.strip() for item in listed.split(","))):
        name, _, value = (piece.strip() for piece in item.partition("="))
        if name not in settings:
            raise ConfigError(f"encoding {kind}.{named(name)}: unknown setting, need one of "
                              f"{list(settings)}.{nearest(name, settings)}")  # fmt: skip
        if name in given:
            raise ConfigError(f"encoding {kind}.{name}: got it twice, need it once. "
                              "Leave one out.")  # fmt: skip
        given.add(name)
        settings[name] = _number(f"encoding {kind}.{name}", value, *LIMITS[name])
    if kind == "hash_grid" and settings["levels"] > 1 and settings["coarsest"] > settings["finest"]:
        raise ConfigError(f"encoding {kind}.coarsest: got {settings['coarsest']}, need at most "
                          f"finest={settings['finest']}. Lower coarsest.")  # fmt: skip
    return kind, settings


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
