"""What a shader samples at 1, 2, 4 and 8 bits per pixel: BC1, BC7 and ASTC of Kodak pictures.

    python benchmarks/kodak_blocks.py

Nothing is fitted: compare with the rows of fit_image_cpu and splats_kodak at as many bits. Writes
results/kodak_blocks.json. Needs the pictures below ../shared/data or the folder that
NEURALSHADE_DATA names.
"""

import argparse
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from PIL import Image
from shared.pictures import find_pictures
from shared.results import write_results

from neuralshade.measure.block_baselines import block_baselines
from neuralshade.measure.quality import psnr_db

Row = dict[str, Any]
PICTURES = [f"kodim{number:02d}.png" for number in range(1, 24, 2)]
RATES = (1, 2, 4, 8)  # bits per pixel


def measured(pictures: dict[str, Path]) -> list[Row]:
    """Return a row for every texture of every picture at every rate."""
    rows: list[Row] = []
    for name, path in pictures.items():
        target = np.asarray(Image.open(path).convert("RGB"))
        pixels = target.shape[0] * target.shape[1]
        for rate in RATES:
            for each in block_baselines(target, "srgb", pixels * rate // 8):
                if each.result is None:
                    raise SystemExit(f"{each.name}: {each.setting}")
                rows.append({"picture": name, "rate": rate, "texture": each.name,
                             "bits per pixel": each.byte_count * 8 / pixels,
                             "PSNR dB": psnr_db(target, each.result)})  # fmt: skip
        print(name, flush=True)
    return rows


def means(rows: list[Row]) -> list[Row]:
    """Return the mean over pictures; textures of a fixed rate once, reduced ones at every rate."""
    found: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        reduced = row["texture"].endswith("reduced")
        found.setdefault((row["texture"], row["rate"] if reduced else 0), []).append(row)
    unique = {key: {each["picture"]: each for each in of} for key, of in found.items()}
    return sorted(
        (
            {"texture": texture, "pictures": len(of),
             **{key: round(fmean(each[key] for each in of.values()), 3)
                for key in ("bits per pixel", "PSNR dB")}}
            for (texture, _), of in unique.items()
        ),
        key=lambda row: row["bits per pixel"],
    )  # fmt: skip


def main() -> None:
    """Measure, and write the results."""
    argparse.ArgumentParser(description=__doc__).parse_args()  # --help, and no word besides
    rows = measured(find_pictures(PICTURES))
    write_results("kodak_blocks", {"Means": means(rows)})


if __name__ == "__main__":
    main()
