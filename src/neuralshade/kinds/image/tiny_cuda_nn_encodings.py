"""Encodings of a tiny-cuda-nn configuration as text that names ours."""

import logging
import math
from collections.abc import Callable, Iterator

from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.kinds.image.config_section import Section

log = logging.getLogger("neuralshade")

GRID_TYPES = {"Hash": "hash_grid", "Dense": "dense_grid"}
INTERPOLATIONS = {"Linear": "", "Smoothstep": ",smooth=1"}
COORDINATES = 2  # of a picture


def encoding_text(section: Section, *, nested: bool = False) -> str:
    """Return the text of an encoding's section; ``nested`` inside a composite.

    Raises: ConfigError naming the key that is unknown or not supported.
    """
    readers: dict[str, Callable[[Section], str]] = {
        "composite": _composite,
        "identity": lambda s: _plain(s, "identity"),
        "frequency": lambda s: f"frequency:octaves={s.number('n_frequencies', 12)}",
        "trianglewave": lambda s: f"triangle_wave:octaves={s.number('n_frequencies', 12)}",
        "oneblob": lambda s: f"one_blob:bins={s.number('n_bins', 16)}",
        "grid": lambda s: _grid(s, s.choice("type", GRID_TYPES, "Hash")),
        "hashgrid": lambda s: _grid(s, s.choice("type", {"Hash": "hash_grid"}, "Hash")),
        "densegrid": lambda s: _grid(s, s.choice("type", {"Dense": "dense_grid"}, "Dense")),
    }
    shown = dict.fromkeys(
        ("Identity", "Frequency", "TriangleWave", "OneBlob", "Grid", "HashGrid", "DenseGrid",
         *(() if nested else ("Composite",))), "",
    )  # fmt: skip
    otype = section.choice("otype", {name: name.lower() for name in shown}, "OneBlob")
    return readers[otype](section)


def _composite(section: Section) -> str:
    """Return the text of a composite's parts, each with both coordinates or one as input."""
    parts = []
    for one, first, count in nested_parts(section):
        parts.append(_part(one, first, count))
        one.finish()
    return " + ".join(parts)


def nested_parts(section: Section) -> Iterator[tuple[Section, int, int]]:
    """Yield the encodings of a composite with their first coordinate and their count of them.

    Raises: ConfigError for what is no list of encodings of two coordinates.
    """
    section.only("reduction", "Concatenation")
    nested = section.take("nested", [])
    if not isinstance(nested, list) or not nested:
        raise ConfigError(f"{section.place}.nested: got {shown(nested)}, need a list of encodings. "
                          'Write [{"otype": ...}].')  # fmt: skip
    ones = [Section(f"{section.place}.nested[{i}]", values) for i, values in enumerate(nested)]
    for one, (first, count) in zip(ones, _spans(ones, section.place), strict=True):
        if not count:
            log.warning("%s: passed over, since no coordinate is left for it.", one.place)
            continue
        yield one, first, count


def _spans(ones: list[Section], place: str) -> list[tuple[int, int]]:
    """Return the first coordinate of each encoding of a composite and its count of them.

    As in tiny-cuda-nn: each starts where the one before ends unless it has
    ``dims_to_encode_begin``, and the one without ``n_dims_to_encode`` takes the remaining ones.
    """
    begun = any(one.has("dims_to_encode_begin") for one in ones)
    open_ones = [one for one in ones if not one.has("n_dims_to_encode")]
    if len(open_ones) > 1 and not begun:
        raise ConfigError(f"{open_ones[1].place}.n_dims_to_encode: got none, need it: one encoding "
                          f"alone may leave it out, which {open_ones[0].place} does. "
                          f"Set it to 1 or {COORDINATES}.")  # fmt: skip
    counts = [None if one in open_ones else one.number("n_dims_to_encode", 0) for one in ones]
    total = sum(count or 0 for count in counts)
    if total > COORDINATES and not begun:
        raise ConfigError(f"{place}.nested: got n_dims_to_encode of {total} in all, need "
                          f"{COORDINATES}: a picture has two coordinates. Set "
                          "dims_to_encode_begin where encodings see the same.")  # fmt: skip
    spans, place_now = list[tuple[int, int]](), 0
    for one, count_set in zip(ones, counts, strict=True):
        first = one.number("dims_to_encode_begin", place_now)
        count = count_set if count_set is not None else COORDINATES - (first if begun else total)
        if first not in range(COORDINATES + 1) or count not in range(COORDINATES - first + 1):
            raise ConfigError(f"{one.place}.n_dims_to_encode: got {count} from {first}, need them "
                              f"among {COORDINATES}: a picture has two coordinates. Set "
                              "dims_to_encode_begin to 0 and n_dims_to_encode to "
                              f"{COORDINATES}.")  # fmt: skip
        place_now = first + count
        spans.append((first, count))
    return spans


def _part(one: Section, first: int, count: int) -> str:
    """Return the text of an encoding that takes ``count`` coordinates from ``first`` on."""
    text = encoding_text(one, nested=True)
    kind, has_settings, _ = text.partition(":")
    if count == COORDINATES:
        return text
    if kind in GRID_TYPES.values():
        raise ConfigError(f"{one.place}.n_dims_to_encode: got {count} from {first} for a grid, "
                          f"need {COORDINATES} from 0: grids of one coordinate are not supported. "
                          "Take OneBlob, or set dims_to_encode_begin to 0 and n_dims_to_encode to "
                          f"{COORDINATES}.")  # fmt: skip
    return f"{text}{',' if has_settings else ':'}first={first},dimensions={count}"


def _plain(section: Section, name: str) -> str:
    section.only("scale", 1.0)
    section.only("offset", 0.0)
    return name


def _grid(section: Section, kind: str) -> str:
    levels = section.number("n_levels", 16)
    features = section.number("n_features_per_level", 2)
    coarsest = section.number("base_resolution", 16)
    smooth = section.choice("interpolation", INTERPOLATIONS, "Linear")
    section.only("stochastic_interpolation", False)
    section.ignore("fixed_point_pos", "positions are float32 here")
    finest = _finest(section, kind, levels, coarsest)
    sizes = f"levels={levels},features={features},coarsest={coarsest}"
    if kind == "dense_grid":
        section.ignore("log2_hashmap_size", "a dense grid has all of its texels")
        return f"{kind}:{sizes},width={finest},height={finest}{smooth}"
    section.only("hash", "CoherentPrime")
    entries = section.number("log2_hashmap_size", 19)
    return f"{kind}:{sizes},finest={finest},log2_entries={entries}{smooth}"


def _finest(section: Section, kind: str, levels: int, coarsest: int) -> int:
    """Return the cells a side of the last level; ConfigError where the growth is out of bounds."""
    from neuralshade.model.registry import LIMITS  # loads PyTorch

    is_set = section.has("per_level_scale")
    growth = section.number("per_level_scale", 2.0, float)
    largest = LIMITS["finest" if kind == "hash_grid" else "width"][1]
    if levels not in range(2, LIMITS["levels"][1] + 1) or coarsest not in range(1, largest + 1):
        return coarsest  # nothing grows, or parsing the encoding's text refuses it
    most = math.floor(1e4 * (largest / coarsest) ** (1 / (levels - 1))) / 1e4
    if not 1 <= growth <= most:
        raise ConfigError(f"{section.place}.per_level_scale: got {growth!r}, need 1 to {most} for "
                          f"{levels} levels from {coarsest}. Set it to {most} for the finest "
                          "grid.")  # fmt: skip
    finest = round(coarsest * growth ** (levels - 1))
    if not is_set:  # instant-ngp, reset_network in testbed.cu
        log.warning("%s.per_level_scale: got none, taken as %s, tiny-cuda-nn's: from %d to %d "
                    "cells a side. For instant-ngp's, half of the picture's longer side at the "
                    "last level, set it to (side / 2 / %d) ** (1 / %d).", section.place, growth,
                    coarsest, finest, coarsest, levels - 1)  # fmt: skip
    return finest
