"""`fit shader` against SlangPy's functional calls: a learned mip, and what a step costs the host.

    python benchmarks/fit_shader.py [--device vulkan] [--side 256 1024]

The rival runs the same task as the published sample does: a step is a functional call for the
gradient and one for each of the three maps. Writes results/fit_shader_<API>.json. Needs
nothing but a GPU; without hardware it stops, unless --device names what to use.
"""

import argparse
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from shared.rates import filled, made_maps, rate_of, slangpy_tensor
from shared.results import write_results

import neuralshade
from neuralshade.gpu.gpu import Gpu
from neuralshade.gpu.open import open_gpu, open_hardware
from neuralshade.gpu.slangpy_gpu import slangpy_gpu
from neuralshade.kinds.shader.build import build_shader_engine, build_task
from neuralshade.kinds.shader.engine import SUBMITTED_STEPS
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.shader.source import load_shader

Row = dict[str, Any]
ROOT = Path(__file__).parent
TASK = ROOT.parent / "examples/shader/learned_mip.slang"
FOOTPRINT = 4  # texels of level 0 along a side of a trained one


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
        engine.queue.send(engine._step, [1.0] * SUBMITTED_STEPS)
        times.append((time.perf_counter() - before) / SUBMITTED_STEPS)
        gpu.wait()
        engine.queue.read()
    return rate, float(np.median(times)) * 1e6


def functional(device: Any, maps: dict[str, Any]) -> float:
    """Return steps a second of SlangPy's functional calls."""
    import slangpy as spy

    module = spy.Module.load_from_file(device, str(ROOT / "shared/functional_mip.slang"))
    side = maps["albedo"].shape[0] // FOOTPRINT

    def everywhere(side: int, value: float) -> dict[str, Any]:
        return {
            name: slangpy_tensor(device, module, filled(side, [value] * values.shape[2]))
            for name, values in maps.items()
        }

    base = {n: slangpy_tensor(device, module, values) for n, values in maps.items()}
    base |= {f"d_{name}": nothing for name, nothing in everywhere(1, 0.0).items()}
    small = everywhere(side, 0.5)
    small |= {f"d_{name}": zeros for name, zeros in everywhere(side, 0.0).items()}
    means, squares = everywhere(side, 0.0), everywhere(side, 0.0)

    def steps(count: int) -> None:
        for step in range(count):
            module.add_gradient(spy.grid(shape=(side, side)), step, small, base)
            for name in maps:
                adam = module.adam if name == "roughness" else module.adam3
                adam(small[name], small[f"d_{name}"], means[name], squares[name])
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
