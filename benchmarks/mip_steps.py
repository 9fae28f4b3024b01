"""`fit mipmaps`, step by step, against the published sample of NVIDIA's neural shading course.

    git clone https://github.com/shader-slang/neural-shading-s25
    python benchmarks/mip_steps.py --sample neural-shading-s25/mipmap [--device cuda vulkan]

The sample trains one level (a quarter of the side) on one pair of directions a step, by four of
SlangPy's functional calls. Ours trains all levels on one pair a step. The sample runs as it is but
for what SlangPy has renamed since, without its window, through Vulkan and through CUDA. Writes
results/mip_steps_<GPU>.json; without --sample, only ours. Without hardware it stops, unless
--device names what to use.
"""

import argparse
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from shared.rates import filled, made_maps, rate_of, slangpy_tensor
from shared.results import write_results

from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.kinds.mipmaps.build import build_mip_engine, numbers_of
from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.kernels import levels_of
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import Maps, box_chain

Row = dict[str, Any]
SAMPLE = "step_05_train.slang"
RENAMED = {".getv(": ".load(", ".setv(": ".store("}  # of the sample's text, by SlangPy
FOOTPRINT = 4  # texels of level 0 along a side of one that the sample trains
RECIPES = {
    "each reference used four times": {"pairs": 1},
    "each reference used once": {"pairs": 1, "pool": 512, "reuse": 1},
    "a fit's: 32 pairs a step": {},
}


def ours(gpu: Gpu, side: int, settings: dict[str, Any]) -> tuple[int, float]:
    """Return how many texels a step trains, and steps a second."""
    made = made_maps(side)
    roughness = made["roughness"][..., 0]
    base = Maps(made["albedo"], made["normal"], roughness, np.zeros_like(roughness))
    levels = levels_of(side, side)
    start = numbers_of(box_chain(base, len(levels.sizes) - 1))
    recipe = MipmapsRecipe(**settings)
    engine: MipEngine = build_mip_engine(recipe, base, levels, start, gpu)
    return levels.texels, rate_of(lambda count: engine.advance([1.0] * count))


def sample(device: Any, folder: Path, side: int) -> float:
    """Return steps a second of the sample's loop on maps of ``side``."""
    import slangpy as spy

    text = (folder / SAMPLE).read_text()
    for old, new in RENAMED.items():
        text = text.replace(old, new)
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / SAMPLE).write_text(text)
        module = spy.Module.load_from_file(device, str(Path(made) / SAMPLE))
    maps = {n: slangpy_tensor(device, module, values) for n, values in made_maps(side).items()}
    small = side // FOOTPRINT
    begin = {"albedo": [0.5] * 3, "normal": [0, 0, 1], "roughness": 0.5}
    trained = {
        name: slangpy_tensor(device, module, filled(small, value)) for name, value in begin.items()
    }
    gradients = {f"{name}_grad": spy.Tensor.zeros_like(t) for name, t in trained.items()}
    moments = {n: [spy.Tensor.zeros_like(t) for _ in range(2)] for n, t in trained.items()}
    done = 0

    def steps(count: int) -> None:
        nonlocal done
        for _ in range(count):
            module.calculate_grads(
                seed=spy.wang_hash(seed=done, warmup=2),
                pixel=spy.grid(shape=trained["albedo"].shape),
                material={**trained, **gradients},
                ref_material=maps,
            )
            done += 1
            for name, values in trained.items():
                steps_of = module.optimizer_step1 if name == "roughness" else module.optimizer_step3
                kept = () if name == "roughness" else (name == "normal",)
                steps_of(values, gradients[f"{name}_grad"], *moments[name], 0.002, done, *kept)
        device.wait()

    return rate_of(steps)


def sample_rates(folder: Path, sides: list[int]) -> list[Row]:
    """Return a row for each size of the maps: the sample's steps a second by API."""
    import slangpy as spy

    rows: list[Row] = [
        {"maps": f"{side} x {side}", "texels a step": (side // FOOTPRINT) ** 2} for side in sides
    ]
    for api in ("vulkan", "cuda"):
        kind = getattr(spy.DeviceType, api)
        if not spy.Device.enumerate_adapters(kind):
            continue
        device = spy.create_device(kind, include_paths=[folder], enable_hot_reload=False)
        for side, row in zip(sides, rows, strict=True):
            row[f"{api}: steps/s"] = round(sample(device, folder, side))
            print(row, flush=True)
        device.close()
    return rows


def our_rows(gpu: Gpu, api: str, sides: list[int], rivals: list[Row]) -> list[Row]:
    """Return a row for each size and recipe, with ratios to what the sample has on that size."""
    rows = []
    for i, side in enumerate(sides):
        for name, settings in RECIPES.items():
            texels, rate = ours(gpu, side, settings)
            row: Row = {"through": api, "maps": f"{side} x {side}", "pairs": name,
                        "texels a step": texels, "steps/s": round(rate)}  # fmt: skip
            for key, theirs in rivals[i].items() if rivals else ():
                if key.endswith(": steps/s"):
                    title = f"/ sample, {key.removesuffix(': steps/s')}"
                    row[title] = round(rate / theirs, 1) if settings else "-"
            rows.append(row)
            print(row, flush=True)
    return rows


def main() -> None:
    """Run both at every size, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=Path, help="folder of the sample's step_05_train.slang")
    parser.add_argument("--device", nargs="+", help="APIs; by default the first with hardware")
    parser.add_argument("--side", type=int, nargs="+", default=[256, 512, 1024],
                        help="of the maps, in texels")  # fmt: skip
    options = parser.parse_args()
    gpus = [open_gpu(api) for api in options.device] if options.device else [open_hardware()]
    if gpus == [None]:
        print("left out: no hardware GPU answers")
        return
    rivals: list[Row] = []
    if options.sample is None:
        print("left out: the sample; name its folder by --sample")
    else:
        rivals = sample_rates(options.sample, options.side)
    rows: list[Row] = []
    for gpu in gpus:
        with closing(gpu):
            rows += our_rows(gpu, gpu.api, options.side, rivals)
    sections = {"Ours, all levels": rows}
    if rivals:
        sections["The sample, one level"] = rivals
    software = gpus[0].adapter.software
    write_results(f"mip_steps_{'software' if software else 'gpu'}", sections,
                  {"gpu": gpus[0].name})  # fmt: skip


if __name__ == "__main__":
    main()
