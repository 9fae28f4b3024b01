"""Mip levels: six texture sets at full size, errors beside other filters', and seconds.

    python benchmarks/fit_mipmaps.py [--device cuda] [--sets NAME ...] [--steps N] [--pool N]

Writes results/fit_mipmaps_<API>.{json,md}. Needs the sets below ../shared/data or the folder that
NEURALSHADE_DATA names. Errors are those of the levels as they are written, in 8 bits, under lights
that neither training nor the choice of a level has seen; filters are not rounded.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.recipes.mipmaps_judge import KEPT, LIT_BY, TRAINED

Row = dict[str, Any]
SETS = [
    "ambientcg_Bark014",
    "ambientcg_Bricks102",
    "ambientcg_Facade005",
    "ambientcg_Metal053C",
    "polyhaven_tea_set_01",
    "polyhaven_wooden_bookshelf_worn",
]
FILTERS = {"box": 0.5, "toksvig": 0.75, "lean": 0.75}  # and the most that ours may be of each
LEVELS = 5  # that the goals are about
WARM = {"steps": 2, "pool": 16}  # the first fit compiles


def fit(path: Path, device: str, folder: Path, **settings: Any) -> tuple[Any, float]:
    """Return what a fit reached, and its seconds from the files to the files."""
    options = neuralshade.FitOptions(device=device)
    start = time.perf_counter()
    result = neuralshade.fit_mipmaps(path, folder, options=options, **settings)
    return result, time.perf_counter() - start


def error_rows(name: str, result: Any, light: str) -> list[Row]:
    """Return a row for each level, of ratios to the filters."""
    errors, rows = result.errors[light], []
    for i, (width, height) in enumerate(result.sizes[1:]):
        ours = errors[KEPT][i]
        ratios = {f"of {each}": ratio(ours, errors[each][i]) for each in FILTERS}
        rows.append({"set": name, "level": i + 1, "size": f"{width} x {height}",
                     "kept": result.kept[i], "error": round(ours, 4), **ratios,
                     "trained, of box": ratio(errors[TRAINED][i], errors["box"][i])})  # fmt: skip
    return rows


def ratio(ours: float, other: float) -> float:
    """Return how many times as wrong ours is; 1 where neither is."""
    if other == 0:
        return 1.0 if ours == 0 else float("inf")
    return round(ours / other, 2)


def goal_row(name: str, result: Any) -> Row:
    """Return whether a set meets the goals on all of the first levels, near a mirror's lights."""
    errors, row = result.errors["mirror"], {"set": name}
    for each, most in FILTERS.items():
        pairs = zip(errors[KEPT][:LEVELS], errors[each][:LEVELS], strict=True)
        worst = max(ratio(ours, other) for ours, other in pairs)
        row[f"worst of {each}"] = f"{worst:.2f} (goal {most})"
    return row


def main() -> None:
    """Fit every set, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--sets", nargs="+", default=SETS, metavar="NAME")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--pool", type=int)
    options = parser.parse_args()
    given = {"steps": options.steps, "pool": options.pool}
    settings = {name: value for name, value in given.items() if value is not None}
    paths = find_pictures(options.sets)
    gpu = open_gpu(options.device) if options.device else open_hardware()
    if gpu is None or not paths:
        print("left out: no hardware GPU answers" if gpu is None else "left out: no set")
        return
    api, software, about = gpu.api, gpu.adapter.software, {"gpu": f"{gpu.name} ({gpu.api})"}
    gpu.close()
    training, goals, errors = [], [], {light: [] for light in LIT_BY}
    for name, path in paths.items():
        with tempfile.TemporaryDirectory() as folder:
            fit(path, api, Path(folder), **WARM)
            result, seconds = fit(path, api, Path(folder), **settings)
        width, height = result.sizes[0]
        training.append({
            "set": name, "size": f"{width} x {height}", "steps": result.steps,
            "training s": round(result.seconds, 2),
            "steps/s": round(result.steps / result.seconds, 1),
            "files to files s": round(seconds, 1),
        })  # fmt: skip
        goals.append(goal_row(name, result))
        for light in LIT_BY:
            errors[light] += error_rows(name, result, light)
        print(training[-1], goals[-1], flush=True)
    sections = {
        "Seconds": training,
        f"Levels 1 to {LEVELS} near a mirror's lights": goals,
        "Lights near a mirror's": errors["mirror"],
        "Lights all over, by the cosine": errors["cosine"],
        "Sun and sky": errors["environment"],
    }
    write_results(f"fit_mipmaps_{'software' if software else api}", sections, about)


if __name__ == "__main__":
    main()
