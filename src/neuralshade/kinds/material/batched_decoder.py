"""Batched decoder: many materials of one architecture in one kernel, shared layers stored once.

Device half: batched_decoder.slang, by cooperative vectors or, with CUDA, by warp products;
elsewhere the loops of scattering.slang.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernel_path import KernelPath, inference_path, inference_paths
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.kinds.material.batched_maps import (
    FEATURES,
    BatchedMaps,
    Mapped,
    map_textures,
    map_words,
)
from neuralshade.kinds.material.batched_networks import (
    LANES,
    SIDE,
    as_fragments,
    fragment_bytes,
    pack_networks,
    row_major,
)
from neuralshade.kinds.material.field import lobe_inputs
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.shared import ARCHITECTURE
from neuralshade.model.activation import slang_name
from neuralshade.model.batched_decoder import MOST_THREADS, BatchedDecoder

WARP_BYTES = LANES * 80  # of group-shared memory, as in batched_decoder.warps.slang
SHARED_SPARE = 1024  # bytes by which its start may be aligned
ROW_HALVES = 32  # halves in a lane's row there
HEAD = """
import neuralshade.kinds.material.batched_decoder;
import neuralshade.kinds.material.batched_maps;
import neuralshade.model.activation;
import neuralshade.model.lobes;
#include "neuralshade/kinds/material/batched_decoder.{path}.slang"
{maps}
{lobes}
StructuredBuffer<FramePlace> frame_places;
typealias DecodedPoint = FramePoint<FrameLobes>;

FramePlace frame_place_of(uint material)
{{
    return {place};
}}
"""
VECTORS = """
ByteAddressBuffer frame_bytes;
typealias FrameMaterial =
    VectorMaterial<FrameLobes, {activation}, {width}, {layers}, CoopVecMatrixLayout.{layout}>;

DecodedPoint decoded_at(uint material, float2 uv, float level)
{{
    FramePlace place = frame_place_of(material);
    return FrameMaterial.at(place, frame_bytes, frame_codes(place.map, place.layer, uv, level));
}}

float3 decoded_towards(uint material, DecodedPoint point, float3 wi, float3 wo)
{{
    return FrameMaterial.eval(point, frame_bytes, wi, wo);
}}
"""
WARPS = """
StructuredBuffer<uint> frame_numbers;
StructuredBuffer<uint4> frame_fours;
static const bool FRAME_ALONE = {alone};
typealias FrameMaterial = WarpMaterial<FrameLobes, {activation}, {width}, {layers}>;

DecodedPoint decoded_at(uint material, float2 uv, float level)
{{
    FrameWords numbers = {{ frame_numbers, frame_fours }};
    FramePlace own = frame_place_of(material);
    float4 codes[2] = frame_codes(own.map, own.layer, uv, level);
    if (FRAME_ALONE)
        return FrameMaterial.at(own, numbers, codes);
    DecodedPoint found;
    bool waits = true;
    for (uint first = 0u; first < 32u; first = first_in_warp(waits))
    {{
        uint turn = from_lane(material, first); // the others go along: a warp stays whole
        DecodedPoint point = FrameMaterial.at(frame_place_of(turn), numbers, codes);
        if (material == turn)
        {{
            found = point;
            waits = false;
        }}
    }}
    return found;
}}

float3 decoded_towards(uint material, DecodedPoint point, float3 wi, float3 wo)
{{
    FrameWords numbers = {{ frame_numbers, frame_fours }};
    if (FRAME_ALONE)
        return FrameMaterial.eval(point, numbers, wi, wo);
    float3 found = 0.0f;
    bool waits = true;
    for (uint first = 0u; first < 32u; first = first_in_warp(waits))
    {{
        uint turn = from_lane(material, first);
        DecodedPoint own = point;
        own.place = frame_place_of(turn);
        float3 predicted = FrameMaterial.eval(own, numbers, wi, wo);
        if (material == turn)
        {{
            found = predicted;
            waits = false;
        }}
    }}
    return found;
}}
"""
LOOPS = """
import {module};
import neuralshade.model.scattering;
StructuredBuffer<uint4> frame_materials;
StructuredBuffer<float> frame_numbers;
StructuredBuffer<uint> frame_words;
typealias DecodedPoint = {type};

DecodedPoint decoded_at(uint material, float2 uv, float level)
{{
    uint4 at = frame_materials[material];
    return DecodedPoint.at_level(frame_numbers, frame_words, at.x, at.y, uv, level);
}}

float3 decoded_towards(uint material, DecodedPoint point, float3 wi, float3 wo)
{{
    return point.eval(wi, wo);
}}
"""


def build_decoder(gpu: Gpu, materials: Sequence[Mapped], matrices: bool = True) -> BatchedDecoder:
    """Return a decoder that evaluates ``materials`` by index.

    It computes in float16 on cooperative vectors or, with CUDA, matrix units, if texels have 8
    numbers and no input is varied. Otherwise, or without ``matrices``, it runs float32 loops with
    inputs at their defaults.

    Raises: ConfigError for no material, and for two of different architectures.
    """
    check_alike(materials)
    path = decoder_path(gpu, materials[0].recipe) if matrices else "fma"
    if path != "fma":
        return (_by_vectors if path == "vector" else _by_warps)(gpu, materials)
    parts = [scattering_of(one.recipe, one.side, one.tensors) for one in materials]
    words, first_words = _joined([part.words for part in parts])
    numbers, first_numbers = _joined([part.numbers for part in parts])
    table = np.zeros((len(parts), 4), np.uint32)
    table[:, 0], table[:, 1] = first_numbers, first_words
    bound = {"frame_words": gpu.buffer(words), "frame_numbers": gpu.buffer(numbers),
             "frame_materials": gpu.buffer(table)}  # fmt: skip
    text = LOOPS.format(module=parts[0].module, type=parts[0].type)
    return BatchedDecoder(text, bound, "fma", numbers.nbytes)


def decoder_path(gpu: Gpu, recipe: MaterialRecipe) -> KernelPath:
    """Return the path of decoders of this architecture: vector, matrix or fma."""
    if recipe.features == FEATURES and not recipe.varied_count:
        if inference_path(gpu.adapter) == "vector":
            return "vector"
        if "matrix" in inference_paths(gpu.adapter) and gpu.api == "cuda" and takes_warps(recipe):
            return "matrix"
    return "fma"


def check_alike(materials: Sequence[Mapped]) -> None:
    """Raise ConfigError for no material, and for two of different architectures."""
    if not materials:
        raise ConfigError("frame: got no material, need one or more. Name assets.")
    first = materials[0].recipe
    for index, one in enumerate(materials):
        for name in (*ARCHITECTURE, "varied_count"):
            got, need = getattr(one.recipe, name), getattr(first, name)
            if got != need:
                raise ConfigError(f"frame: got {name}={got!r} of material {index}, need {need!r} "
                                  "as material 0 has. Fit them by fit materials.")  # fmt: skip


def takes_warps(recipe: MaterialRecipe) -> bool:
    """Return whether warp products support decoders of this architecture."""
    lobes = lobe_inputs(recipe, None)
    rows = max(lobes.width, len(lobes.read.weight))
    return rows <= ROW_HALVES and recipe.hidden_layers > 0 and recipe.hidden_width % SIDE == 0


def head_text(
    recipe: MaterialRecipe, path: str, maps: BatchedMaps, places: npt.NDArray[np.uint32]
) -> str:
    """Return the common start of both Slang texts. The place of a single material is a constant."""
    lobes = lobe_inputs(recipe, None).slang("Frame", folded=True).declarations
    place = "frame_places[material]"
    if len(places) == 1:
        place = f"{{ {', '.join(f'{number}u' for number in places[0])} }}"
    return HEAD.format(path=path, maps=maps.text, lobes=lobes, place=place)


def hidden(recipe: MaterialRecipe) -> dict[str, Any]:
    """Return the template arguments of the decoder's hidden layers, for both texts."""
    return {"activation": slang_name(recipe.activation), "width": recipe.hidden_width,
            "layers": recipe.hidden_layers}  # fmt: skip


def vectors_text(
    recipe: MaterialRecipe, layout: str, maps: BatchedMaps, places: npt.NDArray[np.uint32]
) -> str:
    """Return the Slang text of a decoder on cooperative vectors."""
    return head_text(recipe, "vectors", maps, places) + VECTORS.format(
        **hidden(recipe),
        layout=layout.title().replace("_", ""))  # fmt: skip


def warps_text(recipe: MaterialRecipe, maps: BatchedMaps, places: npt.NDArray[np.uint32]) -> str:
    """Return the Slang text of a decoder on warp products."""
    return head_text(recipe, "warps", maps, places) + WARPS.format(
        **hidden(recipe),
        alone=str(len(places) == 1).lower())  # fmt: skip


def _by_warps(gpu: Gpu, materials: Sequence[Mapped]) -> BatchedDecoder:
    """Build the decoder with its matrices as fragments."""
    maps = map_words(materials)
    packed = pack_networks(materials, maps.places, fragment_bytes, maps.largest)
    found = gpu.buffer(as_fragments(packed))
    bound = {name: gpu.buffer(values) for name, values in maps.variables.items()} | {
        "frame_numbers": found, "frame_fours": found, "frame_places": gpu.buffer(packed.places),
    }  # fmt: skip
    text = warps_text(materials[0].recipe, maps, packed.places)
    shared = MOST_THREADS // LANES * WARP_BYTES + SHARED_SPARE
    return BatchedDecoder(text, bound, "matrix", len(packed.data), shared)


def _by_vectors(gpu: Gpu, materials: Sequence[Mapped]) -> BatchedDecoder:
    """Build the decoder with its matrices in the device's preferred layout."""
    import slangpy as spy

    device = slangpy_gpu(gpu, "cooperative vectors").device
    maps = map_textures(device, materials)
    half = spy.DataType.float16
    kinds = spy.CoopVecMatrixLayout.inferencing_optimal, spy.CoopVecMatrixLayout.row_major

    def size_of(rows: int, columns: int) -> int:
        return int(device.get_coop_vec_matrix_size(rows, columns, kinds[0], half))

    packed = pack_networks(materials, maps.places, size_of)
    rows = pack_networks(materials, maps.places, lambda rows, columns: 2 * rows * columns)
    found, source = gpu.buffer(packed.data), gpu.buffer(row_major(rows))
    descriptions = [
        [device.create_coop_vec_matrix_desc(*values.shape, kind, half, first)
         for first, values in frame.matrices]
        for kind, frame in zip(kinds, (packed, rows), strict=True)
    ]  # fmt: skip
    commands: Any = gpu.commands()
    into: Any = found
    at: Any = source
    # SlangPy's own barriers name shader stages only; conversion is a separate stage
    commands.encoder.global_barrier()
    commands.encoder.convert_coop_vec_matrices(into.native, descriptions[0], at.native,
                                               descriptions[1])  # fmt: skip
    commands.encoder.global_barrier()
    commands.submit()
    gpu.wait()
    bound = {**maps.variables, "frame_bytes": found, "frame_places": gpu.buffer(packed.places)}
    text = vectors_text(materials[0].recipe, "inferencing_optimal", maps, packed.places)
    return BatchedDecoder(text, bound, "vector", len(packed.data))


def _joined(parts: Sequence[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], list[int]]:
    """Return the concatenated arrays, and the offset of each."""
    firsts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return np.concatenate(parts), [int(first) for first in firsts]
