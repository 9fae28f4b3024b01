"""Many materials of one architecture in one kernel: who shares a layer has it once.

Device half: frame.slang, through cooperative vectors; elsewhere the loops of scattering.slang.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.kernel_path import inference_path
from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.kinds.material.frame_maps import FEATURES, Mapped, frame_maps
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.scattering import scattering_of
from neuralshade.kinds.material.shared import SIZES, shared_digest
from neuralshade.model.lobes import LobeInputs

ALIGNED = 64  # bytes, as cooperative vectors want matrices
PLACE = ("range", "read", "biases", "first", "second", "stride", "map", "layer")
VECTORS = """
import neuralshade.kinds.material.frame;
import neuralshade.model.lobes;
{maps}
{lobes}
StructuredBuffer<FramePlace> places;
ByteAddressBuffer frame_bytes;

float3 decoded(uint material, float2 uv, float level, float3 wi, float3 wo)
{{
    FramePlace place = places[material];
    float4 codes[2] = frame_codes(place.map, place.layer, uv, level);
    return FrameMaterial<FrameLobes, {width}, {layers}, CoopVecMatrixLayout.{layout}>.eval(
        place, frame_bytes, codes, wi, wo);
}}
"""
LOOPS = """
import {module};
import neuralshade.model.scattering;
StructuredBuffer<uint4> materials;
StructuredBuffer<float> numbers;
StructuredBuffer<uint> words;

float3 decoded(uint material, float2 uv, float level, float3 wi, float3 wo)
{{
    uint4 at = materials[material];
    return {type}.at_level(numbers, words, at.x, at.y, uv, level).eval(wi, wo);
}}
"""
Halves = npt.NDArray[np.float16]
SizeOf = Callable[[int, int], int]  # bytes of a matrix of so many rows and columns


@dataclass(frozen=True)
class FrameDecoder:
    """Slang text of ``decoded``, which returns f * cos of wi, and what it reads.

    ``float3 decoded(uint material, float2 uv, float level, float3 wi, float3 wo)``: ``level`` of
    the feature map, of which 0 is the finest and which may lie between two.
    """

    text: str
    variables: Mapping[str, Any]
    path: str  # vector or fma
    network_bytes: int  # of all networks


@dataclass(frozen=True)
class PackedFrame:
    """Networks for frame.slang: what matrices there are, and where; the rest is in ``data``."""

    data: npt.NDArray[np.uint8]  # zeros where matrices belong
    places: npt.NDArray[np.uint32]  # [materials, PLACE]
    matrices: tuple[tuple[int, Halves], ...]  # first byte, and values [rows, columns]


def frame_decoder(gpu: Gpu, materials: Sequence[Mapped]) -> FrameDecoder:
    """Return what evaluates ``materials`` by their index.

    By cooperative vectors in float16 where the device has them, texels have 8 numbers and no input
    is varied, else by loops in float32, which have inputs at their defaults.

    Raises: ConfigError for none, and for two of different architectures.
    """
    check_alike(materials)
    recipe = materials[0].recipe
    vectors = (inference_path(gpu.adapter) == "vector" and recipe.features == FEATURES
               and not recipe.varied_count)  # fmt: skip
    if vectors:
        return _by_vectors(gpu, materials)
    parts = [scattering_of(one.recipe, one.side, one.tensors) for one in materials]
    words, first_words = _joined([part.words for part in parts])
    numbers, first_numbers = _joined([part.numbers for part in parts])
    table = np.zeros((len(parts), 4), np.uint32)
    table[:, 0], table[:, 1] = first_numbers, first_words
    bound = {"words": gpu.buffer(words), "numbers": gpu.buffer(numbers),
             "materials": gpu.buffer(table)}  # fmt: skip
    text = LOOPS.format(module=parts[0].module, type=parts[0].type)
    return FrameDecoder(text, bound, "fma", numbers.nbytes)


def check_alike(materials: Sequence[Mapped]) -> None:
    """Raise ConfigError where there is no material, or two are of different architectures."""
    if not materials:
        raise ConfigError("frame: got no material, need one or more. Name assets.")
    first = materials[0].recipe
    for index, one in enumerate(materials):
        for name in (*SIZES, "varied_count"):
            got, need = getattr(one.recipe, name), getattr(first, name)
            if got != need:
                raise ConfigError(f"frame: got {name}={got!r} of material {index}, need {need!r} "
                                  "as material 0 has. Fit them by fit materials.")  # fmt: skip


def vectors_text(recipe: MaterialRecipe, layout: str, maps: str) -> str:
    """Return the Slang text of ``decoded`` by cooperative vectors; ``maps``: of ``frame_codes``."""
    lobes = LobeInputs(recipe.features, recipe.lobes, rng=None).slang("Frame").declarations
    return VECTORS.format(maps=maps, lobes=lobes, layout=layout.title().replace("_", ""),
                          width=recipe.hidden_width, layers=recipe.hidden_layers)  # fmt: skip


def pack_frame(
    materials: Sequence[Mapped], of_maps: Sequence[tuple[int, int]], size_of: SizeOf
) -> PackedFrame:
    """Return the networks of materials of one architecture; equal first layers lie there once."""
    blocks: list[npt.NDArray[np.uint8]] = []
    matrices: list[tuple[int, Halves]] = []
    shared: dict[str, int] = {}
    end = 0

    def put(block: npt.NDArray[Any]) -> int:
        nonlocal end
        raw = np.ascontiguousarray(block).reshape(-1).view(np.uint8)
        blocks.append(np.pad(raw, (0, -len(raw) % ALIGNED)))
        end += len(blocks[-1])
        return end - len(blocks[-1])

    def put_matrix(values: Halves) -> int:
        first = put(np.zeros(size_of(*values.shape), np.uint8))
        matrices.append((first, values))
        return first

    places = np.zeros((len(materials), len(PLACE)), np.uint32)
    for row, one, of_map in zip(places, materials, of_maps, strict=True):
        layers = [f"decoder.{i}" for i in range(one.recipe.hidden_layers + 1)]
        filled = [_filled(one.tensors[f"{name}.weight"]) for name in ["lobes", *layers]]
        biases = [_filled(one.tensors[f"{name}.bias"][None])[0] for name in ["lobes", *layers]]
        digest = shared_digest(one.tensors)
        if digest not in shared:
            shared[digest] = put_matrix(filled[1])
        ends = put(one.tensors["range"].astype("<f4"))
        read = put_matrix(filled[0])
        later = [put_matrix(matrix) for matrix in filled[2:]]
        stride = later[1] - later[0] if len(later) > 1 else 0
        row[:] = (ends, read, put(np.concatenate(biases)), shared[digest], later[0], stride,
                  *of_map)  # fmt: skip
    return PackedFrame(np.concatenate(blocks), places, tuple(matrices))


def row_major(packed: PackedFrame) -> npt.NDArray[np.uint8]:
    """Return the bytes of networks whose matrices lie row by row."""
    data = packed.data.copy()
    for first, values in packed.matrices:
        data[first : first + values.nbytes] = values.reshape(-1).view(np.uint8)
    return data


def _by_vectors(gpu: Gpu, materials: Sequence[Mapped]) -> FrameDecoder:
    """Return the decoder with its matrices in the device's own layout."""
    import slangpy as spy

    device = slangpy_gpu(gpu, "cooperative vectors").device
    maps = frame_maps(device, materials)
    half = spy.DataType.float16
    kinds = spy.CoopVecMatrixLayout.inferencing_optimal, spy.CoopVecMatrixLayout.row_major

    def size_of(rows: int, columns: int) -> int:
        return int(device.get_coop_vec_matrix_size(rows, columns, kinds[0], half))

    packed = pack_frame(materials, maps.places, size_of)
    rows = pack_frame(materials, maps.places, lambda rows, columns: 2 * rows * columns)
    found, source = gpu.buffer(packed.data), gpu.buffer(row_major(rows))
    descriptions = [
        [device.create_coop_vec_matrix_desc(*values.shape, kind, half, first)
         for first, values in frame.matrices]
        for kind, frame in zip(kinds, (packed, rows), strict=True)
    ]  # fmt: skip
    commands: Any = gpu.commands()
    into: Any = found
    at: Any = source
    # SlangPy's own barriers name shader stages only; conversion is a stage of its own
    commands.encoder.global_barrier()
    commands.encoder.convert_coop_vec_matrices(into.native, descriptions[0], at.native,
                                               descriptions[1])  # fmt: skip
    commands.encoder.global_barrier()
    commands.submit()
    gpu.wait()
    bound = {**maps.variables, "frame_bytes": found, "places": gpu.buffer(packed.places)}
    text = vectors_text(materials[0].recipe, "inferencing_optimal", maps.text)
    return FrameDecoder(text, bound, "vector", len(packed.data))


def _filled(matrix: npt.NDArray[Any]) -> Halves:
    """Return a matrix whose sides are filled up by zeros to multiples of 8; of one row, columns."""
    rows, columns = matrix.shape
    below = 0 if rows == 1 else -rows % 8
    return np.pad(matrix.astype(np.float16), ((0, below), (0, -columns % 8)))


def _joined(parts: Sequence[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], list[int]]:
    """Return arrays one behind the other, and where each begins."""
    firsts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return np.concatenate(parts), [int(first) for first in firsts]
