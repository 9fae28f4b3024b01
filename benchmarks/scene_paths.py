"""A path through each pixel of a scene: each followed whole, and in waves sorted by material.

    python benchmarks/scene_paths.py [--device vulkan] [--size 1920x1080] [--bounces 3]
        [--counts 1 4 100] [--side 512] [--network 32x2] [--scene SCENE.toml] [--name NAME]

Spheres on a grid, each of the next one of so many materials of random numbers with maps of SIDE x
SIDE texels and all their levels, on a floor of the first, under a rectangle that shines and a sky;
or a scene of its own, whose materials are as they were fitted. "whole" is one kernel, whose
decoders are float32 loops; "waves" is what `neuralshade scene` takes where there are matrix units,
and in software the same with loops, which says nothing of speed. Both are of the same random
numbers and are compared before they are timed: the mean of what lies between pixels must be below
3 % of the mean light. GPU timestamps; the parts of a wave are sums over its bounces. Writes
results/scene_paths_<API>.json.
"""

import argparse
import math
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from materials_frame import drawn_materials
from shared.results import write_results

from neuralshade.gpu.clock import GpuClock, Patience
from neuralshade.gpu.device import is_software
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.schema import level_sides
from neuralshade.kinds.material.traced import traced_scattering
from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.decoded_materials import Decoding, decoded_materials
from neuralshade.scene.document import Camera, LightEntry, read_scene
from neuralshade.scene.environment import sky
from neuralshade.scene.path import PathTracer
from neuralshade.scene.render import scene_contents
from neuralshade.scene.shapes import quad, sphere
from neuralshade.scene.wavefront import WavefrontPaths

Row = dict[str, Any]
MOST_OFF = 0.03  # of the mean light: between pixels of both ways, in the mean
COMPARED = 4  # paths
AT_ONCE = 16  # paths of a reading
ROUND = 24  # rows of a sphere: 2304 triangles
USUAL = {True: ((32, 18), 16, [1, 4]), False: ((1920, 1080), 512, [1, 4, 100])}  # by: in software
EYE = Camera((0.0, 1.1, 2.2), (0, 0.1, 0), 42)
LIGHT = LightEntry("rectangle", (12, 11, 9), position=(-1, 3, -1), across=(2, 0, 0), up=(0, 0, 2))


def grid(count: int, side: int, recipe: MaterialRecipe) -> SceneContents:
    """Return spheres of so many materials side by side, on a floor of the first."""
    drawn = drawn_materials(count, side, recipe, shared=False, levels=len(level_sides(side)))
    materials = [traced_scattering(one.recipe, one.side, one.tensors) for one in drawn]
    across = max(3, math.ceil(math.sqrt(count)))
    step = 2.0 / across
    meshes = [(quad().moved(3.0, (0, 0, 0), (0, 0, 0)), 0, 8.0)]
    for index in range(across**2):
        place = [(part + 0.5) * step - 1.0 for part in divmod(index, across)]
        ball = sphere(ROUND).moved(0.45 * step, (0, 0, 0), (place[1], 0.45 * step, place[0]))
        meshes.append((ball, index % count, 2.0))
    around = sky((0.3, 0.5, 0.9), (0.9, 0.95, 1.0), (0.25, 0.23, 0.2))
    return SceneContents(meshes, materials, around, (LIGHT,))


def mean_off(whole: PathTracer, waves: PathTracer) -> float:
    """Return the mean of what lies between both ways' pixels, over the mean light."""
    for tracer in (whole, waves):
        for _ in range(COMPARED):
            tracer.trace()
    wanted, found = whole.radiance(), waves.radiance()
    off = float(np.abs(found - wanted).mean() / wanted.mean())
    if not off <= MOST_OFF:
        raise SystemExit(f"waves: got light {off:.2g} of the mean off, need {MOST_OFF} or less")
    return off


def frame_seconds(gpu: Gpu, tracer: PathTracer, patience: Patience) -> float:
    """Return the median GPU time of a path through each pixel."""
    clock = GpuClock(gpu)
    tracer.gpu = clock
    count = 1 if is_software(gpu.name) else AT_ONCE
    readings, end = list[float](), time.perf_counter() + patience.warm_seconds
    while len(readings) < patience.repeats:
        for _ in range(count):
            tracer.trace()
        taken = clock.read() / count
        if time.perf_counter() >= end:
            readings.append(taken)
    tracer.gpu = gpu
    return median(readings)


def part_microseconds(gpu: Gpu, tracer: PathTracer) -> dict[str, float]:
    """Return the GPU time of each part of a wave, summed over bounces: warm, so call it last."""
    stamps, names = gpu.stamps(256), list[str]()
    commands = gpu.commands()
    commands.stamp(stamps, 0)

    def after(name: str) -> None:
        names.append(name)
        commands.stamp(stamps, len(names))

    assert isinstance(tracer.kernels, WavefrontPaths)
    tracer.kernels.record(commands, tracer.size, after)
    commands.submit()
    spent: Counter[str] = Counter()
    for name, seconds in zip(names, np.diff(stamps.seconds(len(names) + 1)), strict=True):
        spent[name] += 1e6 * float(seconds)
    return dict(spent)


def row_of(gpu: Gpu, contents: SceneContents, camera: Camera, asked: argparse.Namespace) -> Row:
    """Return the times of a stage by both ways."""
    software = is_software(gpu.name)
    patience = Patience(0.0, 1) if software else Patience(0.5, 7)
    ways: tuple[Decoding, Decoding] = ("none", "any" if software else "matrices")
    decoded = decoded_materials(gpu, contents.materials, ways[1])
    if decoded is None:
        raise SystemExit("waves: got no material that a decoder takes, need one. Fit one.")
    whole, waves = (
        PathTracer(gpu, contents, camera, asked.size, bounces=asked.bounces, seed=1, decoding=way)
        for way in ways
    )
    off = mean_off(whole, waves)
    times = [1e6 * frame_seconds(gpu, tracer, patience) for tracer in (whole, waves)]
    parts = part_microseconds(gpu, waves)
    return {
        "materials": len(contents.materials), "bounces": asked.bounces,
        "path": " ".join(sorted({decoder.path for decoder in decoded.decoders})),
        "whole [us]": round(times[0], 1), "waves [us]": round(times[1], 1),
        **{f"{name} [us]": round(spent, 1) for name, spent in parts.items()},
        "light off": f"{off:.2g}",
    }  # fmt: skip


def size_of(text: str) -> tuple[int, int]:
    """Return width and height in pixels."""
    width, height = (int(part) for part in text.split("x"))
    return width, height


def main() -> None:
    """Time both ways, and write what was found."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--device", default="vulkan", help="API")
    parser.add_argument("--size", type=size_of, help="of the picture [1920x1080; software: 32x18]")
    parser.add_argument("--bounces", type=int, default=3)
    parser.add_argument("--counts", nargs="+", type=int, help="materials [1 4 100; software: 1 4]")
    parser.add_argument("--side", type=int, help="texels [512; software: 16]")
    parser.add_argument("--network", default="32x2", help="width x hidden layers")
    parser.add_argument("--scene", type=Path, help="a file in place of the grid")
    parser.add_argument("--name", help="behind results/scene_paths_ [the API]")
    asked = parser.parse_args()
    gpu = open_gpu(asked.device)
    software = is_software(gpu.name)
    size, side, counts = USUAL[software]
    asked.size, side = asked.size or size, asked.side or side
    width, layers = size_of(asked.network)
    recipe = MaterialRecipe(hidden_width=width, hidden_layers=layers)
    rows = list[Row]()
    if asked.scene is not None:
        document = read_scene(asked.scene)
        rows.append(row_of(gpu, scene_contents(document), document.camera, asked))
    else:
        for count in asked.counts or counts:
            rows.append(row_of(gpu, grid(count, side, recipe), EYE, asked))
            print(rows[-1], flush=True)
    facts = {"gpu": f"{gpu.name} ({gpu.api})", "picture": "{} x {}".format(*asked.size),
             "network": asked.network}  # fmt: skip
    name = asked.name or ("software" if software else gpu.api)
    write_results(f"scene_paths_{name}", {"A path a pixel": rows}, facts)
    gpu.close()


if __name__ == "__main__":
    main()
