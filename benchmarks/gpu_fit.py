"""Fits on the GPU engine: how long to a quality, and the same quality as PyTorch's.

    python benchmarks/gpu_fit.py [--device vulkan] [--steps 500]

Writes results/gpu_fit_<API>.json. Needs jeep.jpg, kodim05.png and kodim23.png below
../shared/data or the folder that NEURALSHADE_DATA names; what is missing is left out, saying
so. Without a hardware GPU it stops, unless --device names what to use.
"""

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.errors import DeviceError
from neuralshade.fitting.recipe import from_dict
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.kinds.image.bench_networks import bench_networks
from neuralshade.kinds.image.build import build_engine, build_gpu_engine
from neuralshade.kinds.image.engine import GpuImageEngine
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.optimizer.schedule import rate_factor
from neuralshade.sampler.draw import PixelLattice

Row = dict[str, Any]
PICTURES = ["jeep.jpg", "kodim05.png", "kodim23.png"]
RIVAL = "tiny-cuda-nn 2.0 on an H200, another run"
GOALS = [  # network, dB, samples a step, what tiny-cuda-nn did
    ("B", 36.0, 2**14, "36.6 dB in 0.25 s"),
    ("C", 41.0, 2**16, "41.4 dB in 1.37 s"),
]
RATE_FINAL, RATE, GRID_RATE = 0.01, 1e-2, 1e-2
FEWEST_STEPS, MOST_STEPS = 250, 32_000
HALVINGS = 3  # of the interval, on a log scale, in which the number of steps is sought
WARM_SECONDS = 1.0  # of training first: a GPU that idled runs at a third of its clock
TORCH_STEPS = 40  # that are timed, after as many that are not
PARITY_DB = 0.3  # that both engines may differ by
KNOWN_DB = 0.1  # standard error of their mean gap at which no further seed is fitted
FEWEST_SEEDS, MOST_SEEDS = 2, 16


def goal_recipe(network: str, batch: int, steps: int) -> ImageRecipe:
    """Return what fits a picture with a network of `neuralshade bench` in so many steps."""
    found = next(n for n in bench_networks(software=False) if n.name == network)
    return from_dict(ImageRecipe, {
        "grid_bits": 16, "network_bits": 16, "sampling": "positions", "loss": "l2",
        "average": 0.0, "warmup": 0, "schedule": "cosine", "rate_final": RATE_FINAL,
        "rate": RATE, "grid_rate": GRID_RATE, "seconds": None, "steps": steps, "batch": batch,
        **found.settings,
    })  # fmt: skip


def factors_of(recipe: ImageRecipe) -> list[float]:
    """Return the schedule's factor for each step."""
    steps = recipe.steps or 0
    return [
        rate_factor(recipe.schedule, step / steps, step, recipe.rate_final, recipe.warmup)
        for step in range(steps)
    ]


def psnr_of(engine: GpuImageEngine, height: int, width: int) -> float:
    """Return the PSNR in dB over every pixel."""
    drawn, wanted = engine.preview(PixelLattice(torch.arange(height), torch.arange(width)))
    return float(-10 * torch.log10((drawn.clamp(0, 1) - wanted).square().mean()))


def timed_fit(gpu: Any, picture: Any, recipe: ImageRecipe) -> tuple[float, float]:
    """Return wall seconds of training, host included and compilation not, and the PSNR."""
    warm = build_gpu_engine(recipe, picture, gpu, "auto", False)
    engine = build_gpu_engine(recipe, picture, gpu, "auto", False)
    factors = factors_of(recipe)
    end = time.perf_counter() + WARM_SECONDS
    while time.perf_counter() < end:
        warm.advance([RATE_FINAL] * 64)
    start = time.perf_counter()
    engine.advance(factors)
    return time.perf_counter() - start, psnr_of(engine, picture.height, picture.width)


def torch_seconds(picture: Any, recipe: ImageRecipe, device: str) -> float:
    """Return the wall time of all the recipe's steps in PyTorch, judged by TORCH_STEPS."""
    engine = build_engine(recipe, picture, torch.device(device))
    engine.advance([RATE_FINAL] * TORCH_STEPS)
    start = time.perf_counter()
    engine.advance([RATE_FINAL] * TORCH_STEPS)
    return (time.perf_counter() - start) / TORCH_STEPS * (recipe.steps or 0)


def to_quality(gpu: Any, picture: Any, torch_device: str, most: int) -> list[Row]:
    """Return, for each goal, the shortest fit found that reaches it."""
    rows = []
    for network, goal, batch, rival in GOALS:
        tries: dict[int, tuple[float, float]] = {}

        def reaches(
            steps: int, recipe: ImageRecipe, tries: Any = tries, goal: float = goal
        ) -> bool:
            tries[steps] = timed_fit(gpu, picture, replace(recipe, steps=steps))
            print(f"{steps} steps: {tries[steps][1]:.2f} dB in {tries[steps][0]:.3f} s", flush=True)
            return tries[steps][1] >= goal

        recipe = goal_recipe(network, batch, 1)
        high = min(FEWEST_STEPS, most)
        while not reaches(high, recipe) and 2 * high <= most:
            high *= 2
        low = high // 2
        for _ in range(HALVINGS if tries[high][1] >= goal and high > FEWEST_STEPS else 0):
            middle = round((low * high) ** 0.5)
            low, high = (low, middle) if reaches(middle, recipe) else (middle, high)
        seconds, psnr = tries[high]
        theirs = torch_seconds(picture, replace(recipe, steps=high), torch_device)
        rows.append({
            "network": network, "goal dB": goal, "reached": "yes" if psnr >= goal else "no",
            "batch": batch, "steps": high, "PSNR dB": round(psnr, 2), "seconds": round(seconds, 3),
            "PyTorch seconds, as many steps": round(theirs, 2),
            "ratio": round(theirs / seconds, 1), RIVAL: rival,
        })  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def gap_of(path: Path, preset: str, steps: int, seed: int, devices: dict[str, str]) -> Row:
    """Return both engines' asset quality and seconds, each from the same seed."""
    row: Row = {}
    with tempfile.TemporaryDirectory() as folder:
        for engine, device in devices.items():
            fit = neuralshade.fit_image(
                path, Path(folder) / "fit.nsh", preset=preset, steps=steps, seed=seed,
                options=neuralshade.FitOptions(engine=engine, device=device),
            )  # fmt: skip
            row |= {f"{engine} dB": fit.psnr_db, f"{engine} seconds": fit.seconds}
    return row


def error_of_mean(gaps: list[float]) -> float:
    """Return the standard error of the mean of ``gaps``."""
    return statistics.stdev(gaps) / len(gaps) ** 0.5


def parity(pictures: dict[str, Path], steps: int, gpu_api: str, torch_device: str) -> list[Row]:
    """Return the PSNR of the asset from both engines after as many steps, for every preset.

    Means over seeds, as many as it takes to know the gap, up to MOST_SEEDS.
    """
    devices = {"gpu": gpu_api, "torch": torch_device}
    rows = []
    for preset in PRESETS:
        for name, path in pictures.items():
            fits: list[Row] = []
            gaps: list[float] = []
            while len(gaps) < FEWEST_SEEDS or (
                error_of_mean(gaps) > KNOWN_DB and len(gaps) < MOST_SEEDS
            ):
                fits.append(gap_of(path, preset, steps, len(gaps), devices))
                gaps.append(fits[-1]["gpu dB"] - fits[-1]["torch dB"])
            mean = {key: statistics.fmean(fit[key] for fit in fits) for key in fits[0]}
            gap = statistics.fmean(gaps)
            rows.append({
                "preset": preset, "picture": name, "steps": steps, "seeds": len(gaps),
                "gpu dB": round(mean["gpu dB"], 2), "torch dB": round(mean["torch dB"], 2),
                "gpu - torch": round(gap, 2), "standard error": round(error_of_mean(gaps), 2),
                "within 0.3 dB": "yes" if abs(gap) <= PARITY_DB else "NO",
                "gpu seconds": round(mean["gpu seconds"], 2),
                "torch seconds": round(mean["torch seconds"], 2),
            })  # fmt: skip
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Run what the machine and its pictures allow, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--steps", type=int, default=500, help="of each fit that is compared")
    parser.add_argument("--most-steps", type=int, default=MOST_STEPS, help="of a fit to a goal")
    options = parser.parse_args()
    pictures = find_pictures(PICTURES)
    try:
        gpu = open_gpu(options.device) if options.device else open_hardware()
    except DeviceError as error:
        parser.exit(1, f"{error}\n")
    if gpu is None or not pictures:
        print("left out: no hardware GPU answers" if gpu is None else "left out: no pictures")
        return
    name, api = gpu.name, gpu.api
    torch_device = "cuda:0" if torch.cuda.is_available() else "cpu"
    about = {"gpu": f"{name} ({api})", "PyTorch": torch_device}
    sections = {}
    try:
        if PICTURES[0] in pictures:
            jeep = neuralshade.load_picture(pictures[PICTURES[0]])
            rows = to_quality(gpu, jeep, torch_device, options.most_steps)
            sections["jeep.jpg: wall time of training to a quality"] = rows
            write_results(f"gpu_fit_{api}", sections, about)  # kept, should the rest fail
    finally:
        gpu.close()
    sections["Quality after as many samples"] = parity(pictures, options.steps, api, torch_device)
    write_results(f"gpu_fit_{api}", sections, about)


if __name__ == "__main__":
    main()
