"""Steps of the default presets: microseconds, and the quality that they reach.

    python benchmarks/preset_steps.py [--device cuda] [--steps 1000 2000 4000 8000] [--seeds 3]
        [--sets ambientcg_Bark014 polyhaven_tea_set_01]

`fit image` on a picture at 4 bits per pixel for so many steps: the mean over seeds of the file's
PSNR, and the seconds of training alone (host included, compilation and judging not). Then the step
of texture sets at the usual rate. Writes results/preset_steps_<API>.json. Needs jeep.jpg and
kodim05.png below ../shared/data or the folder that NEURALSHADE_DATA names, and the sets; what is
missing is left out, saying so. Without a hardware GPU it stops, unless --device names what to use.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shared.devices import device_and_name
from shared.pictures import VARIABLE, data_folder, find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.engine.network_trainer import NetworkTrainer

Row = dict[str, Any]
PICTURES = ["jeep.jpg", "kodim05.png"]
TIMED_STEPS, WARM_STEPS = 2048, 1024


@contextmanager
def timed_steps() -> Iterator[list[tuple[int, float]]]:
    """Give a list of the steps of every call of ``advance`` inside the block, and its seconds."""
    calls: list[tuple[int, float]] = []
    advance = NetworkTrainer.advance

    def noted(self: NetworkTrainer, factors: Sequence[float]) -> float:
        start = time.perf_counter()
        loss = advance(self, factors)
        calls.append((len(factors), time.perf_counter() - start))
        return loss

    # in place of the method, as a fit builds its trainer itself
    NetworkTrainer.advance = noted  # type: ignore[method-assign]
    try:
        yield calls
    finally:
        NetworkTrainer.advance = advance  # type: ignore[method-assign]


def quality(path: Path, steps: int, seeds: int, options: Any) -> Row:
    """Return the row of a picture's fits."""
    found, spent = [], []
    for seed in range(seeds):
        with tempfile.TemporaryDirectory() as folder, timed_steps() as calls:
            fit = neuralshade.fit_image(path, Path(folder) / "a.nsh", steps=steps, seed=seed,
                                        options=options)  # fmt: skip
        found.append(fit.psnr_db)
        spent.append(sum(seconds for _, seconds in calls))
    row = {
        "picture": path.name, "steps": steps, "seeds": seeds,
        "PSNR dB": round(statistics.fmean(found), 2), "training s": round(min(spent), 4),
        "us a step": round(min(spent) / steps * 1e6, 1),
    }  # fmt: skip
    print(row, flush=True)
    return row


def set_row(folder: Path, options: Any) -> Row:
    """Return the row of a texture set: what a step takes among many."""
    with tempfile.TemporaryDirectory() as out, timed_steps() as calls:
        neuralshade.fit_textures(folder, Path(out) / "a.nsh", steps=WARM_STEPS + TIMED_STEPS,
                                 options=options)  # fmt: skip
    many = [seconds / count for count, seconds in calls if count > 16]
    per_step = statistics.median(many)
    row = {"set": folder.name, "us a step": round(per_step * 1e6, 1),
           "10,000 steps s": round(per_step * 1e4, 2)}  # fmt: skip
    print(row, flush=True)
    return row


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--steps", type=int, nargs="+", default=[1000, 2000, 4000, 8000])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="*", default=["ambientcg_Bark014", "polyhaven_tea_set_01"])
    given = parser.parse_args()
    found = device_and_name(given.device)
    if found is None:
        return
    device, gpu_name = found
    options = neuralshade.FitOptions(engine="gpu", device=device)
    pictures = find_pictures(PICTURES)
    rows = [quality(path, steps, given.seeds, options)
            for path in pictures.values() for steps in given.steps]  # fmt: skip
    sets = []
    for name in given.sets:
        folder = data_folder() / name
        if folder.exists():
            sets.append(set_row(folder, options))
        else:
            print(f"left out: {folder} is missing; {VARIABLE} names the folder")
    sections = {"Pictures, default preset, 4 bits per pixel": rows, "Texture sets": sets}
    write_results(f"preset_steps_{device}", {k: v for k, v in sections.items() if v},
                  {"gpu": gpu_name})  # fmt: skip


if __name__ == "__main__":
    main()
