"""Many materials in one frame: every pixel its own, sorted by material before the decoder runs.

    python benchmarks/materials_frame.py [--device vulkan] [--screen 1920x1080] [--side 512]
        [--counts 1 10 100] [--network 32x2] [--sorted-group 64] [--name NAME]

Materials have random numbers, each a map of SIDE x SIDE texels and networks of its own ("own"), or
the decoder's first layer of the first one ("shared"): what `fit materials --share` makes. Pixels
have materials block by block of 32 x 32 ("blocks") or each at random ("pixels"), and show a plane
or anything at all ("scattered"), as kinds/material/speed/screen.py has it, under one light.

"as they come" is one kernel of the pixels in their order. "sorted" is the sort, then the decoder in
groups of one material, whose values stay in that order, and what brings these back to the pixels;
"of it the sort" is that part alone. GPU timestamps; software has few
pixels and one run of each. Every time is of kernels that were compared with PyTorch first.
Writes results/materials_frame_<API>.json.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from shared.results import write_results

from neuralshade.gpu.clock import Patience, steps_seconds
from neuralshade.gpu.device import is_software
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, run_steps
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.material.asset import pack_field, pack_sampler, stored_field
from neuralshade.kinds.material.batched_decoder import build_decoder
from neuralshade.kinds.material.field import build_field, encoding_of
from neuralshade.kinds.material.judging.judge import field_shade
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.sampler_fit import untrained_sampler
from neuralshade.kinds.material.shared import shared_names
from neuralshade.kinds.material.speed.screen import TILE, Screen
from neuralshade.model.batched_decoder import BatchedDecoder
from neuralshade.scene.material_sort import LANES, NOBODY, MaterialSort

Row = dict[str, Any]
Floats = npt.NDArray[np.float32]
GROUP = 256  # threads, of pixels as they come
BLOCK = 32  # pixels along a side that have one material
FEW, FEW_TEXELS = (320, 176), 32
CHECKED = 512  # pixels that are compared with PyTorch
TOLERANCE = {
    "vector": 3e-2,
    "matrix": 3e-2,
    "fma": 2e-3,
}  # of the largest value: float16 and float32
SHADE = """
StructuredBuffer<uint> pixel_materials;
StructuredBuffer<uint> sorted;
StructuredBuffer<uint> place_of_pixel;
RWStructuredBuffer<uint2> in_their_order;
RWStructuredBuffer<uint2> drawn;

uint2 shade(uint pixel, uint material)
{{
    ScreenPoint point = screen_point(screen_at(pixel));
    DecodedPoint of = decoded_at(material, point.uv, 0.0f);
    return screen_halves(decoded_towards(material, of, point.wi, point.wo));
}}

[shader("compute")]
[numthreads({group}, 1, 1)]
void as_they_come(uint3 thread : SV_DispatchThreadID)
{{
    uint pixel = min(thread.x, {last}u);
    drawn[pixel] = shade(pixel, pixel_materials[pixel]);
}}

[shader("compute")]
[numthreads({sorted_group}, 1, 1)]
void in_order(uint3 thread : SV_DispatchThreadID)
{{
    uint first = sorted[thread.x / {lanes}u * {lanes}u];
    if (first == {nobody}u)
        return; // {lanes} threads, which is whole warps
    uint pixel = sorted[thread.x];
    bool kept = pixel != {nobody}u; // the others go along, so that a group stays whole
    in_their_order[thread.x] = shade(kept ? pixel : first, pixel_materials[first]);
}}

[shader("compute")]
[numthreads({group}, 1, 1)]
void brought_back(uint3 thread : SV_DispatchThreadID)
{{
    if (thread.x <= {last}u)
        drawn[thread.x] = in_their_order[place_of_pixel[thread.x]];
}}
"""


@dataclass(frozen=True)
class Frame:
    """A frame's kernels, ready to be run."""

    gpu: Gpu
    drawn: Buffer
    sort: list[Dispatch]
    ways: dict[str, list[Dispatch]]

    def values(self, way: str, count: int) -> Floats:
        """Run a way; return what it drew, float32 [count, 3]."""
        run_steps(self.gpu, self.gpu.steps(self.ways[way]))
        return Screen.unpacked(self.drawn.read(), count)

    def microseconds(self, dispatches: list[Dispatch], patience: Patience) -> float:
        """Return the median time of a frame."""
        return 1e6 * steps_seconds(self.gpu, self.gpu.steps(dispatches), patience)


def drawn_materials(
    count: int, side: int, recipe: MaterialRecipe, shared: bool, levels: int = 1
) -> list[Any]:
    """Return materials of random numbers, as their files would hold them."""
    found: list[Any] = []
    for seed in range(count):
        rng = torch.Generator().manual_seed(seed)
        field = build_field(recipe, side, rng, levels)
        torch.nn.init.uniform_(encoding_of(field).grid.texels, 0, 1, generator=rng)
        tensors = {**pack_field(field), **pack_sampler(untrained_sampler(recipe))}
        if shared and found:
            tensors |= {name: found[0].tensors[name] for name in shared_names()}
        found.append(SimpleNamespace(recipe=recipe, side=side, tensors=tensors))
    return found


def pixel_materials(screen: Screen, count: int, blocks: bool) -> npt.NDArray[np.uint32]:
    """Return the material of each pixel, in the order of ``screen.pixels()``."""
    rng = np.random.default_rng(7)
    if not blocks:
        return rng.integers(0, count, screen.count, np.uint32)
    sides = -(-screen.down // BLOCK), -(-screen.across // BLOCK)
    of_block = rng.integers(0, count, sides, np.uint32)
    x, y = screen.pixels().T
    return np.ascontiguousarray(of_block[y // BLOCK, x // BLOCK])


def whole_text(decoder: str, screen: Screen, sorted_group: int) -> str:
    """Return the text of all kernels but the sort's."""
    return decoder + screen.text() + SHADE.format(
        group=GROUP, sorted_group=sorted_group, lanes=LANES, nobody=NOBODY,
        last=screen.count - 1)  # fmt: skip


def frame_of(
    gpu: Gpu, decoder: BatchedDecoder, screen: Screen, of: npt.NDArray[np.uint32], count: int,
    sorted_group: int,
) -> Frame:  # fmt: skip
    """Return what draws ``screen``, of whose pixels each has its material."""
    materials, drawn = gpu.buffer(of), gpu.buffer(size=8 * screen.count)
    sort = MaterialSort(gpu, materials, screen.count, count)
    bound = {**decoder.variables, "drawn": drawn, "pixel_materials": materials,
             "sorted": sort.order, "place_of_pixel": sort.places,
             "in_their_order": gpu.buffer(size=8 * LANES * sort.groups)}  # fmt: skip
    text = whole_text(decoder.text, screen, sorted_group)
    came, in_order, back = (gpu.kernel(text, name, bound, **decoder.options)
                            for name in ("as_they_come", "in_order", "brought_back"))  # fmt: skip
    groups = -(-screen.count // GROUP)
    ways = {
        "as they come": [(came, groups)],
        "sorted": [*sort.dispatches, (in_order, sort.groups * LANES // sorted_group),
                   (back, groups)],
    }  # fmt: skip
    return Frame(gpu, drawn, sort.dispatches, ways)


def check(frame: Frame, path: str, materials: list[Any], of: Any, screen: Screen) -> None:
    """Raise SystemExit where a way draws anything else than PyTorch does."""
    uv, wi, wo = screen.points()
    asked = np.random.default_rng(3).choice(screen.count, CHECKED, replace=False)
    wanted = np.zeros((CHECKED, 3), np.float32)
    for index in np.unique(of[asked]):
        one, own = materials[index], of[asked] == index
        field = stored_field(one.recipe, one.side, one.tensors)
        wanted[own] = field_shade(field)(uv[asked[own]], wi[asked[own]], wo[asked[own]])
    for way in frame.ways:
        off = np.abs(frame.values(way, screen.count)[asked] - wanted).max() / wanted.max()
        if not off <= TOLERANCE[path]:
            raise SystemExit(f"{way}: got values {off:.2g} of the largest one off PyTorch's, need "
                             f"{TOLERANCE[path]}")  # fmt: skip


def rows_of(
    gpu: Gpu, count: int, screens: list[Screen], asked: argparse.Namespace
) -> Iterator[Row]:
    """Yield the times of so many materials."""
    patience = Patience(0.0, 1) if is_software(gpu.name) else Patience(0.35, 7)
    width, layers = (int(part) for part in asked.network.split("x"))
    recipe = MaterialRecipe(hidden_width=width, hidden_layers=layers)
    for shared in (False, True) if count > 1 else (False,):
        materials = drawn_materials(count, asked.side, recipe, shared)
        decoder = build_decoder(gpu, materials)
        for screen in screens:
            for blocks in (True, False) if count > 1 else (True,):
                of = pixel_materials(screen, count, blocks)
                frame = frame_of(gpu, decoder, screen, of, count, asked.sorted_group)
                check(frame, decoder.path, materials, of, screen)
                came, whole, sort = (frame.microseconds(dispatches, patience) for dispatches in
                                     (*frame.ways.values(), frame.sort))  # fmt: skip
                yield {
                    "materials": count, "decoder": "shared" if shared else "own",
                    "points": "scattered" if screen.scattered else "plane",
                    "of a material": "blocks" if blocks else "pixels", "path": decoder.path,
                    "as they come [us]": round(came, 1), "sorted [us]": round(whole, 1),
                    "of it the sort [us]": round(sort, 1),
                    "networks [bytes]": decoder.network_bytes,
                }  # fmt: skip


def main() -> None:
    """Time all of it, and write what was found."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--device", default="vulkan", help="API")
    parser.add_argument("--screen", help=f"multiples of {TILE} [1920x1080; {FEW} in software]")
    parser.add_argument("--side", type=int, help=f"texels [512; {FEW_TEXELS} in software]")
    parser.add_argument("--counts", nargs="+", type=int, default=[1, 10, 100])
    parser.add_argument("--network", default="32x2", help="width x hidden layers")
    parser.add_argument("--sorted-group", type=int, default=LANES, choices=[64, 128, 256],
                        help="threads of a group that evaluates sorted points")  # fmt: skip
    parser.add_argument("--name", help="behind results/materials_frame_ [the API]")
    asked = parser.parse_args()
    gpu = open_gpu(asked.device)
    software = is_software(gpu.name)
    usual = FEW if software else (1920, 1080)
    across, down = usual if asked.screen is None else map(int, asked.screen.split("x"))
    asked.side = asked.side or (FEW_TEXELS if software else 512)
    screens = [Screen(across, down, asked.side, scattered) for scattered in (False, True)]
    rows: list[Row] = []
    for count in asked.counts:
        for row in rows_of(gpu, count, screens, asked):
            rows.append(row)
            print(row, flush=True)
    facts = {"gpu": f"{gpu.name} ({gpu.api})", "screen": f"{across} x {down}",
             "map of a material": f"{asked.side} x {asked.side} x 8",
             "network": asked.network}  # fmt: skip
    name = asked.name or ("software" if software else gpu.api)
    write_results(f"materials_frame_{name}", {"A frame": rows}, facts)
    gpu.close()


if __name__ == "__main__":
    main()
