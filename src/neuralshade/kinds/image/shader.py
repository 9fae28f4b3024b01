"""Shader form of a fitted picture."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.asset.tensors import stored_levels, stored_parameters
from neuralshade.kinds.image.field import meta_field
from neuralshade.languages.columns import Columns
from neuralshade.languages.encodings import add_encoding, is_ours, layers_of
from neuralshade.languages.forms import (
    IN_HALVES,
    UV,
    Header,
    area_function,
    calling_functions,
    golden_positions,
)
from neuralshade.languages.grid_functions import Level
from neuralshade.languages.grids import GridReader
from neuralshade.languages.numbers import LANES
from neuralshade.model.quantize import LEVELS
from neuralshade.model.shader_form import Function, Golden, Network, ShaderForm

if TYPE_CHECKING:
    from neuralshade.kinds.image.opened import OpenedImage

TOLERANCE = 2e-6  # of full scale


def image_shader(opened: OpenedImage, name: str) -> ShaderForm:
    """Return ``NAME(uv)`` and ``NAME_area(uv, dx, dy)``; see ``Opened.shader``.

    An encoding of another package is called through its Slang half.
    """
    channels = int(opened.picture["channels"])
    kind = "float" if channels == 1 else f"float{channels}"
    linear = opened.color_space == "linear"
    space = "linear, as fitted" if linear else "sRGB-encoded, 0 to 1 where it is not clamped"
    result, program = f"Return the color at uv: {space}.", None
    if is_ours(opened.field.encoding):
        functions, words = _functions(opened, name, kind, result)
    else:
        from neuralshade.kinds.image.program import field_program  # few need the compiler

        called, *functions = calling_functions(name, kind, result, opened.color_space)
        program, words = field_program(opened.field, name, called)
    header = Header(opened, name, "A picture as a function of its position.", {
        "color space": space, "size": "{} x {} pixels".format(*opened.size)
        + (", as fitted" if "source" not in opened.header.own else ", where nothing else is said"),
    })  # fmt: skip

    def answers() -> list[Golden]:
        at = golden_positions()
        found = opened.at(at).reshape(len(at), -1)
        scale = max(1.0, float(np.abs(found).max())) if math.isfinite(found.sum()) else 1.0
        return [Golden(name, at, found, TOLERANCE * scale, in_halves=IN_HALVES * scale)]

    return replace(header.form((), functions, words, answers), program=program)


def _functions(
    opened: OpenedImage, name: str, kind: str, about: str
) -> tuple[list[Function], npt.NDArray[np.uint32]]:
    """Return the functions of a picture, ``NAME`` last but one, and their words."""
    grids, columns = GridReader(name, _levels(opened)), Columns(name)
    add_encoding(columns, grids, opened.field.encoding, ("uv.x", "uv.y"))
    layers = layers_of(opened.field.network)
    layers[0] = columns.folded(layers[0])
    network = Network(tuple(columns.floats), tuple(layers), "color")
    lanes = LANES[: int(opened.picture["channels"])]
    body: tuple[str | Network, ...] = (*columns.lines, network, f"return color0.{lanes};")
    main = Function(kind, name, (UV,), body, about, public=True, meaning="color",
                    space=opened.color_space)  # fmt: skip
    functions = [*columns.functions.values(), *grids.functions.values(), main,
                 area_function(name, kind)]  # fmt: skip
    return functions, np.concatenate([np.zeros(0, np.uint32), *grids.words])


def _levels(opened: OpenedImage) -> Iterator[Level]:
    """Yield the levels of all grids as the file has them."""
    bits = opened.recipe.grid_bits
    for kept in stored_parameters(meta_field(opened.recipe, opened.picture["channels"])):
        if not kept.grid:
            continue
        if bits in LEVELS:
            levels, step = stored_levels(kept, opened.tensors, opened.path)
            low = LEVELS[bits]
            raw = (levels.int() - low.low).flatten(1).t().numpy().astype(np.uint32)
            scale = step.double().numpy()
            yield Level(raw, bits, scale.tolist(), (scale * (low.low + low.offset)).tolist())
            continue
        values = kept.slices_first(torch.from_numpy(opened.tensors[kept.name])).flatten(1).t()
        numbers = values.contiguous().numpy()
        raw = numbers.view(np.uint16 if bits == 16 else np.uint32).astype(np.uint32)
        yield Level(raw, bits, [1.0] * raw.shape[1], [0.0] * raw.shape[1])
