"""BC7 form of a trained map: its numbers mixed so that blocks lose little, and compressed.

A block keeps a line of a texture's four numbers, or a line of three and the fourth on its own.
Latents are mixed, so that each number is one direction of what varies within blocks and light
depends on, and shared out to textures so that these lose least. Readers of latents are linear, and
take the mix back.
Source: ours; block-compressed features after Weinreich et al. 2024, Real-Time Neural Materials
using Block-Compressed Features.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import torch

from neuralshade.asset.texture.bc7_lines import CHANNELS
from neuralshade.kinds.material.block_choice import block_rows, blocks_of, least_errors
from neuralshade.kinds.material.field import MaterialEncoding, encoding_of
from neuralshade.kinds.material.log_loss import FLOOR
from neuralshade.kinds.material.map_rows import PEAK, MapBlocks
from neuralshade.kinds.material.recipe import BLOCK_SIDE
from neuralshade.model.field import Field
from neuralshade.sampler.directions import draw_pairs

SAMPLES = 2**13  # of the light's slopes by latents
MIRROR, LOWEST = 0.25, 0.1  # share of them near mirror directions, least cosine
LEAST_SLOPE = 1e-4  # of the largest, so that the mix can be taken back
REACH, MARGIN = (0.0001, 0.9999), 0.02  # quantiles of mixed numbers, and how far beyond codes reach
QUANTILES_OF = 2**20  # texels at most
ORDERED_BY = 256  # blocks
SEED = 53

Numbers = tuple[int, ...]  # of a texture


@torch.no_grad()
def round_map(field: Field) -> MapBlocks | None:
    """Set the map of a field, on the CPU, to what a file stores; return its blocks, if any."""
    encoding = encoding_of(field)
    if not encoding.compressed:
        encoding.grid.round()
        return None
    encoding.blocks = compress_map(field)
    low, high = encoding.ends()
    latents = encoding.blocks.latents(encoding.grid.sizes[0][0])
    encoding.grid.texels[: len(latents)] = (latents - low) / (high - low)
    return encoding.blocks


def compress_map(field: Field) -> MapBlocks:
    """Return the blocks of a field's finest level, on the CPU."""
    encoding = encoding_of(field)
    side = encoding.grid.sizes[0][0]
    latents, slopes = _latents(encoding), _slopes(field)
    mixes, count = encoding.mixes, len(slopes)
    mix = _axes(slopes, _within_blocks(latents, side)) if mixes else torch.eye(count)
    mixed = latents @ mix.t()
    few = mixed[:: max(1, len(mixed) // QUANTILES_OF)]
    low, high = torch.quantile(few, torch.tensor(REACH), dim=0)
    margin = MARGIN * (high - low) + 1e-6
    low, high = low - margin, high + margin
    codes = ((mixed - low) / (high - low) * PEAK).clamp_(0, PEAK).view(side, side, -1)
    back = torch.linalg.inv(mix.double())
    weights = (back.t() @ slopes.double() @ back).diagonal().clamp_min(0).sqrt().float()
    weights = (weights * (high - low)).clamp_min(1e-6)
    weights = weights / weights.max()
    order = texture_order(codes, weights) if mixes else list(range(count))
    rows = block_rows(codes[..., order], weights[order])
    return MapBlocks(rows, mix[order], torch.stack([low, high])[:, order])


def texture_order(codes: torch.Tensor, weights: torch.Tensor) -> list[int]:
    """Return an order of numbers in which textures lose least: by exchanges that gain, on a sample.

    It begins with the strongest in a texture each, beside the weakest that are left.
    """
    tiles = blocks_of(codes)
    few = torch.randperm(len(tiles), generator=torch.Generator().manual_seed(SEED))[:ORDERED_BY]
    tiles = tiles[few]

    @cache
    def error(texture: Numbers) -> float:
        own = list(texture)
        return float(least_errors(tiles[..., own], weights[own]).sum())

    textures, before = _first_order(len(weights)), None
    while textures != before:
        before = list(textures)
        for one, other in combinations(range(len(textures)), 2):
            for a, b in product(range(CHANNELS), repeat=2):
                new = _exchanged(textures[one], textures[other], a, b)
                if sum(map(error, new)) < error(textures[one]) + error(textures[other]):
                    textures[one], textures[other] = new
    return [number for texture in textures for number in texture]


def _exchanged(one: Numbers, other: Numbers, a: int, b: int) -> list[Numbers]:
    """Return two textures' numbers with two of them exchanged, in order."""
    return [tuple(sorted((*one[:a], *one[a + 1 :], other[b]))),
            tuple(sorted((*other[:b], *other[b + 1 :], one[a])))]  # fmt: skip


def _first_order(features: int) -> list[Numbers]:
    """Return the numbers of textures, of numbers with the strongest first."""
    count, found = features // CHANNELS, list[Numbers]()
    left = list(range(count, features))
    for texture in range(count):
        found.append((texture, *left[1 - CHANNELS :]))
        del left[1 - CHANNELS :]
    return found


def _latents(encoding: MaterialEncoding) -> torch.Tensor:
    """Return the latents of the finest level: float32 [texels, features]."""
    low, high = encoding.ends()
    return low + (high - low) * encoding.grid.level(0).reshape(-1, encoding.grid.features)


@torch.enable_grad()
def _slopes(field: Field) -> torch.Tensor:
    """Return the mean square of the slopes of logarithms of light by latents: [F, F]."""
    encoding, rng = encoding_of(field), torch.Generator().manual_seed(SEED)
    u = torch.rand((2 + encoding.varied, SAMPLES), generator=rng)
    pairs = torch.from_numpy(draw_pairs(SAMPLES, MIRROR, LOWEST, SEED)).permute(1, 2, 0)
    at = torch.stack([u[0], u[1], torch.zeros(SAMPLES)], dim=1)
    latents = encoding.latents(at).detach().requires_grad_()
    read = encoding.columns(latents, pairs[0], pairs[1], u[2:].t())
    logs = (field.network.on_columns(read, torch.float32) + FLOOR).log()
    found = torch.zeros(len(latents), len(latents))
    for channel in logs:
        (slope,) = torch.autograd.grad(channel.sum(), latents, retain_graph=True)
        found += slope @ slope.t() / SAMPLES
    return found


def _within_blocks(latents: torch.Tensor, side: int) -> torch.Tensor:
    """Return the covariance [F, F] of whole blocks' texels about the mean of each."""
    across = side // BLOCK_SIDE
    if not across:
        return latents.t() @ latents
    whole = latents.view(side, side, -1)[: across * BLOCK_SIDE, : across * BLOCK_SIDE]
    tiles = whole.reshape(across, BLOCK_SIDE, across, BLOCK_SIDE, -1)
    apart = (tiles - tiles.mean((1, 3), keepdim=True)).reshape(-1, latents.shape[1])
    return apart.t() @ apart


def _axes(slopes: torch.Tensor, covariance: torch.Tensor) -> torch.Tensor:
    """Return axes of what varies within blocks, where all directions change the light alike.

    float32 [F, F], a row each, the strongest first.
    """
    values, axes = torch.linalg.eigh(slopes.double())
    roots = axes @ (values.clamp_min(LEAST_SLOPE * values.max()).sqrt()[:, None] * axes.t())
    _, own = torch.linalg.eigh(roots @ covariance.double() @ roots)
    mix = own.flip(1).t() @ roots
    return (mix / mix.norm(dim=1, keepdim=True).mean()).float()
