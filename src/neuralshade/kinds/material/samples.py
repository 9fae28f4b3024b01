"""Training samples of a material's fit: points, and pairs of directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from neuralshade.kinds.material.references.reference_bsdf import ReferenceBsdf, ReferenceKernels
from neuralshade.sampler.material_directions import mixed_pairs

POOL = 2**17  # points whose values are computed in advance
# bounds of a rare point's probability over the mean point's
MOST_RARE, LEAST_RARE = 60.0, 1e-6
LEAST_SPREAD = 1e-3  # of a value, by which it is divided
UNIT = 1e-2  # tolerance of a normal's length
FACING = 0.1  # least z of a normal


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
        values = torch.from_numpy(reference.parameters(self.points.numpy()))
        self.mean, self.spread = values.mean(0), values.std(0) + LEAST_SPREAD
        self.values = (values - self.mean) / self.spread  # one point a row, read at once
        self.normal_firsts = normal_firsts(reference.bsdf.parameters, values)
        self.normals = unit_normals(reference.bsdf.parameters, values)
        self.often = torch.multinomial(rareness(self.values), pool, replacement=True,
                                       generator=rng)  # fmt: skip

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

    def draw(self, rng: torch.Generator, moved: bool = False) -> Samples:
        """Return the next batch.

        ``moved``: samples lie ``around`` the precomputed points, and keep their values.
        """
        index, wi, wo, seen = self.draw_queries(rng)
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

    def draw_queries(self, rng: torch.Generator) -> Queries:
        """Draw points and directions of the next batch."""
        index = torch.randint(0, len(self.points), (self.batch,), generator=rng)
        picked = torch.rand(self.batch, generator=rng) < self.rare
        index = torch.where(picked, self.often[index], index)
        up = torch.tensor([[0.0], [0.0], [1.0]]).expand(3, self.batch)
        choices = [up] if not self.normals else [n[:, index] for n in self.normals]
        which = torch.randint(0, len(choices), (self.batch,), generator=rng)
        normals = choices[0]
        for number, other in enumerate(choices[1:], 1):
            normals = torch.where(which == number, other, normals)
        return index, *mixed_pairs(normals, rng)


def rareness(values: torch.Tensor) -> torch.Tensor:
    """Return how often points are drawn for their values [N, P], of mean 0: float32 [N].

    It is the sum of squares over the mean point's, for any P.
    """
    squares = values.square().sum(1)
    mean = squares.mean().clamp(min=torch.finfo(squares.dtype).tiny)  # a graph may be uniform
    return (squares / mean).clamp(max=MOST_RARE) + LEAST_RARE


def with_shares(uv: torch.Tensor, reference: ReferenceBsdf, rng: torch.Generator) -> torch.Tensor:
    """Return points [N, 2] with a uniform share of each varied input."""
    if not reference.varied:
        return uv
    return torch.cat([uv, torch.rand((len(uv), len(reference.varied)), generator=rng)], dim=1)


def unit_normals(names: Sequence[str], values: torch.Tensor) -> list[torch.Tensor]:
    """Return the graph's values that are unit vectors and point up: float32 [3, N] each."""
    return [values[:, first : first + 3].t().contiguous() for first in normal_firsts(names, values)]


def normal_firsts(names: Sequence[str], values: torch.Tensor) -> list[int]:
    """Return the first column of each of these vectors that is a normal in values [N, P]."""
    found = []
    for first in vector_firsts(names):
        vector = values[:, first : first + 3]
        if (vector.norm(dim=1) - 1).abs().max() < UNIT and vector[:, 2].min() > FACING:
            found.append(first)
    return found


def vector_firsts(names: Sequence[str]) -> list[int]:
    """Return the first column of each vector among values, by their names: likely normals."""
    stems = [name.removesuffix(".x") if name.endswith(".x") else None for name in names]
    return [first for first, stem in enumerate(stems)
            if stem is not None and f"{stem}.z" in names[first + 2 : first + 3]]  # fmt: skip
