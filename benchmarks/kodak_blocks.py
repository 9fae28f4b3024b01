"""What a shader samples at 1, 2, 4 and 8 bits per pixel: BC1, BC7 and ASTC of Kodak pictures.

    python benchmarks/kodak_blocks.py [--fits cuda]

Nothing is fitted, but with --fits: then `fit image` has as many bits for each picture on that
device, by grids with tiles and by dense grids as a size of its own, and JPEG, WebP and AVIF have
them too. Writes results/kodak_blocks.json, or with --fits results/kodak_fits_<device>.json. Needs
the pictures below ../shared/data or the folder that NEURALSHADE_DATA names.
"""

import argparse
import math
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from PIL import Image
from shared.devices import device_and_name
from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.kinds.image import budget
from neuralshade.measure.baselines import spend_on_avif, spend_on_jpeg, spend_on_webp
from neuralshade.measure.block_baselines import block_baselines
from neuralshade.measure.quality import psnr_db

Row = dict[str, Any]
PICTURES = [f"kodim{number:02d}.png" for number in range(1, 24, 2)]
RATES = (1, 2, 4, 8)  # bits per pixel
DISKS = {"JPEG": spend_on_jpeg, "WebP": spend_on_webp, "AVIF": spend_on_avif}


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


def fitted(pictures: dict[str, Path], device: str, folder: Path) -> list[Row]:
    """Return a row for every picture and rate: with tiles, without, and what disks hold."""
    options, rows = neuralshade.FitOptions(device=device), list[Row]()
    density = budget.TILE_DENSITY
    for rate in RATES:
        for name, path in pictures.items():
            picture, row = neuralshade.load_picture(path), {"rate": rate, "picture": name}
            for kind, most in (("tiles", density), ("dense", 0.0)):
                budget.TILE_DENSITY = most  # 0: no picture has tiles
                fit = neuralshade.fit_image(picture, folder / "a.nsh", bpp=rate, options=options)
                row |= {f"{kind} dB": round(fit.psnr_db, 2), f"{kind} bytes": fit.asset_bytes,
                        f"{kind} s": round(fit.seconds, 2)}  # fmt: skip
            budget.TILE_DENSITY = density
            for rival, spend in DISKS.items():
                result = spend(picture.pixels, row["tiles bytes"]).result
                found = None if result is None else psnr_db(picture.as_float(), result)
                row[f"{rival} dB"] = "-" if found is None else round(float(found), 2)
            rows.append(row)
            print(row, flush=True)
    return rows


def fit_means(rows: list[Row]) -> list[Row]:
    """Return the means over pictures, by rate; '-' where a format has no such small file."""
    table = []
    for rate in RATES:
        here = [row for row in rows if row["rate"] == rate]
        line: Row = {"bits per pixel": rate, "pictures": len(here)}
        for key in list(here[0])[2:]:
            values = [row[key] for row in here]
            finite = all(value != "-" and math.isfinite(value) for value in values)
            line[key] = round(fmean(values), 2) if finite else "-"
        table.append(line)
    return table


def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", metavar="DEVICE", help="fit the pictures there, too")
    asked, pictures = parser.parse_args().fits, find_pictures(PICTURES)
    found = None if asked is None else device_and_name(asked)
    if found is None:
        write_results("kodak_blocks", {"Means": means(measured(pictures))})
        return
    device, gpu = found
    with tempfile.TemporaryDirectory() as folder:
        rows = fitted(pictures, device, Path(folder))
    sections = {"Means": fit_means(rows), "Pictures": rows}
    write_results(f"kodak_fits_{device}", sections, {"gpu": gpu})


if __name__ == "__main__":
    main()
