"""Trainable texels on one or several regular grids. Device half: dense_grid.slang."""

import torch

from neuralshade.model.bilinear import mix_corners
from neuralshade.model.grid import Grid
from neuralshade.model.parameters import SlangType
from neuralshade.model.quantize import fake_quantize

START_RANGE = 1e-2  # texels start uniform in [-START_RANGE, START_RANGE]


def level_sizes(coarsest: int, finest: int, levels: int) -> list[int]:
    """Return ``levels`` sizes growing by a constant factor from coarsest to finest."""
    if levels == 1:
        return [finest]
    growth = (finest / coarsest) ** (1.0 / (levels - 1))
    return [round(coarsest * growth**level) for level in range(levels)]


class DenseGrid(Grid):
    """Encoding by bilinear look-up in ``levels`` grids of ``features`` numbers per texel.

    Texel centres lie at (i + 0.5) / size, as in a texture; positions beyond the outermost
    centres are clamped. Levels grow from ``coarsest`` by a constant factor to ``width`` x
    ``height``; one level has just that size. levels * features numbers, coarsest level
    first. ``smooth`` = 1 mixes texels by ``smooth_share``. ``bits`` = 4 or 8 rounds them in
    every forward as the asset will store them (straight-through gradient); 16 and 32 leave
    them alone.

    Gradients reach the texels, not the position.
    Source: multi-resolution grids as in Mueller et al. 2022, Instant NGP, section 3, without
    the hash; texture addressing as in the Vulkan specification, "Texel Coordinate Systems".
    """

    features_axis = 0

    def __init__(
        self,
        levels: int = 1,
        features: int = 2,
        coarsest: int = 16,
        width: int = 128,
        height: int = 128,
        smooth: int = 0,
        *,
        rng: torch.Generator | None = None,
    ):
        super().__init__()
        self.smooth = bool(smooth)
        longest = max(width, height)
        self.texels = torch.nn.ParameterList()
        for size in level_sizes(min(coarsest, longest), longest, levels):
            shape = (features, *(max(1, round(n * size / longest)) for n in (height, width)))
            start = torch.empty(shape).uniform_(-START_RANGE, START_RANGE, generator=rng)
            self.texels.append(torch.nn.Parameter(start))
        self.width = levels * features

    def sizes(self) -> list[tuple[int, int]]:
        return [(texels.shape[2], texels.shape[1]) for texels in self.texels]

    def slang(self, name: str) -> SlangType:
        return self.slang_type(name, "dense_grid", "DenseGrid")

    def sized_slang(self, name: str) -> SlangType:
        return self.sized_type(name, "dense_grid", "DenseGrid")

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        levels = []
        for texels in self.stored():
            height, width = texels.shape[1:]
            (col, across), (row, down) = corner(uv[:, 0], width), corner(uv[:, 1], height)
            next_col, next_row = (col + 1).clamp(max=width - 1), (row + 1).clamp(max=height - 1)
            upper, lower = row * width, next_row * width
            index = torch.stack([upper + col, upper + next_col, lower + col, lower + next_col])
            across, down = self.share(across), self.share(down)
            levels.append(mix_corners(texels.flatten(1).t(), index, across, down))
        return torch.cat(levels, dim=1)

    def along(self, axis: int, x: torch.Tensor) -> torch.Tensor:
        """Return each level's interpolation matrix [n, texels along the axis], side by side."""
        sizes = [texels.shape[2 - axis] for texels in self.texels]
        return torch.cat([self.share(tent_weights(x, size)) for size in sizes], dim=1)

    def combine(
        self, along_u: torch.Tensor, along_v: torch.Tensor, compute: torch.dtype | None = None
    ) -> torch.Tensor:
        # Bilinear look-up on a lattice is separable: V T U^T with two weights a row. As dense
        # products it needs no scatter going back, so sums have one order on every run.
        along_u, along_v = along_u.to(dtype=compute), along_v.to(dtype=compute)
        of_u = along_u.split([texels.shape[2] for texels in self.texels], dim=1)
        of_v = along_v.split([texels.shape[1] for texels in self.texels], dim=1)
        levels = list(zip(of_v, self.stored(), of_u, strict=True))
        if not torch.is_grad_enabled():  # drawing: a strip or a crop reads few of the texels
            levels = [_touched(*level) for level in levels]
        return torch.cat([v @ t.to(dtype=compute) @ u.t() for v, t, u in levels])

    def stored(self) -> list[torch.Tensor]:
        """Return the texels of every level as the asset will hold them."""
        return [fake_quantize(texels, self.bits, grid=True) for texels in self.texels]


def _touched(
    v: torch.Tensor, texels: torch.Tensor, u: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the parts of one level's factors outside which all weights are 0."""
    rows, cols = (_span(weights) for weights in (v, u))
    return v[:, rows], texels[:, rows, cols], u[:, cols]


def _span(weights: torch.Tensor) -> slice:
    """Return the columns of [n, size] from the first to the last that is not all 0."""
    used = weights.any(0).nonzero()
    return slice(int(used[0]), int(used[-1]) + 1)


def corner(x: torch.Tensor, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the texel before ``x`` and how far ``x`` is on the way to the next, in [0, 1]."""
    position = (x * size - 0.5).clamp(0, size - 1)
    index = position.floor()
    return index.long(), position - index


def tent_weights(x: torch.Tensor, size: int) -> torch.Tensor:
    """Return the bilinear weight of every texel along one axis: [n] -> [n, size]."""
    position = (x.detach() * size - 0.5).clamp(0, size - 1)
    texel = torch.arange(size, device=x.device, dtype=x.dtype)
    return (1.0 - (position[:, None] - texel).abs()).clamp_(min=0)
