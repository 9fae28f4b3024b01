"""Gaussians: the tasks of SlangPy's splatting samples, rendering, and what a step costs.

    python benchmarks/fit_splats.py [--device cuda] [--quick]

Writes results/fit_splats_<API>.json. Needs jeep.jpg below ../shared/data or the folder that
NEURALSHADE_DATA names. SlangPy's samples do not run with the versions at hand, so the naive path
stands for them: every pixel visits every Gaussian, on the same GPU in the same run. On a software
adapter the tasks are smaller, and the tables say so.
"""

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.gpu.gpu import Gpu, Steps
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.kinds.splats.build import build_splat_engine, cloud_of
from neuralshade.kinds.splats.draw import Cloud
from neuralshade.kinds.splats.engine import SplatEngine
from neuralshade.kinds.splats.gpu_renderer import SplatRenderer
from neuralshade.kinds.splats.growth import first_cloud
from neuralshade.kinds.splats.kernels import TILE_PX
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.kinds.splats.schedule import free_ranges
from neuralshade.model.gaussian import COMPOSITINGS, reach_px
from neuralshade.source.picture import Picture

Row = dict[str, Any]
WARM_SECONDS = 1.0  # of the same work first: a GPU that idled runs at a third of its clock
SAMPLE = {"count": 200, "compositing": "over"}  # what SlangPy's simplified sample trains
SAMPLE_STEPS = 10_000
TILED_COUNT = 40_960  # Gaussians of SlangPy's tiled sample
FRAME = (1920, 1080)
FRAME_COUNT = 10_000


def engine_of(gpu: Gpu, picture: Picture, naive: bool, **settings: Any) -> SplatEngine:
    """Return an engine that has all its Gaussians from the start."""
    recipe = SplatsRecipe(**{"begin": 1.0, **settings})
    engine = build_splat_engine(recipe, picture, gpu, recipe.count, naive=naive)
    engine.set_ranges(free_ranges(recipe, picture.width, picture.height, picture.channels))
    return engine


def warm(work: Callable[[], Any]) -> None:
    """Do the work for a while."""
    end = time.perf_counter() + WARM_SECONDS
    while time.perf_counter() < end:
        work()


def steps_per_second(engine: SplatEngine, most_seconds: float = 3.0) -> float:
    """Return whole steps a second, host included; the median of five runs."""
    start = time.perf_counter()
    engine.advance([0.01])
    once = time.perf_counter() - start
    if once < 0.1:
        warm(lambda: engine.advance([0.01] * 64))
        start = time.perf_counter()
        engine.advance([0.01] * 64)
        once = (time.perf_counter() - start) / 64
    count = max(1, int(most_seconds / 5 / once))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        engine.advance([0.01] * count)
        times.append((time.perf_counter() - start) / count)
    return 1 / float(np.median(times))


def psnr_db(drawn: np.ndarray, wanted: np.ndarray) -> float:
    """Return PSNR in dB of values in [0, 1]."""
    return float(-10 * np.log10(np.square(drawn.clip(0, 1) - wanted).mean()))


def sample_task(gpu: Gpu, picture: Picture, steps: int) -> list[Row]:
    """Return SlangPy's simplified sample: 200 Gaussians that cover each other."""
    rows = []
    for naive in (False, True):
        engine = engine_of(gpu, picture, naive, **SAMPLE)
        warm(lambda engine=engine: engine.advance([0.0] * 8))
        share = 1.0 if not naive else 0.1
        factors = [0.01 ** (i / steps) for i in range(round(steps * share))]
        start = time.perf_counter()
        engine.advance(factors)
        seconds = time.perf_counter() - start
        rows.append({
            "path": "naive" if naive else "tiled", "Gaussians": SAMPLE["count"],
            "steps run": len(factors), "seconds": round(seconds, 3),
            f"seconds for {steps:,}": round(seconds / share, 2),
            "steps/s": round(len(factors) / seconds),
            "PSNR dB": round(psnr_db(engine.draw(), picture.as_float()), 2) if not naive else "-",
        })  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def speed_rows(gpu: Gpu, picture: Picture, count: int) -> list[Row]:
    """Return steps a second of every compositing, and of the naive path."""
    rows = []
    for compositing in COMPOSITINGS:
        fast, slow = (
            steps_per_second(engine_of(gpu, picture, naive, count=count, compositing=compositing))
            for naive in (False, True)
        )
        rows.append({"compositing": compositing, "Gaussians": count, "steps/s": round(fast, 1),
                     "naive steps/s": round(slow, 2), "ratio": round(fast / slow, 1)})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def goal_rows(api: str, path: Path, goals: list[dict[str, Any]]) -> list[Row]:
    """Return fits by the command's own function, until they have a quality or their time."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "fit.nsh"
        options = neuralshade.FitOptions(device=api)
        for goal in goals:
            neuralshade.fit_splats(path, output, options=options, **{**goal, "steps": 2})
            fit = neuralshade.fit_splats(path, output, options=options, **goal)
            rows.append({
                "asked": ", ".join(f"{key}={value}" for key, value in goal.items()),
                "Gaussians": fit.count, "steps": fit.steps, "seconds": round(fit.seconds, 2),
                "PSNR dB": round(fit.psnr_db, 2), "bytes": fit.asset_bytes,
            })  # fmt: skip
            print(rows[-1], flush=True)
    return rows


def median_seconds(gpu: Gpu, steps: Steps, least: int = 20) -> float:
    """Return the GPU's own time for ``steps``, the median of five runs of ``least``."""

    def run() -> None:
        commands = gpu.commands()
        commands.run(steps, least)
        commands.submit()
        gpu.wait()

    warm(run)
    times = []
    for _ in range(5):
        stamps = gpu.stamps(2)
        commands = gpu.commands()
        commands.stamp(stamps, 0)
        commands.run(steps, least)
        commands.stamp(stamps, 1)
        commands.submit()
        begin, end = stamps.seconds(2)
        times.append((end - begin) / least)
    return float(np.median(times))


def frame_rows(gpu: Gpu, picture: Picture, software: bool) -> list[Row]:
    """Return frames a second of Gaussians projected, listed and drawn."""
    width, height = (FRAME[0] // 8, FRAME[1] // 8) if software else FRAME
    rows = []
    for compositing in COMPOSITINGS:
        recipe = SplatsRecipe(count=FRAME_COUNT, compositing=compositing)
        cloud = spread_cloud(recipe, picture)
        steps = SplatRenderer(gpu, cloud).steps(width, height)
        seconds = median_seconds(gpu, steps, 2 if software else 50)
        rows.append({"compositing": compositing, "Gaussians": FRAME_COUNT,
                     "pixels": f"{width} x {height}", "us a frame": round(seconds * 1e6, 1),
                     "frames/s": round(1 / seconds)})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def spread_cloud(recipe: SplatsRecipe, picture: Picture) -> Cloud:
    """Return the Gaussians that a fit begins with, as many as the recipe wants."""
    rng, background = np.random.default_rng(0), np.zeros(picture.channels, np.float32)
    cloud = cloud_of(recipe, np.zeros((1, 1), np.float32), background, 1, 1)
    values = first_cloud(picture.as_float(), recipe.count, cloud.compositing, rng, background)
    return cloud_of(recipe, values, background, picture.width, picture.height)


def met_by_tile(engine: SplatEngine) -> float:
    """Return how many Gaussians' boxes meet a tile, on average."""
    values = torch.from_numpy(engine.values())
    reach = reach_px(values, engine.form.cutoff)
    met = torch.ones(values.shape[1])
    for axis, size in enumerate((engine.width, engine.height)):
        most = -(-size // TILE_PX)
        low = ((values[axis] - reach[axis]) / TILE_PX).floor().clamp(0, most)
        high = ((values[axis] + reach[axis]) / TILE_PX).ceil().clamp(0, most)
        met *= high - low
    return float(met.sum()) / engine.layout.tiles


def cost_rows(gpu: Gpu, picture: Picture, counts: list[int]) -> list[Row]:
    """Return what a step costs with more Gaussians of one size: as many more a tile."""
    rows = []
    for count in counts:
        engine = engine_of(gpu, picture, False, count=count)
        values = engine.values()
        values[2:4] = np.log(6.0)
        engine.set_cloud(values)
        met = met_by_tile(engine)
        speed = steps_per_second(engine, 1.0)
        rows.append({"Gaussians": count, "met by a tile": round(met, 1),
                     "ms a step": round(1e3 / speed, 3),
                     "us a Gaussian met": round(1e6 / speed / met, 2)})  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run what the machine allows, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--quick", action="store_true", help="leave out the fits to a quality")
    options = parser.parse_args()
    paths = find_pictures(["jeep.jpg"])
    gpu = open_gpu(options.device or "auto") if options.device else open_hardware()
    if gpu is None or not paths:
        print("left out: no hardware GPU answers" if gpu is None else "left out: no picture")
        return
    path = paths["jeep.jpg"]
    picture = neuralshade.load_picture(path)
    software = gpu.adapter.software
    goals: list[dict[str, Any]] = [
        {"count": TILED_COUNT, "target_psnr": 40.0, "seconds": 5.0},
        {"count": TILED_COUNT, "target_psnr": 40.0, "seconds": 5.0, "compositing": "over"},
        {"count": 2000, "seconds": 5.0},
    ]
    if software:
        goals = [{"count": 2000, "seconds": 60.0}]
    sections = {
        f"SlangPy's sample: jeep.jpg, {SAMPLE['count']} Gaussians": sample_task(
            gpu, picture, 100 if software else SAMPLE_STEPS
        ),
        "Whole steps": speed_rows(gpu, picture, 1000 if software else TILED_COUNT),
        "What a step costs": cost_rows(
            gpu, picture, [250, 500, 1000, 2000] if software else [2500, 5000, 10_000, 20_000]
        ),
        "Rendering, by the GPU's clock": frame_rows(gpu, picture, software),
    }
    if not options.quick:
        sections["jeep.jpg by fit splats"] = goal_rows(gpu.api, path, goals)
    about = {"gpu": f"{gpu.name} ({gpu.api})"}
    write_results(f"fit_splats_{'software' if software else gpu.api}", sections, about)
    gpu.close()


if __name__ == "__main__":
    main()
