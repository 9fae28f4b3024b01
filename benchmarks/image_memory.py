"""Pictures in a GPU's memory: their codes as the file has them beside 16 bits a number.

    python benchmarks/image_memory.py [--device cuda] [--seconds 3] [--only speed]

Evaluates assets at the points of a 1920 x 1080 screen: pixel by pixel, and at random; both ways in
turn, in one process: results/image_memory_<API>.json. Then fits twelve Kodak pictures, whose
mean PSNR compares with that of kodak_blocks: results/kodak_<API>.json. Needs the pictures
below ../shared/data or the folder that NEURALSHADE_DATA names. Without a hardware GPU it stops,
unless --device names what to use.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from shared.pictures import find_pictures
from shared.results import write_results

import neuralshade
from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.errors import DeviceError
from neuralshade.gpu.clock import Patience, steps_seconds
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.kinds.image.opened import OpenedImage

Row = dict[str, Any]
PICTURES = [f"kodim{number:02d}.png" for number in range(1, 24, 2)]
RATES = (1.0, 2.0, 4.0)  # bits per pixel
HASH = "hash_grid:levels=8,features=2,log2_entries=14"
TIMED = {"4-bit, 4 bits per pixel": {"bpp": 4.0}, "4-bit, 16 bits per pixel": {"bpp": 16.0},
         "8-bit, 8 bits per pixel": {"bpp": 8.0, "grid_bits": 8},
         "4-bit hash grid": {"encoding": HASH}}  # fmt: skip
SCREEN = (1920, 1080)
TURNS = 5


def positions(how: str) -> npt.NDArray[np.float32]:
    """Return float32 [N, 2]: a screen that shows the picture once, or as many random points."""
    width, height = SCREEN
    if how == "at random":
        return np.random.default_rng(0).random((width * height, 2), np.float32)
    v, u = np.mgrid[0:height, 0:width].astype(np.float32) + np.float32(0.5)
    return np.stack([u / width, v / height], -1).reshape(-1, 2)


def timed(name: str, opened: OpenedImage, gpu: Gpu, how: str) -> Row:
    """Return how long a screen takes, by codes and by halves, the best of several turns each."""
    at, patience = positions(how), Patience(0.2, 7)
    kinds = {"codes": opened.codes, "halves": None}
    inferences = {kind: field_inference(gpu, opened.field, codes=codes)
                  for kind, codes in kinds.items()}  # fmt: skip
    taken: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(TURNS):
        for kind, inference in inferences.items():
            steps, _ = inference.positions_steps(at)
            taken[kind].append(1e6 * steps_seconds(gpu, steps, patience))
    codes, halves = (min(taken[kind]) for kind in kinds)
    numbers = opened.field.encoding.number_count() + sum(
        p.numel() for p in opened.field.network.parameters()
    )
    return {"asset": name, "points": how, "path": inferences["codes"].path,
            "codes [us]": round(codes, 1), "halves [us]": round(halves, 1),
            "codes/halves": round(codes / halves, 3), "bytes of the file": opened.byte_count,
            "codes [bytes]": opened.memory_bytes, "halves [bytes]": 2 * numbers}  # fmt: skip


def fitted(picture: Path, folder: Path, device: str, **settings: Any) -> OpenedImage:
    """Fit a picture; return what lies in its file."""
    asset = folder / "fitted.nsh"
    options = neuralshade.FitOptions(device=device)
    neuralshade.fit_image(picture, asset, options=options, **settings)
    return OpenedImage.read(asset)


def speeds(picture: Path, folder: Path, gpu: Gpu) -> list[Row]:
    """Return rows of assets of every kind: how good they are costs no time."""
    rows = []
    for name, settings in TIMED.items():
        opened = fitted(picture, folder, gpu.api, steps=100, until="end", **settings)
        rows += [timed(name, opened, gpu, how) for how in ("as a screen has them", "at random")]
        print(*rows[-2:], sep="\n", flush=True)
    return rows


def qualities(pictures: list[Path], folder: Path, gpu: Gpu, seconds: float) -> list[Row]:
    """Return the mean PSNR of all pictures at each rate, and the bits that they take."""
    rows = []
    for rate in RATES:
        found = [fitted(path, folder, gpu.api, seconds=seconds, bpp=rate) for path in pictures]
        pixels = [one.size[0] * one.size[1] for one in found]

        def bits(counts: list[int], pixels: list[int] = pixels) -> float:
            return round(fmean(8 * n / area for n, area in zip(counts, pixels, strict=True)), 3)

        rows.append({
            "pictures": len(found), "seconds of training": seconds,
            "PSNR dB": round(fmean(one.header.quality["psnr_db"] for one in found), 3),
            "bits per pixel": bits([one.byte_count for one in found]),
            "in memory": bits([one.memory_bytes for one in found]),
        })  # fmt: skip
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Fit, measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--only", choices=("speed", "kodak"))
    given = parser.parse_args()
    gpu = open_hardware() if given.device == "auto" else open_gpu(given.device)
    if gpu is None:
        raise SystemExit(str(DeviceError("device: got none, need a GPU. Name one by --device.")))
    pictures, facts = list(find_pictures(PICTURES).values()), {"gpu": f"{gpu.name} ({gpu.api})"}
    with tempfile.TemporaryDirectory() as folder:
        if given.only != "kodak":
            speed = speeds(pictures[0], Path(folder), gpu)
            write_results(f"image_memory_{gpu.api}", {"Speed": speed}, facts)
        if given.only != "speed":
            quality = qualities(pictures, Path(folder), gpu, given.seconds)
            write_results(f"kodak_{gpu.api}", {"Kodak": quality}, facts)


if __name__ == "__main__":
    main()
