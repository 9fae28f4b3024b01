"""Trained mip levels against box filter, Toksvig and LEAN, on whole PBR sets.

    python benchmarks/fit_mipmaps.py [--device cuda] [--sets NAME ...] [--steps 256]

Writes results/fit_mipmaps_<API>.json. Needs the sets below ../shared/data or the folder that
NEURALSHADE_DATA names; what is missing is left out, saying so. Runs on software Vulkan too.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import fmean
from typing import Any

from shared.pictures import DATA, VARIABLE
from shared.results import write_results

import neuralshade
from neuralshade.errors import NeuralShadeError
from neuralshade.gpu.open import open_gpu

Row = dict[str, Any]
SETS = ("ambientcg_Bark014", "ambientcg_Bricks102", "ambientcg_Facade005", "ambientcg_Metal053C",
        "polyhaven_tea_set_01", "polyhaven_wooden_bookshelf_worn")  # fmt: skip
RIVALS = ("box", "toksvig", "lean")
ASKED = {"box": 0.5, "toksvig": 0.75, "lean": 0.75}  # of each one's error, at most
LEVELS = 5  # that are asked for


def ratios(result: neuralshade.MipmapsResult, kind: str, method: str, rival: str) -> list[float]:
    """Return by how much less a method is wrong than a rival, on each level."""
    errors = result.errors[kind]
    return [mine / theirs for mine, theirs in zip(errors[method], errors[rival], strict=True)]


def quality_rows(name: str, result: neuralshade.MipmapsResult) -> list[Row]:
    """Return a row for each kind of lights: errors of box, and ratios to all three.

    Trained levels and filters are not rounded, but for the last column: both in 8 bits.
    """
    rows = []
    for kind in result.errors:
        row: Row = {"set": name, "lights": kind}
        row["box error"] = shown(result.errors[kind]["box"], 4)
        for rival in RIVALS:
            row[f"trained / {rival}"] = shown(ratios(result, kind, "trained", rival), 2)
        row["kept / box, as stored"] = shown(ratios(result, kind, "kept", "stored_box"), 2)
        reached = all(
            max(ratios(result, kind, "trained", rival)[:LEVELS]) <= most
            for rival, most in ASKED.items()
        )
        row["asked for"] = "yes" if reached else "no"
        rows.append(row)
    return rows


def shown(values: list[float], digits: int) -> str:
    """Return what the first levels have, in one cell."""
    return " ".join(f"{value:.{digits}f}" for value in values[:LEVELS])


def main() -> None:
    """Fit every set that is there, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--steps", type=int, help="of a fit; by default the recipe's")
    options = parser.parse_args()
    settings = {} if options.steps is None else {"steps": options.steps}
    folder = Path(os.environ.get(VARIABLE, DATA))
    speed: list[Row] = []
    quality: list[Row] = []
    for name in options.sets:
        place = folder / name
        if not place.is_dir():
            print(f"left out: no {place}; name a folder by {VARIABLE}")
            continue
        before = time.perf_counter()
        try:
            textures = neuralshade.load_texture_set(place)
        except NeuralShadeError as error:
            print(f"left out: {error}")
            continue
        loaded = time.perf_counter()
        with tempfile.TemporaryDirectory() as out:
            result = neuralshade.fit_mipmaps(
                textures, out, formats=("dds",), **settings,
                options=neuralshade.FitOptions(device=options.device),
            )  # fmt: skip
        speed.append({
            "set": name, "texels": f"{textures.width} x {textures.height}",
            "levels": len(result.kept), "steps": result.steps,
            "seconds of training": round(result.seconds, 2),
            "steps/s": round(result.steps / result.seconds, 1),
            "seconds to read": round(loaded - before, 2),
            "seconds in all": round(time.perf_counter() - before, 2),
            "levels kept of others": sum(kept != "trained" for kept in result.kept),
        })  # fmt: skip
        quality += quality_rows(name, result)
        print(speed[-1], *quality[-len(result.errors) :], sep="\n", flush=True)
    if not speed:
        return
    gpu = open_gpu(options.device or "auto")
    api = "software" if gpu.adapter.software else gpu.api
    mean = fmean(row["seconds of training"] for row in speed)
    facts = {"gpu": f"{gpu.name} ({gpu.api})", "seconds of training, mean": round(mean, 2)}
    gpu.close()
    title = f"Held-out symmetric relative error, levels 1 to {LEVELS}"
    write_results(f"fit_mipmaps_{api}", {"Time": speed, title: quality}, facts)


if __name__ == "__main__":
    main()
