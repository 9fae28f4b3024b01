"""Layered materials: quality beside what others would use, fits and evaluation beside the graph.

    python benchmarks/fit_material.py [GRAPH ...] [--device cuda] [--steps 10000] [--size 1024]
        [--networks 32x2 64x3] [--engine auto|torch|gpu|none] [--seconds 180] [--seed 0]
        [--rivals lobes frames smooth maps coat texels] [--apis vulkan cuda] [--lights 1 4]
        [--pictures] [--name NAME]

GRAPH is what `fit material` takes; by default those of examples/material and benchmarks/materials,
and the copper tray under a sharper varnish. Each is fitted by `fit material` (--engine none leaves
that out), and then, on one stream of samples in PyTorch, with the same phases and number of steps
of the finest level, and with the step size and the loss that are best for each: the same field
("lobes"), learned frames (Zeltner et al. 2024) before a decoder of that size, with leaky ReLU and
with our activation ("smooth"), and eight ordinary PBR maps, by GGX and Lambert with a reflectance
or with a clear coat; all have 8 numbers of 8 bits a texel. `fit material` has mip levels and a
sampler, in further steps and bytes; the others have none. "texels" is the light of the graph itself
at the four texels around a point, interpolated: it tells what is finer than texels. Evaluation is
1920 x 1080 points with one light and with four, by the GPU's clock, of which software has fewer; a
decoder is asked for each light alone. --device: cuda trains on that GPU and times evaluation
through Vulkan and CUDA, vulkan through Vulkan alone; cpu trains there, and evaluates on whatever
Vulkan finds.
Writes results/fit_material_NAME.json after every graph, with --pictures a sheet of spheres.
"""

import argparse
import math
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from rivals.material_bars import bar_rows, lead_rows, quality_row
from rivals.material_fields import Contender, frames, lobes, maps
from rivals.material_graphs import default_graphs, texel_shade
from rivals.material_maps import maps_reference
from rivals.material_sheet import sheet
from rivals.material_training import Trained, train
from shared.results import FOLDER, write_results

import neuralshade
from neuralshade.errors import DeviceError, KernelError
from neuralshade.fitting.options import FitOptions
from neuralshade.gpu.clock import Patience
from neuralshade.gpu.device import is_software
from neuralshade.gpu.open import open_gpu
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.judging.judge import Judge, field_shade
from neuralshade.kinds.material.mip_fit import finest_level_share
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import (
    ReferenceBsdf,
    ReferenceKernels,
    open_reference_gpu,
)
from neuralshade.kinds.material.references.sources import load_reference
from neuralshade.kinds.material.speed.evaluation import decoder_evaluation, graph_evaluation
from neuralshade.kinds.material.speed.screen import Screen
from neuralshade.model.field import Field

Row = dict[str, Any]
Sections = dict[str, list[Row]]
Asked = argparse.Namespace
Taken = tuple[str, list[float]]  # what a network runs on; microseconds
RIVALS = ("lobes", "frames", "smooth", "maps", "coat", "texels")
USUAL = {"steps": ("steps of a fit", 2500, 10_000), "size": ("texels along a side", 128, 1024),
         "batch": ("samples of a step", 8192, 262_144)}  # on the CPU, on a GPU  # fmt: skip
SCREEN, FEW = (1920, 1080), (320, 176)
LONG, SHORT = Patience(0.35, 7), Patience(0.0, 1)


def contenders_of(asked: Asked) -> list[Contender]:
    """Return what is trained on one stream of samples."""
    found = []
    for width, layers in asked.sizes:
        found += [lobes(width, layers)] if "lobes" in asked.rivals else []
        found += [frames(width, layers)] if "frames" in asked.rivals else []
        found += [frames(width, layers, "hard_gelu")] if "smooth" in asked.rivals else []
    found += [maps(coated=False)] if "maps" in asked.rivals else []
    return found + ([maps(coated=True)] if "coat" in asked.rivals else [])


def shipped(graph: Path, asked: Asked) -> Iterable[tuple[Row, Row, Field]]:
    """Fit as users do; yield of each size of network what it is, its quality and its field."""
    on_gpu = asked.engine == "gpu" or (asked.engine == "auto" and asked.device != "cpu")
    options = FitOptions(engine="gpu", device=asked.device) if on_gpu else FitOptions(
        engine=asked.engine)  # fmt: skip
    end: Row = {"seconds": asked.seconds} if asked.seconds else {"steps": asked.steps}
    for width, layers in asked.sizes:
        with tempfile.TemporaryDirectory() as folder:
            before = time.perf_counter()
            result = fit_material(graph, f"{folder}/x.nsh", options=options, size=asked.size,
                                  batch=asked.batch, seed=asked.seed, hidden_width=width,
                                  hidden_layers=layers, **end)  # fmt: skip
            in_all, opened = time.perf_counter() - before, neuralshade.load(f"{folder}/x.nsh")
            what = f"fit material {width}x{layers}"
            fitted = {"graph": graph.name, "what": what, "steps": result.steps,
                      "on": f"{result.engine}, {result.device}",
                      "s of training": round(result.seconds, 1), "s in all": round(in_all, 1),
                      "bytes on disk": result.asset_bytes,
                      "bytes in GPU memory": opened.memory_bytes}  # fmt: skip
            yield fitted, quality_row(graph.name, what, opened.header.quality), opened.field


def finest_recipe(asked: Asked) -> MaterialRecipe:
    """Return the recipe of contenders: as many steps as `fit material` has for its finest level."""
    whole = MaterialRecipe(size=asked.size, steps=asked.steps, seconds=None, batch=asked.batch,
                           seed=asked.seed)  # fmt: skip
    finest = math.ceil(asked.steps * (1 - whole.sampler) * finest_level_share(whole))
    return replace(whole, steps=finest)


def trained_row(graph: Path, one: Trained, recipe: MaterialRecipe, asked: Asked) -> Row:
    """Return what the training of a contender took."""
    return {"graph": graph.name, "what": one.name, "steps": recipe.steps,
            "on": f"torch, {asked.place}", "s of training": round(one.seconds, 1), "s in all": "",
            "bytes on disk": one.disk_bytes, "bytes in GPU memory": one.memory_bytes}  # fmt: skip


def evaluation_rows(
    name: str, graphs: dict[str, ReferenceBsdf | None], fields: dict[str, Field], asked: Asked
) -> Iterable[Row]:
    """Yield the time of each graph and of each decoder, through each API that answers."""
    for api in asked.apis:
        try:
            gpu = open_gpu(api)
        except DeviceError as error:
            print(f"left out: {error}")
            continue
        software = is_software(gpu.name)
        across, down = FEW if software else SCREEN
        screens = [Screen(across, down, asked.size, scattered, lights)
                   for lights in asked.lights for scattered in (False, True)]  # fmt: skip
        patience = SHORT if software else LONG
        taken: dict[str, Taken] = {}
        for what, thing in {**graphs, **fields}.items():
            prepared = decoder_evaluation if what in fields else graph_evaluation
            try:
                found = [prepared(gpu, thing, screen) for screen in screens]
            except KernelError as error:
                print(f"left out: {name}, {what}, {api}: {error}")
                continue
            taken[what] = found[0].path, [one.microseconds(patience) for one in found]
        for what, (path, spent) in taken.items():
            row = {"graph": name, "API": gpu.api, "device": gpu.name, "what": what, "path": path,
                   "points": across * down}  # fmt: skip
            yield row | time_columns(asked.lights, spent, taken.get("graph"))
        gpu.close()


def time_columns(lights: Sequence[int], spent: Sequence[float], graph: Taken | None) -> Row:
    """Return times of so many lights, and how often as fast as the graph that is."""
    found: Row = {}
    for index, count in enumerate(lights):
        title, pair = f"{count} light{'s' * (count > 1)}", slice(2 * index, 2 * index + 2)
        for place, one in zip(("plane", "scattered"), spent[pair], strict=True):
            found[f"{title}, {place} [us]"] = round(one, 1)
        ratios = [] if graph is None else zip(graph[1][pair], spent[pair], strict=True)
        found[f"{title}, times as fast"] = " / ".join(f"{a / b:.2f}" for a, b in ratios)
    return found


def bench_graph(graph: Path, reference: ReferenceBsdf, asked: Asked) -> Sections:
    """Fit one graph in all ways that are asked for."""
    name = graph.name
    rows: Sections = {"Quality": [], "Beside rivals and bars": [], "Fits": [], "Evaluation": []}
    timed, shades = dict[str, Field](), {}
    graphs: dict[str, ReferenceBsdf | None] = {"nothing": None, "graph": reference}
    if asked.engine != "none":
        for fitted, quality, field in shipped(graph, asked):
            rows["Fits"].append(fitted)
            rows["Quality"].append(quality)
            timed[fitted["what"]], shades[fitted["what"]] = field, field_shade(field)
            print(fitted, quality, sep="\n", flush=True)
    recipe = finest_recipe(asked)
    # CUDA's samples stay where PyTorch trains; by way of the host they take 10 ms a step
    gpu = open_gpu("cuda") if asked.device == "cuda" else open_reference_gpu()
    kernels = ReferenceKernels(gpu, reference)
    judge, contenders = Judge(kernels), contenders_of(asked)
    for one in train(contenders, kernels, recipe, asked.torch_device) if contenders else []:
        shades[one.name] = field_shade(one.field)
        quality = quality_row(name, one.name, judge.judge(shades[one.name]).facts())
        rows["Fits"].append(trained_row(graph, one, recipe, asked))
        rows["Quality"].append(quality)
        print(rows["Fits"][-1], quality, sep="\n", flush=True)
        if one.name.startswith("lobes") and asked.engine == "none":
            timed[one.name] = one.field
        if one.name == "PBR maps":
            graphs[one.name] = maps_reference(one.field, recipe.wrap)
    if "texels" in asked.rivals:
        shades["texels"] = texel_shade(kernels.eval, asked.size)
        quality = quality_row(name, "texels", judge.judge(shades["texels"]).facts())
        rows["Quality"].append(quality)
        print(quality, flush=True)
    rows["Beside rivals and bars"] = lead_rows(rows["Quality"])
    if asked.pictures:
        sheet(FOLDER / f"fit_material_{asked.name}_{graph.stem}_{graph.suffix[1:]}.png",
              {"graph": kernels.eval, **shades})  # fmt: skip
    gpu.close()
    for row in evaluation_rows(name, graphs, timed, asked):
        rows["Evaluation"].append(row)
        print(row, flush=True)
    return rows


def parsed() -> Asked:
    """Return what was asked for, with what follows from it."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("graphs", nargs="*", type=Path)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "vulkan"])
    parser.add_argument("--engine", default="auto", choices=["auto", "torch", "gpu", "none"],
                        help="of `fit material` [auto; gpu on one]; none: no such fit")  # fmt: skip
    parser.add_argument("--rivals", nargs="*", default=RIVALS, choices=RIVALS)
    parser.add_argument("--networks", nargs="+", default=["32x2"], help="width x hidden layers")
    for name, (what, *usual) in USUAL.items():
        parser.add_argument(
            f"--{name}", type=int, help="{} [{:,}, {:,} on a GPU]".format(what, *usual)
        )
    parser.add_argument("--seed", type=int, default=0, help="of all fits")
    parser.add_argument("--seconds", type=float, help="that `fit material` has, not --steps")
    parser.add_argument("--apis", nargs="*", help="of evaluation [vulkan, cuda too with cuda]")
    parser.add_argument("--lights", nargs="+", type=int, default=[1, 4], help="of evaluation")
    parser.add_argument("--pictures", action="store_true", help="draw a sheet of spheres")
    parser.add_argument("--name", help="behind results/fit_material_ [the device]")
    asked = parser.parse_args()
    takes_gpu = asked.device != "cpu" and torch.cuda.is_available()
    asked.torch_device = torch.device("cuda" if takes_gpu else "cpu")
    asked.place = torch.cuda.get_device_name() if takes_gpu else "cpu"
    for name, (_, *usual) in USUAL.items():
        if getattr(asked, name) is None:
            setattr(asked, name, usual[takes_gpu])
    if asked.apis is None:
        asked.apis = ["vulkan", "cuda"] if asked.device == "cuda" else ["vulkan"]
    asked.sizes = [tuple(int(part) for part in text.split("x")) for text in asked.networks]
    asked.name = asked.name or asked.device
    return asked


def main() -> None:
    """Fit every graph in every way, and write what was found."""
    asked = parsed()
    found: Sections = {"Quality": bar_rows()}
    with tempfile.TemporaryDirectory() as folder:
        for graph in asked.graphs or default_graphs(Path(folder)):
            rows = bench_graph(graph, load_reference(graph), asked)
            for title, some in rows.items():
                found.setdefault(title, []).extend(some)
            facts = {"trained in PyTorch on": asked.place, "samples of a step": asked.batch,
                     "map": f"{asked.size} x {asked.size} x 8"}  # fmt: skip
            done = {title: rows for title, rows in found.items() if rows}
            write_results(f"fit_material_{asked.name}", done, facts, quiet=True)


if __name__ == "__main__":
    main()
