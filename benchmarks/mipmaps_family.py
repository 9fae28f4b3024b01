"""What a network of other sets is worth to the mip levels of one: leave-one-out over PBR sets.

    python benchmarks/mipmaps_family.py [--device cuda] [--side 256] [--sets NAME ...]

Of each set two parts of SIDE texels are cut out: one teaches, the other is tried. A network
learns from the taught parts of all other sets ("others"), or of all sets ("kin": the material
itself is among them, in another part). Its corrections are judged as they are, and after few
steps of training, as `fit mipmaps --share` does it; beside a box filter, as many steps from that,
and a whole fit.

Writes results/mipmaps_family_<API>.json. Needs sets as fit_mipmaps.py does. On two cores,
software Vulkan takes about ten minutes.
"""

import argparse
import os
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from fit_mipmaps import SETS
from shared.pictures import DATA, VARIABLE
from shared.results import write_results

import neuralshade
from neuralshade.engine.engine_choice import choose_engine
from neuralshade.errors import NeuralShadeError
from neuralshade.fitting.loop import Loop
from neuralshade.gpu.gpu import Gpu
from neuralshade.kinds.mipmaps.build import base_maps, build_mip_engine, numbers_of
from neuralshade.kinds.mipmaps.engine import MipEngine
from neuralshade.kinds.mipmaps.family.training import (
    Examples,
    FamilyTraining,
    better_levels,
    by_level,
    corrected,
    examples_of,
    fine_tuning,
    missed_share,
    train_correction,
)
from neuralshade.kinds.mipmaps.judge import HELD_OUT, KINDS, judge
from neuralshade.kinds.mipmaps.kernels import LevelSizes, levels_of
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import Floats, Maps, box_chain
from neuralshade.model.mip_correction import MipCorrection

Row = dict[str, Any]
FEW = (16, 64)  # steps after the network
LEVELS = 5  # that are told
USUAL = MipmapsRecipe()


def parts(name: str, side: int) -> tuple[Maps, Maps]:
    """Return two parts of a set, left and right, or the only one twice where it is too small."""
    textures = neuralshade.load_texture_set(Path(os.environ.get(VARIABLE, DATA)) / name)
    top = max(0, (textures.height - side) // 2)

    def cut(middle: float) -> Maps:
        left = int(min(max(0, middle * textures.width - side / 2), max(0, textures.width - side)))
        maps = base_maps(textures, weighted=False).arrays().items()
        return Maps(**{n: v[top : top + side, left : left + side].copy() for n, v in maps})

    return cut(0.25), cut(0.75)


class Tried:
    """One part of a set, on a GPU."""

    def __init__(self, maps: Maps, gpu: Gpu):
        self.maps, self.gpu = maps, gpu
        height, width = maps.roughness.shape
        self.levels: LevelSizes = levels_of(width, height)
        self.box = numbers_of(box_chain(maps, len(self.levels.sizes) - 1))

    def train(self, start: Floats, **settings: Any) -> tuple[Floats, float]:
        """Return trained numbers and the seconds that they took."""
        recipe = replace(USUAL, **settings)
        engine = self.engine(recipe)
        engine.set_values(start)
        loop = Loop(engine, recipe, None)
        if not loop.run():
            raise KeyboardInterrupt
        return engine.values(), loop.progress.seconds

    def engine(self, recipe: MipmapsRecipe = USUAL) -> MipEngine:
        """Return what trains and judges, with a box filter's numbers."""
        return build_mip_engine(recipe, self.maps, self.levels, self.box, self.gpu)

    def start(self, values: Floats) -> Floats:
        """Return the numbers that a fit starts from: a box filter's on levels that get worse."""
        better = better_levels(self.engine(), USUAL, self.box, values)
        return by_level(self.levels, better, self.box, values)

    def learned(self, values: Floats) -> Examples:
        """Return what trained numbers teach."""
        return examples_of(self.maps, self.levels, self.box, values, FamilyTraining(), 0)

    def errors(self, chains: dict[str, Floats]) -> dict[str, dict[str, list[float]]]:
        """Return symmetric errors by kind of lights, method and level."""
        judged = judge(self.engine(), chains, USUAL, HELD_OUT, tuple(KINDS)).errors
        return {
            kind: {name: [row["symmetric"] for row in rows] for name, rows in found.items()}
            for kind, found in judged.items()
        }


def tried(part: Tried, networks: dict[str, MipCorrection]) -> tuple[Any, dict[str, float]]:
    """Return errors and seconds of all methods."""
    chains, seconds = {"box": part.box}, {"box": 0.0}
    starts = {"box": (part.box, 0.0)}
    for name, network in networks.items():
        begun = time.perf_counter()
        chains[name] = corrected(network, part.maps, part.levels, part.box)
        seconds[name] = time.perf_counter() - begun
        starts[name] = part.start(chains[name]), time.perf_counter() - begun
    for begin, (values, before) in starts.items():
        for steps in FEW:
            name = f"{begin} + {steps}"
            settings = {"steps": steps} if begin == "box" else fine_tuning({"steps": steps})
            chains[name], took = part.train(values, **settings)
            seconds[name] = took + before
    chains["whole fit"], seconds["whole fit"] = part.train(part.box)
    return part.errors(chains), seconds


def main() -> None:
    """Try every set that is there, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", help="API; by default the first with hardware")
    parser.add_argument("--side", type=int, default=256, help="of a part, in texels")
    parser.add_argument("--sets", nargs="+", default=SETS)
    options = parser.parse_args()
    cuts = {}
    for name in options.sets:
        try:
            cuts[name] = parts(name, options.side)
        except NeuralShadeError as error:
            print(f"left out: {error} Name a folder by {VARIABLE}.")
    if len(cuts) < 3:
        print("need three sets or more")
        return
    with closing(choose_engine("gpu", options.device)) as chosen:
        assert chosen.gpu is not None
        run(cuts, chosen.gpu, options.side)


def run(cuts: dict[str, tuple[Maps, Maps]], gpu: Gpu, side: int) -> None:
    """Teach, try and write."""
    examples = {}
    for name, (taught, _) in cuts.items():
        part = Tried(taught, gpu)
        examples[name] = part.learned(part.train(part.box)[0])
        print(f"{name}: taught", flush=True)
    begun = time.perf_counter()
    kin = train_correction(list(examples.values()), FamilyTraining(), 0)
    taught_in = time.perf_counter() - begun
    short: list[Row] = []
    long: list[Row] = []
    spent: list[dict[str, float]] = []
    missed: list[Row] = []
    for name, (_, maps) in cuts.items():
        rest = [found for other, found in examples.items() if other != name]
        networks = {"others": train_correction(rest, FamilyTraining(), 0), "kin": kin}
        errors, seconds = tried(Tried(maps, gpu), networks)
        spent.append(seconds)
        missed.append({"set": name, **{
            told: round(missed_share(network, examples[name]), 2)
            for told, network in networks.items()
        }})  # fmt: skip
        short += [mean_row(name, kind, found) for kind, found in errors.items()]
        long += [row for kind, found in errors.items() for row in level_rows(name, kind, found)]
        print(*short[-len(errors) :], sep="\n", flush=True)
    times: list[Row] = [
        {"method": method, "seconds": round(fmean(s[method] for s in spent), 2)}
        for method in spent[0]
    ]
    facts = {"gpu": f"{gpu.name} ({gpu.api})", "texels of a part": f"{side} x {side}",
             "seconds to teach the network of all sets": round(taught_in, 1)}  # fmt: skip
    sections = {
        f"Error over a box filter's, mean of levels 1 to {LEVELS}": short,
        "Share of a taught part's corrections that the network misses": missed,
        "Training of a set, references included and judging left out": times,
        f"Levels 1 to {LEVELS}": long,
    }
    api = "software" if gpu.adapter.software else gpu.api
    write_results(f"mipmaps_family_{api}", sections, facts)


def ratios(found: dict[str, list[float]], method: str) -> list[float]:
    """Return a method's errors over a box filter's."""
    pairs = zip(found[method][:LEVELS], found["box"][:LEVELS], strict=True)
    return [mine / box for mine, box in pairs]


def mean_row(name: str, kind: str, found: dict[str, list[float]]) -> Row:
    """Return a set's mean ratios."""
    means = {m: f"{np.mean(ratios(found, m)):.2f}" for m in found if m != "box"}
    return {"set": name, "lights": kind, **means}


def level_rows(name: str, kind: str, found: dict[str, list[float]]) -> list[Row]:
    """Return a set's errors of a box filter, and every method's ratios, by level."""
    rows = []
    for method, errors in found.items():
        shown = [f"{e:.4f}" for e in errors[:LEVELS]]
        if method != "box":
            shown = [f"{ratio:.2f}" for ratio in ratios(found, method)]
        rows.append({"set": name, "lights": kind, "method": method, "levels": " ".join(shown)})
    return rows


if __name__ == "__main__":
    main()
