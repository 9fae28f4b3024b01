"""kinds/textures/initial_latents: latents begin at the principal components of what they cover."""

import warnings

import numpy as np
import pytest
import torch
from fixtures.texture_sets import waves
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.kinds.textures.build import started_field
from neuralshade.kinds.textures.engine import latent_grids
from neuralshade.kinds.textures.initial_latents import start_latents
from neuralshade.kinds.textures.layout import (
    OLDER,
    GridShape,
    build_encoding,
    served_first,
    shapes_of,
)
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.texels import PEAK, Texels
from neuralshade.model.latent_grid import LatentGrid
from neuralshade.source.halving import halved
from neuralshade.source.material_mips import mip_sizes


def texels_of(level):
    """Return the texels of a level and of its mips."""
    levels = [level]
    for _ in mip_sizes(level.shape[1], level.shape[0])[1:]:
        levels.append(halved(levels[-1]))
    return Texels(levels)


def started(shapes, texels):
    """Return grids of these shapes, before and after."""
    stored = sorted(set(served_first(shapes[0].scale, len(texels.sizes))))
    encoding = build_encoding(texels.sizes, shapes, True, torch.Generator().manual_seed(0))
    grids = [part for part in encoding.members if isinstance(part, LatentGrid)]
    before = [grid.texels.detach().clone() for grid in grids]
    start_latents(grids, shapes, stored, texels)
    return grids, before


def of_rank(rank, height, width, scale, channels=3, seed=0):
    """Return a picture whose patches of ``scale`` texels a side are mixed of ``rank``."""
    rng = np.random.default_rng(seed)
    parts = rng.normal(0, 1, (rank, scale, scale, channels))
    mixed = np.einsum("yxr,rabc->yaxbc", rng.uniform(-1, 1, (height, width, rank)), parts)
    mixed = 0.5 + 0.4 * mixed / np.abs(mixed).max()
    return mixed.reshape(height * scale, width * scale, channels).astype(np.float32)


@pytest.mark.parametrize("scale, rank", [(1, 2), (2, 3), (4, 5)])
def test_as_many_latents_as_components_say_all_of_it(scale, rank):
    """What latents say is linear in them: the best linear map leaves nothing but rounding."""
    texels = texels_of(of_rank(rank, 16, 12, scale))
    grids, _ = started((GridShape(scale, rank, 4),), texels)
    latents = grids[0].level(0).reshape(-1, rank).double().numpy()
    height, width = 16, 12
    patches = texels.level(0).reshape(height, scale, width, scale, 3).swapaxes(1, 2)
    patches = patches.reshape(height * width, -1)
    design = np.column_stack([latents, np.ones(len(latents))])
    left = patches - design @ np.linalg.lstsq(design, patches, rcond=None)[0]
    assert np.abs(left).max() < 4 / PEAK
    assert latents.std(0).min() > 0.05  # each says something


def test_the_first_say_the_most():
    grids, _ = started((GridShape(2, 6, 4),), texels_of(waves(32, 32, 3, noise=0.02)))
    latents = grids[0].level(0).reshape(-1, 6)
    # all reach four deviations to either side: 1/8 of [0, 1] each
    np.testing.assert_allclose(latents.mean(0), 0.5, atol=1e-3)
    np.testing.assert_allclose(latents.std(0, correction=0), 0.125, atol=2e-2)
    correlation = np.corrcoef(latents.numpy().T) - np.eye(6)
    assert np.abs(correlation).max() < 0.1  # nearly: the clamping


def test_what_a_coarser_grid_has_counts_no_more():
    """Patches that are flat: the coarse grid says all, and the fine one starts in the middle."""
    flat = np.repeat(np.repeat(np.full((4, 4, 3), 0.3, np.float32), 4, 0), 4, 1)
    grids, _ = started((GridShape(1, 2, 4), GridShape(4, 3, 4)), texels_of(flat))
    assert torch.equal(grids[0].level(0), torch.full_like(grids[0].level(0), 0.5))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 4), st.floats(0.3, 32))
def test_latents_stay_in_0_to_1_at_any_size(width, height, channels, bpp):
    texels = texels_of(waves(height, width, channels, seed=width))
    grids, _ = started(shapes_of(bpp, OLDER), texels)
    for grid in grids:
        assert bool(((grid.texels >= 0) & (grid.texels <= 1)).all())  # nor NaN


def test_levels_of_odd_sizes_are_left_as_they_are():
    shapes = shapes_of(5, OLDER)
    grids, before = started(shapes, texels_of(waves(31, 33, 3)))
    for grid, start in zip(grids, before, strict=True):
        assert torch.equal(grid.texels, start)
    grids, before = started(shapes, texels_of(waves(32, 32, 3)))
    assert not torch.equal(grids[0].texels, before[0])


def test_latents_beyond_the_components_are_left_as_they_are():
    """One channel at scale 1 has one component."""
    grids, before = started((GridShape(1, 4, 4),), texels_of(waves(16, 16, 1)))
    first = before[0][: 16 * 16]
    changed = (grids[0].level(0).reshape(-1, 4) != first).any(0)
    assert changed.tolist() == [True, False, False, False]


@pytest.mark.parametrize("side", [1, 2, 4, 8, 16])
def test_one_patch_has_no_spread(side):
    """Of the coarsest grid a small set has a single latent: it starts in the middle."""
    texels = texels_of(waves(side, side, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        field = started_field(TexturesRecipe(bpp=1.11), texels, torch.Generator().manual_seed(0))
    for grid in latent_grids(field):
        assert bool(grid.texels.isfinite().all())
