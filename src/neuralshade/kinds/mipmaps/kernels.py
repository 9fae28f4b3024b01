"""The text of the kernels that train mip levels, and where levels lie.

Device half: kernels.cs.slang.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.model.microfacet import SMALLEST_ALPHA
from neuralshade.source.halving import halved

GROUP = 128  # threads
LEVEL = np.dtype([("first", "<u4"), ("width", "<u4"), ("height", "<u4"), ("near", "<f4")])
PAIRS_SHADED = 8  # by one thread that makes references
SQUARE = 2  # texels of level 0, up to 4: of each square one is shaded where references are sampled
PAIR = np.dtype(
    [("wi", "<f4", 3), ("bright", "<f4"), ("wo", "<f4", 3), ("near", "<f4"), ("wm", "<f4", 3),
     ("cos_m", "<f4")]
)  # fmt: skip
NUMBERS = 7  # trained of a texel: albedo, slopes, roughness, metallic
STEEPEST = 5.0  # slope of a normal, that of 79 degrees
SMALLEST_ROUGHNESS = float(SMALLEST_ALPHA**0.5)
DARK = 0.01  # a color so dark is wrong by as much as itself at most, roughly
LEAST_OPACITY = 1e-7  # that texels count by: where all are hidden, their plain mean stands
MEASURES = ("symmetric", "relative", "log", "color", "reference")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class LevelSizes:
    """Widths and heights of a whole chain, level 0 first; each half of the one before."""

    sizes: tuple[tuple[int, int], ...]

    @property
    def texels(self) -> int:
        """Return how many texels there are in all levels but 0."""
        return sum(width * height for width, height in self.sizes[1:])

    def first(self, level: int) -> int:
        """Return the first texel of ``level`` >= 1 among those of all levels but 0."""
        return sum(width * height for width, height in self.sizes[1:level])

    def table(self, near: Sequence[float] = (1.0,)) -> npt.NDArray[np.void]:
        """Return what the device half knows of them: LEVEL [levels].

        ``near``: what a pair near a mirror's weighs against another at level 1 and on; the last
        holds for all further levels.
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
    """Return by how much texels count: float32 [texels of level 0 and of all others].

    ``opacity`` [H, W] of level 0. Of each level by itself the mean is 1.
    """
    mean, found = np.maximum(opacity, np.float32(LEAST_OPACITY)), []
    for _ in levels.sizes:
        found.append((mean / mean.mean(dtype=np.float64)).astype(np.float32).ravel())
        mean = halved(mean)
    return np.concatenate(found)


def pairs_table(pairs: Floats, bright: Floats, near: npt.NDArray[Any]) -> npt.NDArray[np.void]:
    """Return what the device half knows of pairs [n, 2, 3] of directions: PAIR [n]."""
    wi, wo = pairs[:, 0], pairs[:, 1]
    between = wi + wo
    wm = between / np.linalg.norm(between, axis=1, keepdims=True)
    table = np.zeros(len(pairs), PAIR)
    table["wi"], table["wo"], table["wm"] = wi, wo, wm
    table["cos_m"], table["bright"], table["near"] = (wi * wm).sum(axis=1), bright, near
    return table


@dataclass(frozen=True)
class Skies:
    """Suns and skies that a step sees besides single pairs: lights summed up for one eye."""

    count: int = 0  # in one step
    lights: int = 8  # of one, the sun among them
    weight: float = 4.0  # of all in the loss; the single pairs have 1

    @property
    def pairs(self) -> int:
        """Return how many pairs of directions a step's skies have."""
        return self.count * self.lights

    def text(self) -> str:
        """Return what the device half knows of them: nothing where there are none."""
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
    """Return the module that trains mip levels, and judges them.

    Args:
        diffuse: name of a struct of microfacet.slang.
        pairs: of directions, in one step.
        chains: that are judged at once.
        skies: of one step.
        weighted: texels count by ``level_weights``, whose sums judges have behind MEASURES.
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
