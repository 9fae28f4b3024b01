"""Latents of a set in the shader dialect: packed codes, or BC1 textures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.languages.columns import Columns
from neuralshade.languages.mip_tables import by_mip
from neuralshade.languages.numbers import LANES, fours, number
from neuralshade.model.block_grid import CHANNELS, BlockGrid
from neuralshade.model.composite import Composite
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.model.latent_position import LONGEST_PERIOD, LatentPosition
from neuralshade.model.packed_codes import PackedCodes
from neuralshade.model.shader_form import Function, Parameter, Texture
from neuralshade.model.widths import OCTAVES

Words = npt.NDArray[np.uint32]
Tensors = Sequence[npt.NDArray[Any]]

FIRST = Parameter("int", "first")
SHARE = Parameter("float2", "share")


def add_latents(
    columns: Columns, encoding: Composite, latents: Tensors, wraps: bool
) -> tuple[Words, list[Function], list[Texture]]:
    """Add the decoder's inputs at ``uv``.

    Plain latents are those of ``mip``, BC1 textures are sampled at ``level``. ``latents``: the
    tensors of the asset, in their order.

    Returns: the words that functions read, these functions, in the order of their calls, and
        textures.
    """
    textures, blocks = list[Texture](), iter(latents)
    grids = [part for part in encoding.members if isinstance(part, LatentGrid)]
    if not grids:
        for part in encoding.members:
            assert isinstance(part, BlockGrid)
            textures += _add_blocks(columns, part, blocks, len(textures))
        return np.zeros(0, np.uint32), [], textures
    functions = {"around": _around(columns.name, wraps)}
    packed = PackedCodes(encoding.tables(), latents)
    firsts = iter([place[1] for place in packed.places])
    for index, part in enumerate(encoding.members):
        if isinstance(part, LatentGrid):
            _add_grid(columns, functions, part, index, next(firsts))
        else:
            assert isinstance(part, LatentPosition)
            _add_position(columns, functions, part)
    # reads four codes even where fewer are left
    words = np.concatenate([packed.words, np.zeros(1, np.uint32)])
    return words, list(functions.values()), textures


def _around(name: str, wraps: bool) -> Function:
    about = "The latents before and after a position along one side, each times a stride."
    body = "return int2(max(before, 0) * stride, min(before + 1, size - 1) * stride);"
    if wraps:
        body = ("return int2((before + size * max(-before, 0)) * stride, "
                "(before + 1 - size * max(before + 2 - size, 0)) * stride);")  # fmt: skip
        about += " Around the border: before is -1 to size - 1."
    parameters = [Parameter("int", each) for each in ("before", "size", "stride")]
    return Function("int2", f"{name}_around", tuple(parameters), (body,), about)


def _place_lines(index: int, level: str, strides: tuple[str, str], name: str) -> Iterator[str]:
    """Yield lines that select the latents of a grid around ``uv``."""
    x, y, share = f"x{index}", f"y{index}", f"share{index}"
    yield (f"const float2 place{index} = uv * float2(float({level}.y), float({level}.z)) - 0.5;")
    yield f"const float2 {share} = place{index} - floor(place{index});"
    for lane, axis, side, stride in (("x", x, "y", strides[0]), ("y", y, "z", strides[1])):
        yield (f"const int2 {axis} = {name}_around(int(floor(place{index}.{lane})), "
               f"{level}.{side}, {stride});")  # fmt: skip


def _add_grid(
    columns: Columns, functions: dict[str, Function], grid: LatentGrid, index: int, first: int
) -> None:
    name, features = columns.name, grid.features
    places = [grid.place(mip) for mip in range(len(grid.serves))]
    level = f"level{index}"
    functions[level] = by_mip(
        "int3", f"{name}_{level}", [f"int3({e * features}, {w}, {h})" for e, w, h in places],
        f"Grid {index}, {features} number{'s' * (features > 1)} of {grid.bits} bits each: its "
        "first number, latents across and down.")  # fmt: skip
    functions.update(_code_functions(name))
    columns.lines.append(f"const int3 {level} = {name}_{level}(mip);")
    columns.lines += _place_lines(index, level, (str(features), f"{features} * {level}.y"), name)
    for four in range(fours(features)):
        found, shift = _next_name(columns), f" + {4 * four}" if four else ""
        columns.lines.append(
            f"const float4 {found} = {name}_mixed({first}, {level}.x{shift}, {grid.bits}, "
            f"x{index}, y{index}, share{index});"
        )
        own = [f"{found}.{lane}" for lane in LANES[: min(4, features - 4 * four)]]
        columns.add(own, [2 / grid.steps] * len(own), [-1.0] * len(own))


def _next_name(columns: Columns) -> str:
    """Return the name of the next numbers of latents."""
    columns.parts += 1
    return f"latents{columns.parts - 1}"


def _code_functions(name: str) -> dict[str, Function]:
    """Return functions that read four codes, of any bits, and that mix those of four latents."""
    step = Parameter("int", "bits")
    lanes = ["float(w & peak)", *(f"float((w >> ({i}u * step)) & peak)" for i in (1, 2, 3))]
    corner = [f"{name}_codes(first, index + y.{y} + x.{x}, bits)" for y in "xy" for x in "xy"]
    return {
        "codes": Function(
            "float4", f"{name}_codes", (FIRST, Parameter("int", "index"), step),
            ("const int bit = (index & 31) * bits;",
             "const int at = first + (index >> 5u) * bits + (bit >> 5u);",
             "const uint shift = uint(bit & 31);",
             # two shifts, as one by 32 bits is undefined
             f"const uint w = ({name}_word(at) >> shift) | (({name}_word(at + 1) << 1u) << "
             "(31u - shift));",
             "const uint step = uint(bits);",
             "const uint peak = (1u << step) - 1u;",
             f"return float4({', '.join(lanes)});"),
            "Four numbers of so many bits from number index on, in words from first on."),
        "mixed": Function(
            "float4", f"{name}_mixed",
            (FIRST, Parameter("int", "index"), step, Parameter("int2", "x"),
             Parameter("int2", "y"), SHARE),
            (f"const float4 above = mix({corner[0]}, {corner[1]}, share.x);",
             f"const float4 below = mix({corner[2]}, {corner[3]}, share.x);",
             "return mix(above, below, share.y);")),
    }  # fmt: skip


def _add_blocks(
    columns: Columns, grid: BlockGrid, latents: Iterator[npt.NDArray[Any]], first: int
) -> list[Texture]:
    """Add BC1 textures, numbered from ``first``; ``latents``: the next tensors."""
    found = list[Texture]()
    # mips finer than a texture use its finest level
    finer = grid.serves.count(0) - 1 if len(grid.sizes) > 1 else 0
    for texture in range(grid.textures):
        title = f"latents_{first + texture}"
        found.append(Texture(f"{columns.name}_{title}_texture", title, "bc1", tuple(grid.sizes),
                             tuple(_level_blocks(grid, next(latents))), grid.wraps))  # fmt: skip
        own, level = _next_name(columns), f"level - {number(finer)}" if finer else "level"
        columns.lines.append(f"const float3 {own} = {found[-1].reader}(uv, {level}).xyz;")
        columns.add([f"{own}.{lane}" for lane in LANES[:CHANNELS]], [2.0] * CHANNELS,
                    [-1.0] * CHANNELS)  # fmt: skip
    return found


def _level_blocks(grid: BlockGrid, blocks: npt.NDArray[Any]) -> Iterator[bytes]:
    """Yield the blocks of each level of a texture, from all of them [N, 8]."""
    for first, end in pairwise([*grid.firsts, grid.blocks]):
        yield blocks[first:end].tobytes()


def _add_position(
    columns: Columns, functions: dict[str, Function], position: LatentPosition
) -> None:
    name = columns.name
    served = [mip - _depth(place) for mip, place in enumerate(position.places)]
    functions["served"] = by_mip("int", f"{name}_served", [str(mip) for mip in served],
                                 "The finest mip that the same latents serve.")  # fmt: skip
    functions["waves"] = Function(
        "float4", f"{name}_waves", (Parameter("float2", "turns"),),
        (f"const float2 angle = (turns - floor(turns + 0.5)) * {number(2 * math.pi)};",
         "return float4(sin(angle.x), cos(angle.x), sin(angle.y), cos(angle.y));"),
        "Sine and cosine along u, then along v; whole turns are taken off first.",
    )  # fmt: skip
    columns.lines += [
        f"const int depth = mip - {name}_served(mip);",
        f"const float2 turns = uv * {name}_size(mip) * float(1u << uint(depth)) / "
        f"{number(LONGEST_PERIOD)};",
    ]
    for octave in range(OCTAVES):
        times = f"turns * {number(2**octave)}" if octave else "turns"
        columns.lines.append(f"const float4 waves{octave} = {name}_waves({times});")
        columns.add([f"waves{octave}.{lane}" for lane in LANES])
    columns.add(["float(depth)"], [0.5], [-0.5])


def _depth(place: tuple[float, float, float]) -> int:
    """Return the distance in mips to the finest one that the same latents serve."""
    return round(2 * place[2] + 1)
