"""The default fit of a picture: seconds to its plateau, and what it is worth beside blocks.

    python benchmarks/plateau.py [--engine auto] [--device cuda] [--more 20] [--name NAME]

Fits kodim01, 05 and 23 as `neuralshade fit image` does where nothing is said, then once more for
--more seconds without a plateau, which tells what stopping costs (0 leaves that out). Writes
results/plateau_<engine>.json. Needs the pictures below ../shared/data or the folder that
NEURALSHADE_DATA names; what is missing is left out, saying so.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.fitting.options import FitOptions
from neuralshade.measure.block_baselines import block_baselines
from neuralshade.measure.quality import psnr_db

Row = dict[str, Any]
PICTURES = ["kodim01.png", "kodim05.png", "kodim23.png"]
BLOCKS = ("BC1", "ASTC 6x6")


def fitted_row(name: str, path: Path, options: FitOptions, **ends: Any) -> tuple[Row, str]:
    """Fit a picture; return what came of it, and what it ran on."""
    with tempfile.TemporaryDirectory() as folder:
        before = time.perf_counter()
        result = neuralshade.fit_image(path, f"{folder}/x.nsh", options=options, **ends)
        in_all = time.perf_counter() - before
    row = {
        "picture": name, "asked": " ".join(f"{k} {v}" for k, v in ends.items()) or "nothing",
        "PSNR [dB]": round(result.psnr_db, 2), "bits per pixel": round(result.bits_per_pixel, 2),
        "at a plateau": "yes" if result.at_plateau else "no", "steps": result.steps,
        "s of training": round(result.seconds, 2),
        "s of the search": round(result.search.seconds, 2) if result.search else 0,
        "s in all": round(in_all, 1), "load": round(os.getloadavg()[0], 1),
    }  # fmt: skip
    return row, f"{result.device} ({result.engine})"


def block_rows(name: str, path: Path) -> list[Row]:
    """Return what blocks of about as many bits make of a picture."""
    target = np.asarray(Image.open(path).convert("RGB"))
    pixels = target.shape[0] * target.shape[1]
    found = []
    for each in block_baselines(target, "srgb", pixels // 2):
        if each.name in BLOCKS and each.result is not None:
            found.append({"picture": name, "texture": each.name,
                          "bits per pixel": round(each.byte_count * 8 / pixels, 2),
                          "PSNR [dB]": round(psnr_db(target, each.result), 2)})  # fmt: skip
    return found


def main() -> None:
    """Fit every picture that is there and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--device")
    parser.add_argument("--more", type=float, default=20.0, help="seconds of a second fit")
    parser.add_argument("--name", help="behind results/plateau_; by default the engine's")
    asked = parser.parse_args()
    options = FitOptions(engine=asked.engine, device=asked.device)
    rows: dict[str, list[Row]] = {"Fits": [], "Blocks": []}
    device = ""
    for name, path in find_pictures(PICTURES).items():
        for ends in ({}, {"seconds": asked.more, "until": "end"})[: 2 if asked.more else 1]:
            row, device = fitted_row(name, path, options, **ends)
            rows["Fits"].append(row)
            print(row, flush=True)
        rows["Blocks"] += block_rows(name, path)
    where = asked.name or ("cpu" if "torch" in device else "gpu")
    write_results(f"plateau_{where}", rows, {"device": device})


if __name__ == "__main__":
    main()
