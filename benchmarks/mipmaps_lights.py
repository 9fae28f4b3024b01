"""Kept mip levels against the best filter of each kind of lights, with bias, on whole PBR sets.

    python benchmarks/mipmaps_lights.py [--device cuda] [--sets NAME ...] [--crop 256]

For each set and each of --favor all and mirror: the error of what is kept over that of the best of
box, Toksvig and LEAN by the same lights, and its bias, mean color over that of the reference,
levels 1 to 7; all as stored, in 8 bits. Asked for: 1.05 at most by any lights, and 0.75 near the
mirror on rough sets.

Writes results/mipmaps_lights_<API>.json. Needs the sets below ../shared/data or the folder
that NEURALSHADE_DATA names; what is missing is left out, saying so. Runs on software Vulkan too,
there with --crop: a part of so many texels a side from the middle of each set.
"""

import argparse
import os
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from shared.pictures import DATA, VARIABLE
from shared.results import write_results

import neuralshade
from neuralshade.errors import NeuralShadeError
from neuralshade.gpu.open import open_gpu

Row = dict[str, Any]
SETS = {"ambientcg_Bark014": True, "ambientcg_Bricks102": True, "ambientcg_Facade005": False,
        "ambientcg_Metal053C": True, "polyhaven_tea_set_01": False,
        "polyhaven_wooden_bookshelf_worn": True}  # and whether it is rough  # fmt: skip
FILTERS = ("stored_box", "stored_toksvig", "stored_lean")
MAPS = ("albedo", "normal", "roughness", "metallic", "ao")
LEVELS = 7  # that are asked for
MOST, MOST_NEAR_MIRROR = 1.05, 0.75  # of the best filter's error


def rows_of(name: str, favor: str, result: neuralshade.MipmapsResult) -> list[Row]:
    """Return a row for each kind of lights: ratios and bias of levels, and whether it is enough."""
    rows = []
    for kind, errors in result.errors.items():
        best = [min(found) for found in zip(*(errors[name] for name in FILTERS), strict=True)]
        ratios = [kept / max(least, 1e-9)
                  for kept, least in zip(errors["kept"], best, strict=True)][:LEVELS]  # fmt: skip
        most = MOST_NEAR_MIRROR if kind == "mirror" and SETS.get(name) else MOST
        rows.append({
            "set": name, "favor": favor, "lights": kind,
            "best filter's error": shown(best, 4), "kept / best filter": shown(ratios, 2),
            "bias of kept": shown(result.bias[kind]["kept"], 3),
            "bias of box": shown(result.bias[kind]["stored_box"], 3),
            "bias of Toksvig": shown(result.bias[kind]["stored_toksvig"], 3),
            "levels of filters": " ".join(
                f"{i}:{kept}" for i, kept in enumerate(result.kept[:LEVELS], 1) if kept != "trained"
            ),
            f"at most {MOST}, or {MOST_NEAR_MIRROR}":
                "yes" if max(round(ratio, 2) for ratio in ratios) <= most else "no",
        })  # fmt: skip
    return rows


def shown(values: list[float], digits: int) -> str:
    """Return what the first levels have, in one cell."""
    return " ".join(f"{value:.{digits}f}" for value in values[:LEVELS])


def middle(textures: Any, side: int | None) -> Any:
    """Return the middle of a set, ``side`` texels wide and high; all of it where that is None."""
    if side is None:
        return textures
    top, left = (textures.height - side) // 2, (textures.width - side) // 2
    parts = {name: getattr(textures, name) for name in MAPS}
    return replace(textures, **{
        name: None if values is None else values[top : top + side, left : left + side].copy()
        for name, values in parts.items()
    })  # fmt: skip


def main() -> None:
    """Fit every set that is there by both, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--crop", type=int, help="texels a side; by default all there are")
    parser.add_argument("--favor", nargs="+", default=["all", "mirror"])
    options = parser.parse_args()
    folder = Path(os.environ.get(VARIABLE, DATA))
    rows: list[Row] = []
    speed: list[Row] = []
    for name in options.sets:
        try:
            textures = middle(neuralshade.load_texture_set(folder / name), options.crop)
        except NeuralShadeError as error:
            print(f"left out: {error}")
            continue
        for favor in options.favor:
            with tempfile.TemporaryDirectory() as out:
                result = neuralshade.fit_mipmaps(
                    textures, out, formats=("dds",), favor=favor,
                    options=neuralshade.FitOptions(device=options.device),
                )  # fmt: skip
            speed.append({"set": name, "favor": favor, "steps": result.steps,
                          "texels": f"{textures.width} x {textures.height}",
                          "seconds of training": round(result.seconds, 2)})  # fmt: skip
            rows += rows_of(name, favor, result)
            print(speed[-1], *rows[-len(result.errors) :], sep="\n", flush=True)
    if not rows:
        return
    gpu = open_gpu(options.device or "auto")
    api = "software" if gpu.adapter.software else gpu.api
    facts = {"gpu": f"{gpu.name} ({gpu.api})"}
    gpu.close()
    title = f"Levels 1 to {LEVELS}, as stored in 8 bits"
    write_results(f"mipmaps_lights_{api}", {"Time": speed, title: rows}, facts)


if __name__ == "__main__":
    main()
