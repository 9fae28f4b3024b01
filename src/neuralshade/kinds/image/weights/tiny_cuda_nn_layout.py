"""Layout of tiny-cuda-nn's parameters in its one vector.

The network's matrices come first, then the encoding's grids. Matrices are row-major
[outputs, inputs] without biases; inputs and outputs are padded to a multiple of 16. The padding
inputs are 1 after waves and the identity, so that their weights are a bias, and 0 after grids.

Source: tiny-cuda-nn, network_with_input_encoding.h, fully_fused_mlp.cu, cutlass_mlp.cu,
encodings/*.h, set_padded_output_width of encodings/composite.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.image.config_section import Section
from neuralshade.kinds.image.tiny_cuda_nn_encodings import COORDINATES, nested_parts
from neuralshade.model.registry import LIMITS
from neuralshade.model.staggered_grid import PPB, staggered_levels

ALIGNMENT = 16  # of the network's inputs and outputs
HELD = ("Composite", "Identity", "Frequency", "TriangleWave", "OneBlob", "Grid", "HashGrid",
        "DenseGrid")  # fmt: skip
OTHERS = {  # why they are not supported
    "TiledGrid": "tiled grids are not held",
    "SphericalHarmonics": "it is of directions",
    "OneBlobFrequency": "it has parts that are not held",
    "NRC": "it has parts that are not held",
    "Empty": "it gives no numbers",
}
FEATURES = (1, 2, 4, 8)  # per level of a grid there
INTERPOLATIONS = {"Linear": "", "Smoothstep": ",smooth=1"}
LEVELS_LOG2 = 26  # of the entries of a level here


@dataclass(frozen=True)
class EncodingPart:
    """One encoding: ours, and its place in their vector.

    Its columns there are ``scale`` times ours plus ``offset``.
    """

    text: str
    width: int  # numbers that it outputs
    features: int = 1  # its columns start at a multiple of this
    filled: float = 1.0  # the value of its padding columns
    scale: float = 1.0
    offset: float = 0.0
    entries: tuple[int, ...] = field(default=())  # of each level of a grid


def encoding_parts(section: Section) -> list[EncodingPart]:
    """Return the encodings of a configuration's section, those of a composite separately.

    Raises: ConfigError naming a key that is unknown or that no image asset holds.
    """
    if _otype(section) == "composite":
        section.take("otype", None)
        parts = []
        for one, first, count in nested_parts(section):
            parts.append(_part(one, first, count))
            one.finish()
        return parts
    return [_part(section, 0, COORDINATES)]


def _otype(section: Section) -> str:
    found = section.left.get("otype", "OneBlob")
    other = {name.lower(): name for name in OTHERS}
    if isinstance(found, str) and found.lower() in other:
        name = other[found.lower()]
        raise ConfigError(f"{section.place}.otype: got {shown(found)}, need one of {list(HELD)}: "
                          f"{OTHERS[name]}. Train with one of those.")  # fmt: skip
    return str(found).lower()


def _part(section: Section, first: int, count: int) -> EncodingPart:
    kind = _otype(section)
    nested = [name for name in HELD if name != "Composite"]
    section.choice("otype", {name: name for name in nested}, "OneBlob")
    place = "" if count == COORDINATES else f",first={first},dimensions={count}"
    if kind == "identity":
        return EncodingPart(f"identity:{place[1:]}".rstrip(":"), count,
                    scale=section.number("scale", 1.0, float),
                    offset=section.number("offset", 0.0, float))  # fmt: skip
    if kind == "frequency":
        octaves = _within(section, "n_frequencies", 12, *LIMITS["octaves"])
        return EncodingPart(f"frequency:octaves={octaves}{place}", 2 * octaves * count)
    if kind == "trianglewave":  # theirs is in [-1, 1], ours in [0, 1]
        octaves = _within(section, "n_frequencies", 12, *LIMITS["octaves"])
        return EncodingPart(f"triangle_wave:octaves={octaves},shifted=1{place}", octaves * count,
                    scale=2.0, offset=-1.0)  # fmt: skip
    if kind == "oneblob":
        bins = section.number("n_bins", 16)
        if bins not in (2**i for i in range(LIMITS["bins"][1].bit_length())):
            raise ConfigError(f"{section.place}.n_bins: got {shown(bins)}, need a power of 2 up to "
                              f"{LIMITS['bins'][1]}, as tiny-cuda-nn has them. Check the "
                              "config.")  # fmt: skip
        return EncodingPart(f"one_blob:bins={bins},wrapped=1{place}", bins * count)
    if count != COORDINATES:
        raise ConfigError(f"{section.place}.n_dims_to_encode: got {count} for a grid, need "
                          f"{COORDINATES}: an image asset has no grids of one coordinate. Train "
                          "with a grid of both.")  # fmt: skip
    return _grid(section, kind)


def _within(section: Section, key: str, default: int, low: int, high: int) -> int:
    value: int = section.number(key, default)
    if not low <= value <= high:
        raise ConfigError(f"{section.place}.{key}: got {shown(value)}, need {low} to {high}: an "
                          "image asset holds no others. Train with such a one.")  # fmt: skip
    return value


def _grid(section: Section, kind: str) -> EncodingPart:
    types = {"grid": ("Hash", "Dense"), "hashgrid": ("Hash",), "densegrid": ("Dense",)}[kind]
    is_hash = section.choice("type", {name: name for name in types}, types[0]) == "Hash"
    remedy = "Train with it."
    section.only("hash", "CoherentPrime", remedy)
    for name in ("stochastic_interpolation", "fixed_point_pos"):  # of training alone
        section.take(name, False)
    levels = _within(section, "n_levels", 16, *LIMITS["levels"])
    features = section.number("n_features_per_level", 2)
    if features not in FEATURES:
        raise ConfigError(f"{section.place}.n_features_per_level: got {shown(features)}, need one "
                          f"of {list(FEATURES)}, as tiny-cuda-nn has them. Check the "
                          "config.")  # fmt: skip
    base = _within(section, "base_resolution", 16, *LIMITS["coarsest"])
    growth_ppb = _growth(section, levels, base)
    smooth = section.choice("interpolation", INTERPOLATIONS, "Linear")
    low, high = LIMITS["log2_entries"]
    log2 = _within(section, "log2_hashmap_size", 19, low, high) if is_hash else high
    if not is_hash:
        section.take("log2_hashmap_size", None)
    entries = tuple(one.entries for one in staggered_levels(levels, log2, base, growth_ppb))
    if not is_hash:
        side = staggered_levels(levels, log2, base, growth_ppb)[-1].side
        if side**2 > 2**high:
            raise ConfigError(f"{section.place}.per_level_scale: got {side:,} vertices a side at "
                              f"the last level of a dense grid, need at most {2 ** (high // 2):,}. "
                              "Train a smaller grid.")  # fmt: skip
        log2 = max(low, math.ceil(math.log2(max(entries))))
    text = (f"staggered_grid:levels={levels},features={features},log2_entries={log2},"
            f"coarsest={base},growth_ppb={growth_ppb}{smooth}")  # fmt: skip
    return EncodingPart(text, levels * features, features, 0.0, entries=entries)


def _growth(section: Section, levels: int, base: int) -> int:
    """Return the growth from level to level in billionths, rounded to float32 as theirs is."""
    growth = float(np.float32(section.number("per_level_scale", 2.0, float)))
    most = min(LIMITS["growth_ppb"][1] / PPB,
               (LIMITS["finest"][1] / base) ** (1 / max(1, levels - 1)))  # fmt: skip
    if not 1 <= growth <= most:
        raise ConfigError(f"{section.place}.per_level_scale: got {shown(growth)}, need 1 to "
                          f"{most:.6g} for {levels} levels from {base}. Train a smaller "
                          "grid.")  # fmt: skip
    return round(growth * PPB)


def filled_columns(parts: list[EncodingPart]) -> list[tuple[int, int]]:
    """Return the start of each part's own columns and of its padding; the last entry is the end."""
    places, start = list[tuple[int, int]](), 0
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        end = start + part.width
        places.append((start, end))
        if after is None:
            whole = math.lcm(ALIGNMENT, *(one.features for one in parts))
            start = -(-end // whole) * whole
        else:
            start = -(-end // after.features) * after.features
    return [*places, (start, start)]
