"""Shader form of a cloud of Gaussians: cell lists, evaluated at any position."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.errors import AssetError
from neuralshade.kinds.splats.compact import compact_words
from neuralshade.kinds.splats.draw import Cloud, draw_cloud
from neuralshade.kinds.splats.shader_lists import CELL_PX, SHORT, Lists, cell_lists, pair_count
from neuralshade.languages.forms import Header, area_function, golden_positions
from neuralshade.languages.numbers import fours, lane, number, vector
from neuralshade.model.gaussian import (
    CENTER,
    COLOR,
    LARGEST_OPACITY,
    LEAST_SUM,
    SHEAR,
    SIZE,
    GaussianPicture,
    channels_of,
    color_at,
)
from neuralshade.model.shader_form import Function, Golden, Parameter, ShaderForm

if TYPE_CHECKING:
    from neuralshade.kinds.splats.opened import OpenedSplats

TOLERANCE = 2e-6  # of full scale
STEPS = 2**12  # of golden positions: float32 holds their pixels without rounding
MOST_PAIRS = 2**27  # of Gaussians and cells, at most: lists of half a gigabyte
AT_ONCE = 2**22  # weights evaluated at once
UV = Parameter("float2", "uv", "u to the right, v down, 0 to 1 and clamped beyond; pixel centers "
               "at (i + 0.5) / size")  # fmt: skip
INDEX = Parameter("int", "i")


def splats_shader(opened: OpenedSplats, name: str) -> ShaderForm:
    """Return ``NAME(uv)`` and ``NAME_area(uv, dx, dy)``; see ``Opened.shader``.

    Raises: AssetError for so many large Gaussians that lists would be too long.
    """
    cloud = opened.cloud
    pairs = pair_count(cloud)
    if pairs > MOST_PAIRS:
        raise AssetError(f"{opened.path}: got {cloud.values.shape[1]:,} Gaussians that meet "
                         f"{pairs:,} cells of {CELL_PX} px, need {MOST_PAIRS:,} or fewer for a "
                         "shader. Fit fewer.")  # fmt: skip
    lists, kind = cell_lists(cloud), _kind(cloud)
    numbers = _numbers(cloud)
    linear = opened.color_space == "linear"
    space = "linear, as fitted" if linear else "sRGB-encoded, 0 to 1 where it is not clamped"
    main = Function(kind, name, (UV,), tuple(_body(cloud, name, lists, numbers.size)),
                    f"Return the color at uv: {space}.", public=True, meaning="color",
                    space=opened.color_space)  # fmt: skip
    functions = (_weight(cloud, name, numbers.shape[1]), _color(cloud, name, numbers.shape[1]),
                 _listed(cloud, name, numbers.size + len(lists.firsts)), main,
                 area_function(name, kind))  # fmt: skip
    words = np.concatenate([numbers.reshape(-1).view(np.uint32),
                            lists.words(len(numbers))])  # fmt: skip
    met = len(lists.numbers) / max(1, len(lists.firsts) - 1)
    header = Header(opened, name, "A picture of Gaussians as a function of its position.", {
        "color space": space, "size": "{} x {} pixels, as fitted".format(*opened.size),
        "Gaussians": f"{len(numbers):,}, of which a cell of {CELL_PX} px lists {met:.1f}",
    })  # fmt: skip

    def answers() -> list[Golden]:
        at = np.round(golden_positions() * STEPS) / np.float32(STEPS)
        found = colors_at(cloud, at)
        return [Golden(name, at, found, TOLERANCE * max(1.0, float(np.abs(found).max())))]

    return replace(header.form((), functions, words, answers),
                   make_compact=lambda: compact_words(opened),
                   make_gaussians=lambda: gaussian_picture(opened))  # fmt: skip


def gaussian_picture(opened: OpenedSplats) -> GaussianPicture:
    """Return an asset's Gaussians for renderers of such."""
    cloud = opened.cloud
    numbers = _numbers(cloud).astype(np.float64)
    wide, high, shear = 1 / numbers[:, 2], 1 / numbers[:, 3], numbers[:, 4]
    rows = [np.stack([wide, np.zeros_like(wide)], 1), np.stack([shear * high, high], 1)]
    after = COLOR + len(cloud.background)
    return GaussianPicture(
        numbers[:, CENTER], np.stack(rows, 1), numbers[:, COLOR:after],
        numbers[:, after] if cloud.compositing.opacity else None,
        cloud.background.double().numpy(), cloud.compositing, cloud.width, cloud.height,
        opened.color_space, lambda width, height: draw_cloud(cloud, width, height),
    )  # fmt: skip


@torch.no_grad()
def colors_at(cloud: Cloud, at: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Return a cloud's colors at positions [n, 2] in the unit square: float32 [n, C]."""
    places = torch.from_numpy(at) * torch.tensor([cloud.width, cloud.height])
    parts = places.split(max(1, AT_ONCE // max(1, cloud.values.shape[1])))
    colors = [color_at(cloud.values, part, cloud.background, cloud.compositing) for part in parts]
    found: npt.NDArray[np.float32] = torch.cat(colors).numpy()
    return found


def _kind(cloud: Cloud) -> str:
    channels = len(cloud.background)
    return "float" if channels == 1 else f"float{channels}"


def _numbers(cloud: Cloud) -> npt.NDArray[np.float32]:
    """Return the numbers of each Gaussian that shaders read: float32 [N, numbers].

    Its center in pixels, one over its width and height, its shear, its color and, for "over", its
    opacity.
    """
    values, channels = cloud.values.double(), len(cloud.background)
    parts = [values[CENTER], torch.exp(-values[SIZE]), values[SHEAR : SHEAR + 1],
             channels_of(values[COLOR : COLOR + channels])]  # fmt: skip
    if cloud.compositing.opacity:
        parts.append(LARGEST_OPACITY * torch.sigmoid(values[-1:]))
    return np.ascontiguousarray(torch.cat(parts).t().float().numpy())


def _weight(cloud: Cloud, name: str, stride: int) -> Function:
    least = math.exp(-0.5 * cloud.compositing.cutoff**2)

    def read(place: int) -> str:
        return f"as_float({name}_word({stride} * i" + (f" + {place}" if place else "") + "))"

    return Function(
        "float", f"{name}_weight", (INDEX, Parameter("float2", "at")),
        (f"const float2 offset = at - float2({read(0)}, {read(1)});",
         f"const float u = offset.x * {read(2)};",
         f"const float v = offset.y * {read(3)} - {read(4)} * u;",
         f"return max((exp(-0.5 * (u * u + v * v)) - {number(least)}) * "
         f"{number(1 / (1 - least))}, 0.0);"),
        "What a Gaussian weighs at a place in pixels.",
    )  # fmt: skip


def _color(cloud: Cloud, name: str, stride: int) -> Function:
    """Return the function of a Gaussian's color and opacity, if it has one."""
    listed = [f"as_float({name}_word({stride} * i + {place}))"
              for place in range(COLOR, COLOR + len(cloud.background))]  # fmt: skip
    value = listed[0] if len(listed) == 1 else f"{_kind(cloud)}({', '.join(listed)})"
    return Function(_kind(cloud), f"{name}_color", (INDEX,), (f"return {value};",))


def _listed(cloud: Cloud, name: str, first: int) -> Function:
    value = f"{name}_word({first} + k)"
    if cloud.values.shape[1] <= SHORT:
        value = f"({name}_word({first} + k / 2) >> uint(k % 2 * 16)) & 65535u"
    return Function("int", f"{name}_listed", (Parameter("int", "k"),), (f"return int({value});",),
                    "The number of a Gaussian in the lists of cells.")  # fmt: skip


def _body(cloud: Cloud, name: str, lists: Lists, firsts: int) -> list[str]:
    """Return the function's lines; ``firsts``: the first word of the lists' starts."""
    size = vector([cloud.width, cloud.height])
    behind = vector(cloud.background.tolist())
    kind, together = _kind(cloud), cloud.compositing
    loop, each = "for (int k = first; k < last; ++k)", f"const int i = {name}_listed(k);"
    weight = f"const float w = {name}_weight(i, at);"
    lines = [
        f"const float2 at = clamp(uv, float2(0.0), float2(1.0)) * {size};",
        f"const int cell = min(int(at.y) / {CELL_PX}, {lists.down - 1}) * {lists.across}"
        f" + min(int(at.x) / {CELL_PX}, {lists.across - 1});",
        f"const int first = int({name}_word({firsts} + cell));",
        f"const int last = int({name}_word({firsts + 1} + cell));",
    ]
    if together.kind == "sum":
        return [*lines, f"{kind} found = {behind};", loop, "{", each, weight,
                f"found += w * {name}_color(i);", "}", "return found;"]  # fmt: skip
    if together.kind == "over":
        stride = COLOR + len(cloud.background) + 1
        opacity = f"as_float({name}_word({stride} * i + {stride - 1}))"
        return [*lines, f"{kind} found = {kind}(0.0);", "float passed = 1.0;", loop, "{", each,
                f"const float covered = {name}_weight(i, at) * {opacity};",
                f"found += passed * covered * {name}_color(i);",
                "passed = passed * (1.0 - covered);", "}",
                f"return found + passed * {behind};"]  # fmt: skip
    return [
        *lines,
        f"// The {together.strongest} largest weights here, sorted: of them the last one counts.",
        *(f"float4 best{four} = float4(0.0);" for four in range(fours(together.strongest))),
        loop, "{", each, weight, *_ranked(together.strongest), "}",
        f"const float least = {lane('best', together.strongest - 1)};",
        f"float sum = {number(LEAST_SUM)};", f"{kind} found = {number(LEAST_SUM)} * {behind};",
        loop, "{", each, weight, "if (w >= least)", "{", f"found += w * {name}_color(i);",
        "sum += w;", "}", "}", "return found / sum;",
    ]  # fmt: skip


def _ranked(count: int) -> list[str]:
    """Return lines that insert w into sorted numbers, largest first."""
    lines = []
    for four in reversed(range(fours(count))):
        before = lane("best", 4 * four - 1) if four else "w"
        moved = f"float4({before}, best{four}.x, best{four}.y, best{four}.z)"
        lines.append(f"best{four} = max(best{four}, min({moved}, float4(w)));")
    return lines
