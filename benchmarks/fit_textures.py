"""Texture sets in latents: PSNR at several rates, beside BCn, picture files and RTXNTC's shapes.

    python benchmarks/fit_textures.py [--engine gpu] [--device cuda] [--steps 10000 50000]
        [--rates 1.11 5] [--sets NAME ...] [--seconds 60] [--rivals] [--shapes] [--bc1] [--int8]
        [--grids 2:4:3,4:4:4 ...] [--polish 2 8] [--mosaic 4] [--crop 128] [--batch 2048]

Writes results/fit_textures_<where>.json after every set. Needs the sets below ../shared/data
or the folder that NEURALSHADE_DATA names; what is missing is left out, saying so. --rivals adds
block compression and picture files at equal bytes (minutes of CPU), --shapes the latent shapes that
RTXNTC is known for, trained here with and without a search of codes after training, of which it is
not known to have one: their shapes, not NVIDIA's program; --bc1 adds latents that are
BC1 textures, --int8 decoders of 8 bits where those of 16 are usual. --grids tries other latents,
--polish other numbers of passes of the search. --mosaic makes of every set
N x N copies, mirrored and shifted at random, for what a large set takes: no picture is like it, so
its time is the point and not its PSNR. --crop makes of every set N x N texels, not tiling: of
windows 64 texels apart one whose metallic or roughness changes more than in three quarters of the
others, so that a CPU can compare layouts. PSNR is of the stored file, as measure/map_psnr.py says;
one seed.
"""

import argparse
import functools
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from shared.pictures import DATA, VARIABLE
from shared.results import write_results

from neuralshade.engine.kernels.infer.field_inference import field_inference
from neuralshade.fitting.options import FitOptions
from neuralshade.gpu.gpu import Gpu, Steps
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.kinds.textures.recipe import FEW_BITS, parse_grids
from neuralshade.kinds.textures.reference import byte_maps
from neuralshade.kinds.textures.result import TexturesResult
from neuralshade.measure.codec_rivals import codec_rivals
from neuralshade.measure.texture_rivals import ByteMaps, block_rivals
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_set import MaterialSet, load_material_set

Row = dict[str, Any]
SETS = ("ambientcg_Bark014", "ambientcg_Metal053C", "ambientcg_Bricks102", "ambientcg_Facade005",
        "polyhaven_tea_set_01", "polyhaven_wooden_bookshelf_worn")  # fmt: skip
RATES = (1.11, 2.5, 5.0, 10.0, 20.0)
SHAPES = {1.11: "6:8:4,12:8:4", 2.5: "4:8:4,8:8:4", 5.0: "4:16:4,8:16:4", 10.0: "2:8:4,4:8:4",
          20.0: "2:16:4,4:16:4"}  # fmt: skip
BC1_GRIDS = {13.3: "1:2,2:2"}
WINDOW_STEP = 64  # texels between places that may be cut out
DECODED_TEXELS = 2**24  # that decoding is timed with
DECODE_REPEATS = 5


def quality_row(name: str, rate: float, what: str, result: TexturesResult, in_all: float) -> Row:
    """Return what a fit reached: PSNR of mip 0, and of the deeper mips down to 8 x 8."""
    deeper = [min(values[1:-3] or values) - values[0] for values in result.maps.values()]
    return {
        "set": name, "bits": rate, "latents": what, "steps": result.steps,
        "bytes": result.asset_bytes,
        "PSNR of mip 0, dB": ", ".join(f"{m} {v[0]:.1f}" for m, v in result.maps.items()),
        "mean": round(result.psnr_db, 2),
        "search": str(result.search or ""),
        "worst deeper mip less mip 0, by map": " ".join(f"{value:+.1f}" for value in deeper),
        "s of training": round(result.seconds, 2), "s in all": round(in_all, 1),
    }  # fmt: skip


def rival_rows(name: str, maps: ByteMaps, sizes: Sequence[int]) -> Iterator[Row]:
    """Yield what others make of a set: blocks, and picture files at these bytes."""
    found = [*block_rivals(maps), *(rival for size in sizes for rival in codec_rivals(maps, size))]
    for rival in found:
        shown = ", ".join(f"{m} {v:.1f}" for m, v in rival.psnr_db.items())
        mean = rival.mean_psnr_db
        yield {
            "set": name, "what": rival.name, "bytes on disk": rival.disk_bytes,
            "bytes in GPU memory": rival.memory_bytes,
            "random access": "yes" if rival.random_access else "no",
            "PSNR of mip 0, dB": shown, "mean": "" if mean is None else round(mean, 2),
            "s": round(rival.seconds, 1), "setting": rival.setting,
        }  # fmt: skip


def decode_row(name: str, opened: OpenedTextures, gpu: Gpu) -> Row:
    """Time decoding all maps at random texels of all mips on the device, nothing copied back."""
    rates = {}
    for what, positions in decoded_positions(tuple(opened.sizes)).items():
        inference = field_inference(gpu, opened.field)
        steps, _ = inference.positions_steps(positions)
        rates[what] = DECODED_TEXELS / timed(gpu, steps) / 1e9
    return {"set": name, "bits": opened.recipe.bpp, "channels": opened.channels,
            "path": inference.path,
            **{f"G texels/s, {what}": round(rate, 2) for what, rate in rates.items()}}  # fmt: skip


@functools.cache  # to sort them takes longer than a fit
def decoded_positions(sizes: tuple[tuple[int, int], ...]) -> dict[str, npt.NDArray[np.float32]]:
    """Return random positions on all mips, float32 [N, 3], as they come and in strips."""
    rng = np.random.default_rng(0)
    at = rng.random((DECODED_TEXELS, 3), np.float32)
    at[:, 2] = rng.choice(len(sizes), DECODED_TEXELS, p=level_shares(sizes))
    order = np.lexsort((at[:, 0], np.floor(at[:, 1] * 128), at[:, 2]))
    return {"at random": at, "as a screen has them": np.ascontiguousarray(at[order])}


def mosaic(textures: MaterialSet, count: int) -> MaterialSet:
    """Return a set of ``count`` x ``count`` copies of a set, mirrored and shifted at random."""
    rng = np.random.default_rng(0)
    turns = [(int(rng.integers(2)), int(rng.integers(2)), int(rng.integers(4096)))
             for _ in range(count * count)]  # fmt: skip

    def spread(one: MaterialMap) -> MaterialMap:
        copies = [np.roll(one.values[:: 1 - 2 * up, :: 1 - 2 * across], by, axis=1)
                  for up, across, by in turns]  # fmt: skip
        rows = [np.concatenate(copies[first : first + count], axis=1)
                for first in range(0, count * count, count)]  # fmt: skip
        return replace(one, values=np.concatenate(rows))

    return replace(textures, maps=tuple(spread(one) for one in textures.maps))


def crop(textures: MaterialSet, side: int) -> MaterialSet:
    """Return ``side`` x ``side`` texels of a set, where more happens than in most places."""
    key = next(name for name in ("metallic", "roughness") if name in textures.names)
    told = textures[key].values[..., 0]
    height, width = told.shape
    windows = [(row, col) for row in range(0, height - side + 1, WINDOW_STEP)
               for col in range(0, width - side + 1, WINDOW_STEP)]  # fmt: skip

    def change(place: tuple[int, int]) -> float:
        row, col = place
        seen = told[row : row + side, col : col + side]
        return float(sum(np.abs(np.diff(seen, axis=axis)).mean() for axis in (0, 1)))

    row, col = sorted(windows, key=change)[3 * len(windows) // 4]
    return replace(textures, maps=tuple(
        replace(one, values=np.ascontiguousarray(one.values[row : row + side, col : col + side]))
        for one in textures.maps))  # fmt: skip


def level_shares(sizes: Sequence[tuple[int, int]]) -> Any:
    """Return how many texels of all are in each mip."""
    texels = np.array([width * height for width, height in sizes], np.float64)
    return texels / texels.sum()


def timed(gpu: Gpu, steps: Steps) -> float:
    """Return the seconds that one run takes, of several in a row."""
    for repeats in (1, DECODE_REPEATS):
        gpu.wait()
        before = time.perf_counter()
        commands = gpu.commands()
        commands.run(steps, repeats)
        commands.submit()
        gpu.wait()
    return (time.perf_counter() - before) / DECODE_REPEATS


Sections = dict[str, list[Row]]


def layouts_of(asked: argparse.Namespace) -> list[tuple[float, str, dict[str, Any]]]:
    """Return what is fitted of each set: a rate, what it is, and the recipe's settings."""
    found: list[tuple[float, str, dict[str, Any]]] = []
    for rate in asked.rates:
        found.append((rate, "ours", {"bpp": rate}))
        if asked.shapes:
            shape = {"grids": SHAPES[rate]}
            found.append((rate, "RTXNTC's shape", shape | {"polish": 0}))
            found.append((rate, "RTXNTC's shape, our search", shape))
        if asked.int8 and rate > FEW_BITS:
            found.append((rate, "ours, decoder in int8", {"bpp": rate, "network_bits": 8}))
    if asked.bc1:
        found += [(rate, "BC1", {"grids": grids, "latents": "bc1"})
                  for rate, grids in BC1_GRIDS.items()]  # fmt: skip
    for text in asked.grids:
        rate = sum(shape.rate for shape in parse_grids(text))
        found.append((rate, text, {"grids": text}))
    return [(rate, f"{what}, {passes} passes" if len(asked.polish) > 1 else what,
             settings if passes is None else {"polish": passes} | settings)
            for rate, what, settings in found for passes in asked.polish]  # fmt: skip


def bench_set(name: str, textures: MaterialSet, asked: argparse.Namespace) -> tuple[Sections, str]:
    """Fit one set in all ways that are asked for; return rows and the device."""
    options = FitOptions(engine=asked.engine, device=asked.device)
    ends: list[Row] = [{"steps": steps} for steps in asked.steps]
    if asked.seconds is not None:
        ends = [{"seconds": asked.seconds}]
    also: Row = {"batch": asked.batch, "wrap": "clamp" if asked.crop else "repeat"}
    rows: Sections = {"Quality and time": [], "Decoding": [], "Beside it": []}
    sizes, device = list[int](), ""
    maps: ByteMaps | None = None
    for rate, what, settings in layouts_of(asked):
        for end in ends:
            with tempfile.TemporaryDirectory() as folder:
                before = time.perf_counter()
                result = fit_textures(textures, f"{folder}/x.nsh", options=options,
                                      **settings, **end, **also)  # fmt: skip
                in_all, device = time.perf_counter() - before, result.device
                rows["Quality and time"].append(quality_row(name, rate, what, result, in_all))
                print(rows["Quality and time"][-1], flush=True)
                if end is not ends[0]:
                    continue
                opened = OpenedTextures.read(f"{folder}/x.nsh")
                if asked.rivals and what == "ours":
                    sizes.append(result.asset_bytes)
                    maps = maps or byte_maps(opened, textures)
                if result.engine == "gpu":
                    gpu = open_gpu(asked.device or "auto")
                    rows["Decoding"].append({"latents": what, **decode_row(name, opened, gpu)})
                    print(rows["Decoding"][-1], flush=True)
                    gpu.close()
    if maps is not None:
        rows["Beside it"] += rival_rows(name, maps, sizes)
    return rows, device


def main() -> None:
    """Fit every set that is there at every rate, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--rates", nargs="*", type=float, default=RATES)
    parser.add_argument("--steps", nargs="+", type=int, default=[10_000])
    parser.add_argument("--seconds", type=float, help="end by time, in place of --steps")
    parser.add_argument("--rivals", action="store_true")
    parser.add_argument("--shapes", action="store_true")
    parser.add_argument("--bc1", action="store_true")
    parser.add_argument("--int8", action="store_true")
    parser.add_argument("--grids", nargs="+", default=[], help="latents to be tried, by hand")
    parser.add_argument("--polish", nargs="+", type=int, default=[None], help="passes to be tried")
    parser.add_argument("--mosaic", type=int, default=1, help="copies of a set along each side")
    parser.add_argument("--crop", type=int, help="texels along a side of what is cut out")
    parser.add_argument("--batch", type=int, default=0, help="texels of a step, as usual if 0")
    parser.add_argument("--name", default="gpu", help="behind results/fit_textures_")
    asked = parser.parse_args()
    found: Sections = {}
    for name in asked.sets:
        place = Path(os.environ.get(VARIABLE, DATA)) / name
        if not place.is_dir():
            print(f"left out: no {place}; name a folder by {VARIABLE}")
            continue
        textures = load_material_set(place)
        if asked.mosaic > 1:
            textures = mosaic(textures, asked.mosaic)
        if asked.crop:
            textures = crop(textures, asked.crop)
        rows, device = bench_set(name, textures, asked)
        for title, some in rows.items():
            found.setdefault(title, []).extend(some)
        done = {title: rows for title, rows in found.items() if rows}
        means = [row["mean"] for row in done["Quality and time"]]
        write_results(f"fit_textures_{asked.name}", done,
                      {"device": device, "mean of all, dB": round(fmean(means), 2)},
                      quiet=True)  # fmt: skip


if __name__ == "__main__":
    main()
