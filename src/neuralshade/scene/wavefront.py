"""Wavefront path tracing: points are sorted by material before a decoder evaluates them.

In each bounce `meet` traces rays, draws samples and traces shadows; points of fitted materials are
then sorted, and `decode` evaluates them, all samples of a point at once.
Device half: wavefront.cs.slang, wavefront.decode.cs.slang; both read wavefront.state.slang.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from neuralshade.gpu.gpu import Commands, Dispatch, Gpu, Kernel, Steps
from neuralshade.model.batched_decoder import BatchedDecoder
from neuralshade.scene.bound_scene import (
    TILE,
    SceneContents,
    bind_materials,
    fast_math,
    imports_text,
    material_with_text,
)
from neuralshade.scene.decoded_materials import DecodedMaterials
from neuralshade.scene.material_sort import LANES, NOBODY, MaterialSort

MOST_BYTES = 2**29  # of a batch's state between kernels; larger pictures take several batches
CACHED_SIZES = 4  # batch sizes with cached steps
PATH_BYTES, SAMPLE_BYTES = 3 * 16, 16 + 8  # see wavefront.state.slang
POINT_BYTES = 16 + 16 + 4 + 2 * 4  # and its index in the order
CONSTANTS = f"""
static const uint SORTED_TOGETHER = {LANES}u;
static const uint NOBODY = {NOBODY}u;
"""
SCATTER = """
void scatter(uint type, uint point, Vertex vertex, inout Path path)
{{
    switch (type)
    {{
{cases}    default: break;
    }}
}}
"""
Case = tuple[str, str, bool]  # module, type, whether it is decoded
Part = tuple[str, Sequence[Dispatch]]
PartCallback = Callable[[str], object]


class WavefrontPaths:
    """Traces one more path through each pixel, bounce by bounce for all of them."""

    def __init__(
        self, gpu: Gpu, contents: SceneContents, decoded: DecodedMaterials,
        bound: Mapping[str, Any], most: int, bounces: int,
    ):  # fmt: skip
        """Compile the kernels.

        Args:
            gpu: the device.
            contents: of the scene.
            decoded: its materials that decoders evaluate.
            bound: bindings of camera, meshes, lights and environment.
            most: pixels of a picture.
            bounces: surfaces of a path, 1 or more.
        """
        self.gpu, self._bounces = gpu, bounces
        self._cached: dict[int, Steps] = {}
        slots = len(contents.lights) + 2  # continuation, lights, environment
        each = PATH_BYTES + POINT_BYTES + slots * SAMPLE_BYTES
        roomy = most + most // 32  # pictures of other shapes have more tiles at their borders
        self.points = LANES * -(-min(roomy, max(1, MOST_BYTES // each)) // LANES)
        self._batch, self._rest = gpu.buffer(np.zeros(5, np.uint32)), decoded.rest
        bins = gpu.buffer(size=4 * self.points)
        self._order = MaterialSort(gpu, bins, self.points, decoded.rest + 1, self._batch)
        state = {
            "views": bound["views"], "light_sums": bound["light_sums"], "batch": self._batch,
            "point_bins": bins, "sorted": self._order.order, "decoded": gpu.buffer(decoded.table),
            **{name: gpu.buffer(size=16 * self.points)
               for name in ("path_from", "path_along", "path_weights", "point_places",
                            "point_eyes")},
            "sample_directions": gpu.buffer(size=16 * slots * self.points),
            "sample_factors": gpu.buffer(size=8 * slots * self.points),
        }  # fmt: skip
        self._begin, self._meet, self._end = _path_kernels(
            gpu, contents, decoded, {**bound, **state}
        )
        self._decode: list[Kernel] = [
            gpu.kernel(decode_text(decoder, index), "decode", {**state, **decoder.variables},
                       **decoder.options)
            for index, decoder in enumerate(decoded.decoders)
        ]  # fmt: skip

    def record(
        self,
        commands: Commands,
        size: tuple[int, int],
        after: PartCallback | None = None,
    ) -> None:
        """Record one more path through each pixel.

        ``after``: called with each part's name once recorded: begin, meet, sort, decode or end.
        """
        across, down = (-(-side // TILE) for side in size)
        whole = across * down * TILE**2
        for first in range(0, whole, self.points):
            points = min(self.points, whole - first)
            batch = [points, self._order.places_for(points), first, self.points, self._rest]
            commands.upload(self._batch, 0, np.array(batch, np.uint32))
            if after is None:
                commands.run(self._steps(points))
                continue
            for name, dispatches in self._parts(points):
                commands.run(self.gpu.steps(dispatches))
                after(name)

    def _steps(self, points: int) -> Steps:
        """Return all parts as one list, cached to save host time."""
        if points not in self._cached:
            if len(self._cached) == CACHED_SIZES:
                self._cached.clear()
            every = [each for _, dispatches in self._parts(points) for each in dispatches]
            self._cached[points] = self.gpu.steps(every)
        return self._cached[points]

    def _parts(self, points: int) -> list[Part]:
        """Return the dispatches of a batch of that many points, by name."""
        groups = -(-points // LANES)
        sorted_groups = self._order.places_for(points) // LANES
        bounce: list[Part] = [
            ("meet", [(self._meet, groups)]),
            ("sort", self._order.dispatches_for(points)),
            ("decode", [(kernel, sorted_groups) for kernel in self._decode]),
        ]
        return [("begin", [(self._begin, groups)]), *(self._bounces * bounce),
                ("end", [(self._end, groups)])]  # fmt: skip


def _path_kernels(
    gpu: Gpu, contents: SceneContents, decoded: DecodedMaterials, bound: Mapping[str, Any]
) -> list[Kernel]:
    """Return the kernels that begin paths, let them meet a surface, and end them."""
    inline = material_with_text(contents.materials)
    each: list[Case] = [(m.module, m.type, i in decoded.places)
                        for i, m in enumerate(contents.materials)]  # fmt: skip
    cases = sorted(set(each))
    places = [decoded.places.get(index, decoded.rest) for index in range(len(each))]
    table = bind_materials(gpu, contents.materials, [cases.index(one) for one in each], places)
    buffers = {name: gpu.buffer(values) for name, values in inline.buffers.items()}
    text = meet_text(cases, inline.text)
    variables, fast = {**bound, **table, **buffers}, fast_math(inline)
    return [gpu.kernel(text, entry, variables, folder=inline.folder, fast_math=fast)
            for entry in ("begin", "meet", "end")]  # fmt: skip


def meet_text(cases: Sequence[Case], inline: str = "") -> str:
    """Return the Slang text of the path kernels for these types of surfaces.

    ``inline``: source text that declares types without a module.
    """
    calls = "".join(
        f"    case {i}: store_samples<{name}>(point, vertex, path); break;\n" if is_decoded else
        f"    case {i}: scatter_from<{name}>(vertex, path); break;\n"
        for i, (_, name, is_decoded) in enumerate(cases)
    )  # fmt: skip
    imports = imports_text(module for module, _, _ in cases)
    # last, since its macros must not affect other modules
    return (f'{imports}{CONSTANTS}#include "neuralshade/scene/wavefront.cs.slang"\n{inline}'
            f"{SCATTER.format(cases=calls)}")  # fmt: skip


def decode_text(decoder: BatchedDecoder, index: int) -> str:
    """Return the Slang text that evaluates the points of one decoder's materials."""
    return (f"{decoder.text}{CONSTANTS}static const uint DECODER = {index}u;\n"
            '#include "neuralshade/scene/wavefront.decode.cs.slang"\n')  # fmt: skip
