"""engine/draw: the field at pixel centers, whatever the crop and wherever strips end."""

import numpy as np
import pytest
import torch

from neuralshade.base import progress_scope
from neuralshade.engine import draw
from neuralshade.engine.draw import draw_blocks, draw_field
from neuralshade.model.field import Field
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import build_encoding


@pytest.fixture
def small_field(rng):
    encoding = build_encoding(
        "dense_grid:width=6,height=4 + one_blob:bins=4 + "
        "hash_grid:levels=2,log2_entries=5,coarsest=3,finest=19",
        rng,
    )
    for p in encoding.parameters():
        torch.nn.init.uniform_(p, -1.0, 1.0, generator=rng)
    return Field(encoding, MLP(encoding.width, 3, 1, 8, "tanh", rng=rng))


def reference(field: Field, width: int, height: int, crop: tuple[float, ...]) -> np.ndarray:
    u0, v0, u1, v1 = crop
    u = u0 + (np.arange(width) + 0.5) / width * (u1 - u0)
    v = v0 + (np.arange(height) + 0.5) / height * (v1 - v0)
    uv = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)
    with torch.no_grad():
        return field(torch.from_numpy(uv).float()).numpy().reshape(height, width, 3)


@pytest.mark.parametrize("crop", [(0, 0, 1, 1), (0.25, 0.5, 0.5, 1.0), (0.9, 0.1, 0.95, 0.3)])
@pytest.mark.parametrize("width, height", [(1, 1), (7, 1), (1, 5), (9, 13)])
def test_equals_forward_at_pixel_centers(width, height, crop, small_field):
    got = draw_field(small_field, width, height, crop)
    assert got.dtype == np.float32
    assert got.shape == (height, width, 3)
    wanted = reference(small_field, width, height, crop)
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_a_crop_is_that_part_of_the_whole(small_field):
    """A quarter of the square at half the size has the whole's own pixel centers."""
    whole = draw_field(small_field, 12, 8)
    part = draw_field(small_field, 6, 4, (0.5, 0.0, 1.0, 0.5))
    np.testing.assert_allclose(part, whole[:4, 6:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("block_samples", [1, 13, 30, 64, 10_000])
@pytest.mark.parametrize("block_cols", [1, 3, 10, 1024])
def test_blocks_cover_every_pixel_once_and_their_borders_do_not_show(
    block_samples, block_cols, small_field, monkeypatch
):
    whole = draw_field(small_field, 10, 11)
    monkeypatch.setattr(draw, "BLOCK_SAMPLES", block_samples)
    monkeypatch.setattr(draw, "BLOCK_COLS", block_cols)
    drawn = np.zeros(whole.shape[:2], int)
    for rows, cols, block in draw_blocks(small_field, 10, 11):
        assert block.shape[0] * block.shape[1] <= max(block_samples, block.shape[1])
        drawn[rows, cols] += 1
        np.testing.assert_allclose(block, whole[rows, cols], rtol=1e-5, atol=1e-6)
    assert (drawn == 1).all()


def test_values_are_not_clamped(rng):
    field = Field(build_encoding("identity", rng), MLP(2, 1, 0, rng=rng))
    with torch.no_grad():
        field.network.layers[0].weight.copy_(torch.tensor([[10.0, -20.0]]))
    got = draw_field(field, 2, 2)[:, :, 0]
    np.testing.assert_allclose(got, [[-2.5, 2.5], [-12.5, -7.5]], rtol=1e-6)


def test_drawing_keeps_no_gradient(small_field):
    draw_field(small_field, 4, 4)
    assert all(p.grad is None for p in small_field.parameters())


def test_it_tells_how_far_it_is(small_field, monkeypatch):
    monkeypatch.setattr(draw, "BLOCK_SAMPLES", 20)
    told = []

    def looked_at(*asked):
        for block in draw_blocks(*asked):
            told.append(progress_scope.progress_line().rpartition(",")[0])
            yield block

    monkeypatch.setattr(draw, "draw_blocks", looked_at)
    with progress_scope.working("drawing"):
        draw_field(small_field, 10, 5)
    assert told == [f"drawing pixels: {done} of 50" for done in (0, 20, 40)]
