"""Kernel text of mip levels' training, and the layout of levels.

Device half: kernels.cs.slang.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.model.roughness import SMALLEST_ALPHA
from neuralshade.source.halving import halved

GROUP = 128  # threads
LEVEL = np.dtype([("first", "<u4"), ("width", "<u4"), ("height", "<u4"), ("near", "<f4")])
PAIRS_SHADED = 8  # by one thread of the reference kernel
SQUARE = 2  # texels of level 0, up to 4: sampled references shade one of each square
PAIR = np.dtype(
    [("wi", "<f4", 3), ("bright", "<f4"), ("wo", "<f4", 3), ("near", "<f4"), ("wm", "<f4", 3),
     ("cos_m", "<f4")]
)  # fmt: skip
NUMBERS = 7  # trained for each texel: albedo, slopes, roughness, metallic
STEEPEST = 5.0  # slope of a normal, that of 79 degrees
SMALLEST_ROUGHNESS = float(SMALLEST_ALPHA**0.5)
DARK = 0.01  # a color so dark has an error of about its own size at most
LEAST_OPACITY = 1e-7  # a texel's least weight: if all are hidden, their plain mean is used
MEASURES = ("symmetric", "relative", "log", "color", "reference")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LevelSizes:
    """Widths and heights of a whole chain, level 0 first; each half of the one before."""

    sizes: tuple[tuple[int, int], ...]

    @property
    def texels(self) -> int:
        """Return the number of texels in all levels but 0."""
        return sum(width * height for width, height in self.sizes[1:])

    def first(self, level: int) -> int:
        """Return the first texel of ``level`` >= 1 among those of all levels but 0."""
        return sum(width * height for width, height in self.sizes[1:level])

    def table(self, near: Sequence[float] = (1.0,)) -> npt.NDArray[np.void]:
        """Return the levels' table of the device half: LEVEL [levels].

        ``near``: weight of a near-mirror pair against others at level 1 and on; the last one holds
        for all further levels.
        """
        rows = [
            (self.first(max(1, i)), w, h, near[min(max(0, i - 1), len(near) - 1)])
            for i, (w, h) in enumerate(self.sizes)
        ]
        return np.array(rows, LEVEL)


def levels_of(width: int, height: int, count: int | None = None) -> LevelSizes:
    """Return the chain of a picture: ``count`` levels besides level 0, or down to 1 x 1."""
    sizes = [(width, height)]
    while max(sizes[-1]) > 1 and (count is None or len(sizes) <= count):
        sizes.append((max(1, sizes[-1][0] // 2), max(1, sizes[-1][1] // 2)))
    return LevelSizes(tuple(sizes))


def level_weights(opacity: Floats, levels: LevelSizes) -> Floats:
    """Return the weights of texels: float32 [texels of level 0 and of all others].

    ``opacity`` [H, W] of level 0. The mean over each level is 1.
    """
    mean, found = np.maximum(opacity, np.float32(LEAST_OPACITY)), []
    for _ in levels.sizes:
        found.append((mean / mean.mean(dtype=np.float64)).astype(np.float32).ravel())
        mean = halved(mean)
    return np.concatenate(found)


def pairs_table(pairs: Floats, bright: Floats, near: npt.NDArray[Any]) -> npt.NDArray[np.void]:
    """Return the device half's table of pairs [n, 2, 3] of directions: PAIR [n]."""
    wi, wo = pairs[:, 0], pairs[:, 1]
    between = wi + wo
    wm = between / np.linalg.norm(between, axis=1, keepdims=True)
    table = np.zeros(len(pairs), PAIR)
    table["wi"], table["wo"], table["wm"] = wi, wo, wm
    table["cos_m"], table["bright"], table["near"] = (wi * wm).sum(axis=1), bright, near
    return table


@dataclass(frozen=True)
class Skies:
    """Suns and skies of a step besides single pairs: lights summed up for one eye."""

    count: int = 0  # in one step
    lights: int = 8  # of one, including the sun
    weight: float = 4.0  # of all in the loss; the single pairs have 1

    @property
    def pairs(self) -> int:
        """Return the number of pairs of directions of a step's skies."""
        return self.count * self.lights

    def text(self) -> str:
        """Return the device half's definitions; empty without skies."""
        if not self.count:
            return ""
        return (
            f"#define SKIES {self.count}u\n"
            f"static const uint LIGHTS = {self.lights}u;\n"
            f"static const float SKY_WEIGHT = {float(self.weight)!r}f;\n"
        )


NO_SKIES = Skies()
WEIGHTED = "#define WEIGHTED\n"


def mipmaps_text(
    diffuse: str, pairs: int, chains: int = 1, skies: Skies = NO_SKIES, weighted: bool = False
) -> str:
    """Return the Slang module that trains and judges mip levels.

    Args:
        diffuse: name of a struct of microfacet.slang.
        pairs: of directions, in one step.
        chains: to judge at once.
        skies: of one step.
        weighted: texels count by ``level_weights``; judges then append sums of weights.
    """
    return (
        "import neuralshade.model.microfacet;\n"
        f"typealias Diffuse = {diffuse};\n"
        f"static const uint GROUP = {GROUP}u;\n"
        f"static const uint PAIRS = {pairs}u;\n"
        f"static const uint PAIRS_SHADED = {PAIRS_SHADED}u;\n"
        f"static const uint SQUARE = {SQUARE}u;\n"
        f"static const uint CHAINS = {chains}u;\n"
        f"static const uint MEASURES = {len(MEASURES) + weighted}u;\n"
        f"static const float STEEPEST = {STEEPEST!r}f;\n"
        f"static const float SMALLEST_ROUGHNESS = {SMALLEST_ROUGHNESS!r}f;\n"
        f"static const float DARK = {DARK!r}f;\n"
        f"{skies.text()}"
        f"{WEIGHTED if weighted else ''}"
        '#include "neuralshade/kinds/mipmaps/kernels.cs.slang"\n'
    )
