"""Feature maps of many materials: filtered textures, or words in a buffer.

Each material has two textures with mip levels, RGBA8 or BC7, so a look-up reads two of them. Maps
of equal size and format share one array, so that most frames bind one. With CUDA, which has no
texture units here, a texel is 8 bytes of one buffer, see batched_maps.slang.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from neuralshade.kinds.material.levels import LARGEST
from neuralshade.kinds.material.map_rows import codes_of, is_blocks, level_rows, rows_of
from neuralshade.kinds.material.recipe import BLOCK_SIDE
from neuralshade.kinds.material.schema import level_sides

if TYPE_CHECKING:
    import slangpy

    from neuralshade.kinds.material.recipe import MaterialRecipe

FEATURES = 8  # of a texel: two textures
MOST_LAYERS = 2048  # of a texture array, on any device with cooperative vectors
TEXT = """
Texture2DArray<float4> frame_maps[{count}];
SamplerState frame_edges[{count}];

/// Return a material's numbers at `uv`, each in [0, 1]: bilinear in the levels around `level`.
float4[2] frame_codes(uint map, uint layer, float2 uv, float level)
{{
    float4 found[2];
    [ForceUnroll]
    for (int i = 0; i < 2; ++i)
        found[i] = frame_maps[{map}].SampleLevel(
            frame_edges[{map}], float3(uv, float(layer + uint(i))), level);
    return found;
}}
"""
WORDS = """
StructuredBuffer<uint2> frame_texels;

/// Return a material's codes at `uv`, from 0 to 255: bilinear in the levels around `level`.
float4[2] frame_codes(uint map, uint layer, float2 uv, float level)
{
    FrameTexels all = { frame_texels };
    return all.codes(map, layer, uv, level);
}
"""
LEVELS_AT, REPEATS = 2**16, 2**31  # of a map's shape, see batched_maps.slang


class Mapped(Protocol):
    """A fitted material with FEATURES numbers a texel."""

    @property
    def recipe(self) -> MaterialRecipe: ...
    @property
    def side(self) -> int: ...
    @property
    def tensors(self) -> Mapping[str, npt.NDArray[Any]]: ...


@dataclass(frozen=True)
class BatchedMaps:
    """Slang text of ``frame_codes``, its variables, and each material's map and layer.

    ``largest``: what it returns for the largest code.
    """

    text: str
    variables: Mapping[str, Any]
    places: Sequence[tuple[int, int]]
    largest: float = 1.0


def map_textures(device: slangpy.Device, materials: Sequence[Mapped]) -> BatchedMaps:
    """Return the feature maps of ``materials`` as textures of ``device``."""
    alike: dict[tuple[Any, ...], list[int]] = {}
    for index, one in enumerate(materials):
        rows = rows_of(one.tensors)
        alike_ones = one.side, len(level_rows(rows, one.side)), one.recipe.wrap, is_blocks(rows)
        alike.setdefault(alike_ones, []).append(index)
    maps: list[slangpy.Texture] = []
    edges: list[slangpy.Sampler] = []
    places = [(0, 0)] * len(materials)
    for (side, levels, wrap, _), members in alike.items():
        for first in range(0, len(members), MOST_LAYERS // 2):
            part = members[first : first + MOST_LAYERS // 2]
            for row, index in enumerate(part):
                places[index] = len(maps), 2 * row
            maps.append(_array(device, [materials[index] for index in part], side, levels))
            edges.append(map_edges(device, wrap))
    # a single map needs no index, which would cost each look-up a loop over the wave's indices
    chosen = "0" if len(maps) == 1 else "NonUniformResourceIndex(map)"
    text = TEXT.format(count=len(maps), map=chosen)
    return BatchedMaps(text, {"frame_maps": maps, "frame_edges": edges}, places)


def map_words(materials: Sequence[Mapped]) -> BatchedMaps:
    """Return the feature maps of ``materials`` as words, to be bound as a buffer.

    The map of a place is the first texel, the layer is the shape of batched_maps.slang.
    """
    places, first = list[tuple[int, int]](), 0
    maps = [codes_of(rows_of(one.tensors), one.side) for one in materials]
    for one, codes in zip(materials, maps, strict=True):
        levels = len(level_rows(codes, one.side))
        repeats = REPEATS if one.recipe.wrap == "repeat" else 0
        places.append((first, one.side + LEVELS_AT * levels + repeats))
        first += len(codes)
    texels = np.concatenate([codes.reshape(-1) for codes in maps])
    return BatchedMaps(WORDS, {"frame_texels": texels}, places, LARGEST)


def _array(
    device: slangpy.Device, materials: Sequence[Mapped], side: int, levels: int
) -> slangpy.Texture:
    """Return a texture array: two layers a material, four numbers each."""
    blocks = is_blocks(rows_of(materials[0].tensors))
    found = empty_maps(device, side, 2 * len(materials), levels, blocks=blocks)
    for row, one in enumerate(materials):
        stored = level_rows(rows_of(one.tensors), side)
        for level, (width, rows) in enumerate(zip(level_sides(side), stored, strict=False)):
            across = -(-width // BLOCK_SIDE) if blocks else width
            texels = rows.reshape(across, across, 2, -1)
            for half in range(2):
                found.copy_from_numpy(texels[:, :, half].copy(), layer=2 * row + half, mip=level)
    return found


def empty_maps(
    device: slangpy.Device, side: int, layers: int, levels: int = 1, *, blocks: bool = False
) -> slangpy.Texture:  # fmt: skip
    """Return an uninitialized array of RGBA8 textures, or of BC7 ones."""
    import slangpy as spy

    return device.create_texture(
        type=spy.TextureType.texture_2d_array,
        format=spy.Format.bc7_unorm if blocks else spy.Format.rgba8_unorm, width=side, height=side,
        array_length=layers, mip_count=levels,
        usage=spy.TextureUsage.shader_resource | spy.TextureUsage.copy_destination,
    )  # fmt: skip


def map_edges(device: slangpy.Device, wrap: str) -> slangpy.Sampler:
    """Return the texture sampler of a recipe's ``wrap``: linear filter and border mode."""
    import slangpy as spy

    modes = spy.TextureAddressingMode
    mode = modes.wrap if wrap == "repeat" else modes.clamp_to_edge
    return device.create_sampler(address_u=mode, address_v=mode)
