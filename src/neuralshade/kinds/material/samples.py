"""Training samples of a material's fit: points, and pairs of directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from neuralshade.engine.threads import side_by_side
from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.sampler.material_directions import mixed_pairs

POOL = 2**17  # points whose values are computed in advance
# bounds of a rare point's probability over the mean point's
MOST_RARE, LEAST_RARE = 60.0, 1e-6
LEAST_SPREAD = 1e-3  # of a value, by which it is divided
UNIT = 1e-2  # tolerance of a normal's length
FACING = 0.1  # least z of a normal
# points whose values a core looks at; 2^11 took 7 times as long on 16 cores, 3 times on 2
AT_ONCE = 2**15


@dataclass(frozen=True)
class Samples:
    """One batch, a sample a column."""

    uv: torch.Tensor  # float32 [N, 2], followed by shares of varied inputs, see varied.py
    values: torch.Tensor  # of the graph, of mean 0 and variance 1: float32 [P, N]
    wi: torch.Tensor  # float32 [3, N]
    wo: torch.Tensor
    seen: torch.Tensor  # bool [N]: both directions lie above the surface
    target: torch.Tensor  # f * cos of wi: float32 [3, N]


# Which of the pool's points, wi and wo [3, N], and whether both lie above the surface.
Queries = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


class MaterialSampler:
    """Draws batches: some points anywhere, ``rare`` of them where the graph's values are rare.

    A scratch covers few texels, but is conspicuous when it shines. Directions are those of
    ``mixed_pairs`` around the graph's normals. ``pool``: number of precomputed points. ``around``:
    side in uv of the square around such a point for its samples, a texel's: with fixed points, a
    map would fit only these.
    """

    def __init__(
        self, reference: ReferenceKernels, batch: int, rare: float, rng: torch.Generator,
        pool: int = POOL, around: float = 0.0,
    ):  # fmt: skip
        self.reference, self.batch, self.rare, self.around = reference, batch, rare, around
        self.points = torch.rand((pool, 2), generator=rng)
        self.values = torch.from_numpy(reference.parameters(self.points.numpy()))
        normals = normals_of(reference.bsdf.parameters, self.values)
        self.normal_firsts, self.normals = list(normals), list(normals.values())
        self.mean, self.spread = normalize(self.values)  # one point a row, read at once
        self.often = often_drawn(rareness(self.values), rng)

    @property
    def rare_points(self) -> torch.Tensor:
        """Return points drawn where the graph's values are rare: float32 [pool, 2]."""
        return self.points[self.often]

    @property
    def value_count(self) -> int:
        """Return the number of the graph's values."""
        return self.values.shape[1]

    def normalized(self, values: torch.Tensor) -> torch.Tensor:
        """Return values of the graph [N, P], on any device, as input of an encoder: [P, N]."""
        mean, spread = (t.to(values.device) for t in (self.mean, self.spread))
        return ((values - mean) / spread).t().contiguous()

    def draw(
        self, rng: torch.Generator, moved: bool = False, count: int | None = None
    ) -> Samples:  # fmt: skip
        """Return the next batch, or ``count`` samples.

        ``moved``: samples lie ``around`` the precomputed points, and keep their values.
        """
        index, wi, wo, seen = self.draw_queries(rng, count)
        uv = self.places(index, rng)
        if moved:
            uv[:, :2] += self.around * (torch.rand((len(uv), 2), generator=rng) - 0.5)
            uv[:, :2] -= uv[:, :2].floor()
        found = self.reference.eval(uv.numpy(), wi.t().numpy(), wo.t().numpy())
        target = torch.from_numpy(found).t().contiguous()
        values = self.values.index_select(0, index).t().contiguous()
        return Samples(uv, values, wi, wo, seen, target)

    def places(self, index: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
        """Return points [N, 2], each with shares of varied inputs drawn uniformly behind it."""
        return with_shares(self.points[index], self.reference.bsdf, rng)

    def draw_queries(self, rng: torch.Generator, count: int | None = None) -> Queries:
        """Draw points and directions of the next batch, or ``count`` of them."""
        count = self.batch if count is None else count
        index = torch.randint(0, len(self.points), (count,), generator=rng)
        picked = torch.rand(count, generator=rng) < self.rare
        index = torch.where(picked, self.often[index], index)
        up = torch.tensor([[0.0], [0.0], [1.0]]).expand(3, count)
        choices = [up] if not self.normals else [n[:, index] for n in self.normals]
        which = torch.randint(0, len(choices), (count,), generator=rng)
        normals = choices[0]
        for number, other in enumerate(choices[1:], 1):
            normals = torch.where(which == number, other, normals)
        return index, *mixed_pairs(normals, rng)


def normalize(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Give values [N, P] a mean of 0 and a variance of 1, in place; return both before: [P] each.

    Block by block: a copy of so many values takes longer than all else.
    """
    blocks = values.split(AT_ONCE)
    sums = side_by_side(lambda block: block.sum(0).double(), blocks)
    mean = (sum(sums) / len(values)).float()
    squares = side_by_side(lambda block: block.sub_(mean).square().sum(0).double(), blocks)
    spread = (sum(squares) / (len(values) - 1)).sqrt().float() + LEAST_SPREAD
    for _ in side_by_side(lambda block: block.div_(spread), blocks):
        pass
    return mean, spread


def rareness(values: torch.Tensor) -> torch.Tensor:
    """Return how often points are drawn for their values [N, P], of mean 0: float32 [N].

    It is the sum of squares over the mean point's, for any P.
    """
    blocks = values.split(AT_ONCE)
    squares = torch.cat(list(side_by_side(lambda block: block.square().sum(1), blocks)))
    mean = squares.mean().clamp(min=torch.finfo(squares.dtype).tiny)  # a graph may be uniform
    return (squares / mean).clamp(max=MOST_RARE) + LEAST_RARE


def often_drawn(weights: torch.Tensor, rng: torch.Generator) -> torch.Tensor:
    """Return as many indices as there are weights [N], each as often as its weight: int64 [N].

    As torch.multinomial with replacement, which searches on one core, draws them.
    """
    ends = torch.from_numpy(np.cumsum(weights.numpy()))  # in float32, as there
    ends = (ends / ends[-1]).double()
    ends[-1] = 1
    drawn = torch.rand(len(weights), dtype=torch.float64, generator=rng)
    found = side_by_side(lambda block: torch.searchsorted(ends, block), drawn.split(AT_ONCE))
    return torch.cat(list(found))


def with_shares(uv: torch.Tensor, reference: ReferenceBsdf, rng: torch.Generator) -> torch.Tensor:
    """Return points [N, 2] with a uniform share of each varied input."""
    if not reference.varied:
        return uv
    return torch.cat([uv, torch.rand((len(uv), len(reference.varied)), generator=rng)], dim=1)


def unit_normals(names: Sequence[str], values: torch.Tensor) -> list[torch.Tensor]:
    """Return the graph's values that are unit vectors and point up: float32 [3, N] each."""
    return list(normals_of(names, values).values())


def normal_firsts(names: Sequence[str], values: torch.Tensor) -> list[int]:
    """Return the first column of each of these vectors that is a normal in values [N, P]."""
    return list(normals_of(names, values))


def normals_of(names: Sequence[str], values: torch.Tensor) -> dict[int, torch.Tensor]:
    """Return the normals, float32 [3, N], by their first column in values [N, P]."""
    vectors = {first: values[:, first : first + 3] for first in vector_firsts(names)}
    return {first: found.t().contiguous() for first, found in vectors.items() if _normal(found)}


def _normal(vectors: torch.Tensor) -> bool:
    """Return whether all vectors [N, 3] have length 1 and point up."""

    def fits(block: torch.Tensor) -> bool:
        apart = block.square().sum(1).sqrt_().sub_(1).abs_()
        return bool(apart.max() < UNIT and block[:, 2].min() > FACING)

    return all(side_by_side(fits, vectors.split(AT_ONCE)))


def vector_firsts(names: Sequence[str]) -> list[int]:
    """Return the first column of each vector among values, by their names: likely normals."""
    stems = [name.removesuffix(".x") if name.endswith(".x") else None for name in names]
    return [first for first, stem in enumerate(stems)
            if stem is not None and f"{stem}.z" in names[first + 2 : first + 3]]  # fmt: skip
