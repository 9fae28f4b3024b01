"""Shader form of trained mip levels: functions that sample their textures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.mipmaps.asset import CHANNELS, PLAIN, decoded_level, stored_levels
from neuralshade.kinds.mipmaps.shader_golden import golden_rows
from neuralshade.languages.forms import Header, level_function
from neuralshade.languages.numbers import LANES, number, vector
from neuralshade.model.shader_form import Function, Parameter, ShaderForm, Texture

if TYPE_CHECKING:
    from neuralshade.kinds.mipmaps.opened import OpenedMipmaps

Bytes = npt.NDArray[np.uint8]

MEANINGS = {
    "albedo": "linear light, 0 to 1",
    "normal": "a unit normal: x to the right, y up, z out of the surface",
    "roughness": "0 to 1",
    "metallic": "0 to 1",
    "opacity": "0 to 1",
}
SHORTEST = 1e-6  # normal that is normalized


def mipmaps_shader(opened: OpenedMipmaps, name: str) -> ShaderForm:
    """Return the maps of a set with their levels; see ``Opened.shader``.

    ``NAME_MAP(uv, level)`` samples the map's texture, or returns its constant.
    ``NAME_level(dx, dy)`` is the level of a footprint.
    """
    levels, wraps = stored_levels(opened.asset), opened.recipe.wrap == "repeat"
    sizes = [(width, height) for width, height in opened.maps["sizes"]]
    textures, functions = list[Texture](), list[Function]()
    for one in opened.names:
        chain = [level[one] for level in levels]
        flat = _constant(chain)
        if flat is None:
            textures.append(_texture(f"{name}_{one}_texture", one, sizes, chain, wraps))
            body = _body(one, textures[-1].reader)
        else:
            shown = decoded_level({**levels[-1], one: flat})[one]
            body = (f"return {vector(np.asarray(shown).reshape(-1).tolist())};",)
        same = "" if flat is None else "; the same everywhere"
        channels = CHANNELS[one]
        functions.append(Function(
            "float" if channels == 1 else f"float{channels}", f"{name}_{one}",
            (_uv(wraps), Parameter("float", "level", "0 is the finest; between two, both are "
                                   "mixed")),
            body, f"Return the {one}: {MEANINGS[one]}{same}.", public=True,
            meaning=one, space="linear" if one == "albedo" else "",
            span=(-1.0, 1.0) if one == "normal" else (0.0, 1.0),
        ))  # fmt: skip
    functions.append(level_function(name, sizes[0]))
    width, height = sizes[0]
    header = Header(opened, name, "Maps of a surface, whose mip levels shade as what they cover.", {
        "size": f"{width} x {height} texels, {len(sizes)} levels",
        "beyond 0 to 1": "repeated" if wraps else "clamped",
        "maps": "; ".join(f"{one} {MEANINGS[one]}" for one in opened.names),
    })  # fmt: skip
    return header.form((), functions, np.zeros(0, np.uint32), lambda: golden_rows(opened, name),
                       textures)  # fmt: skip


def _uv(wraps: bool) -> Parameter:
    beyond = "repeated" if wraps else "clamped"
    return Parameter("float2", "uv", f"u to the right, v down, 0 to 1; beyond it is {beyond}")


def _constant(chain: Sequence[Bytes]) -> Bytes | None:
    """Return the common texel of all levels, uint8 [1, 1, C], or None."""
    first = chain[0][:1, :1]
    return first if all((level == first).all() for level in chain) else None


def _texture(
    name: str, title: str, sizes: Sequence[tuple[int, int]], chain: Sequence[Bytes], wraps: bool
) -> Texture:
    form = PLAIN[title]
    filled = [level if level.shape[2] == 1 else np.insert(level, 3, 255, axis=2) for level in chain]
    return Texture(name, title, form, tuple(sizes), tuple(one.tobytes() for one in filled), wraps)


def _body(name: str, reader: str) -> tuple[str, ...]:
    """Return the lines that sample a map, decoded like ``decoded_level``."""
    lanes = "".join(LANES[: CHANNELS[name]])
    value = f"{reader}(uv, level).{lanes}"
    if name == "normal":
        return (f"const float3 normal = {value} * 2.0 - 1.0;",
                f"return normal / max(length(normal), {number(SHORTEST)});")  # fmt: skip
    return (f"return {value};",)
