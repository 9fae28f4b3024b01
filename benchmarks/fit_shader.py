"""`fit shader` against SlangPy's functional calls: a learned mip, and what a step costs the host.

    python benchmarks/fit_shader.py [--device vulkan] [--side 256 1024]

The rival runs the same task as the published sample does: a step is a functional call for the
gradient and one for each of the three maps. Writes results/fit_shader_<API>.{json,md}. Needs
nothing but a GPU; without hardware it stops, unless --device names what to use.
"""

import argparse
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from shared.results import write_results

import neuralshade
from neuralshade.engine.shader_engine import SUBMITTED_STEPS
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.recipes.shader import ShaderRecipe
from neuralshade.recipes.shader_build import build_shader_engine, build_task
from neuralshade.source.shader import load_shader

Row = dict[str, Any]
ROOT = Path(__file__).parent
TASK = ROOT.parent / "examples/shader/learned_mip.slang"
FOOTPRINT = 4  # texels of level 0 along a side of a trained one
WARM_SECONDS, SECONDS = 1.0, 2.0


def made_maps(side: int) -> dict[str, Any]:
    """Return bumpy maps: albedo [side, side, 3], unit normals, roughness [side, side, 1]."""
    rng = np.random.default_rng(0)
    albedo = rng.uniform(0.1, 0.9, (side, side, 3)).astype(np.float32)
    normal = np.dstack([rng.normal(0, 0.3, (side, side, 2)), np.ones((side, side))])
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    roughness = rng.uniform(0.1, 0.5, (side, side, 1)).astype(np.float32)
    return {"albedo": albedo, "normal": normal.astype(np.float32), "roughness": roughness}


def rate_of(steps: Callable[[int], None]) -> float:
    """Return steps a second of what runs so many steps and waits for them."""
    count, begun = 1, time.perf_counter()
    while time.perf_counter() - begun < WARM_SECONDS:
        steps(count)
        count *= 2
    before = time.perf_counter()
    steps(1)
    one = time.perf_counter() - before
    count, before = max(8, min(count, round(SECONDS / one))), time.perf_counter()
    steps(count)
    return count / (time.perf_counter() - before)


def ours(gpu: Gpu, maps: dict[str, Any]) -> tuple[float, float]:
    """Return steps a second, and microseconds that recording one step takes the host."""
    side = maps["albedo"].shape[0] // FOOTPRINT
    shown = {**maps, "normal": (maps["normal"] + 1) / 2}
    values: dict[str, Any] = {
        name: neuralshade.picture_from_array(pixels, "linear") for name, pixels in shown.items()
    }
    values |= {f"mip_{name}.size": (side, side) for name in ("albedo", "slope", "roughness")}
    values["mip_roughness"] = 0.3
    recipe = ShaderRecipe(threads=f"{side}x{side}", steps=1)
    engine = build_shader_engine(build_task(load_shader(TASK), values, 0), recipe, gpu)
    rate = rate_of(lambda count: (engine.advance([1.0] * count), None)[1])
    times = []
    for _ in range(20):
        gpu.wait()
        before = time.perf_counter()
        engine._submit([1.0] * SUBMITTED_STEPS)
        times.append((time.perf_counter() - before) / SUBMITTED_STEPS)
        gpu.wait()
        engine._in_flight = 0
    return rate, float(np.median(times)) * 1e6


def functional(device: Any, maps: dict[str, Any]) -> float:
    """Return steps a second of SlangPy's functional calls."""
    import slangpy as spy

    module = spy.Module.load_from_file(device, str(ROOT / "shared/functional_mip.slang"))
    side = maps["albedo"].shape[0] // FOOTPRINT

    def tensor(values: Any) -> Any:
        colors = values.shape[2] == 3
        kind = module.float3 if colors else module.float
        made = spy.Tensor.empty(device, values.shape[:2], kind)
        made.copy_from_numpy(values if colors else values[..., 0].copy())
        return made

    def filled(value: float, channels: int) -> Any:
        return tensor(np.full((side, side, channels), value, np.float32))

    nothing = {name: tensor(np.zeros((1, 1, m.shape[2]), np.float32)) for name, m in maps.items()}
    base = {name: tensor(values) for name, values in maps.items()}
    base |= {f"d_{name}": values for name, values in nothing.items()}
    small = {name: filled(0.5, values.shape[2]) for name, values in maps.items()}
    small |= {f"d_{name}": filled(0.0, values.shape[2]) for name, values in maps.items()}
    moments = {n: [filled(0.0, m.shape[2]) for _ in range(2)] for n, m in maps.items()}

    def steps(count: int) -> None:
        for step in range(count):
            module.add_gradient(spy.grid(shape=(side, side)), step, small, base)
            for name in maps:
                adam = module.adam if name == "roughness" else module.adam3
                adam(small[name], small[f"d_{name}"], *moments[name])
        device.wait()

    return rate_of(steps)


def main() -> None:
    """Run both at every size, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device")
    parser.add_argument("--side", type=int, nargs="+", default=[128, 256, 512, 1024],
                        help="of the maps, in texels")  # fmt: skip
    options = parser.parse_args()
    gpu = open_gpu(options.device) if options.device else open_hardware()
    if gpu is None:
        print("left out: no hardware GPU answers")
        return
    api = "software" if gpu.adapter.software else gpu.api
    facts = {"gpu": f"{gpu.name} ({gpu.api})"}
    rows: list[Row] = []
    with closing(gpu):
        for side in options.side:
            rate, host = ours(gpu, made_maps(side))
            rows.append({"maps": f"{side} x {side}", "steps/s": round(rate),
                         "host us a step": round(host, 2)})  # fmt: skip
    rival = slangpy_gpu(open_gpu("vulkan"), "functional calls")
    with closing(rival):
        for side, row in zip(options.side, rows, strict=True):
            theirs = functional(rival.device, made_maps(side))
            row |= {"SlangPy's functional calls, vulkan: steps/s": round(theirs),
                    "ratio": round(row["steps/s"] / theirs, 1)}  # fmt: skip
            print(row, flush=True)
    write_results(f"fit_shader_{api}", {"Learned mip, a quarter of the side": rows}, facts)


if __name__ == "__main__":
    main()
