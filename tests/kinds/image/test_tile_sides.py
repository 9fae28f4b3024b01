"""kinds/image/tile_sides: texels go where a picture has detail, and no more than there are."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import save_asset
from neuralshade.asset.checkpoint import Checkpoint
from neuralshade.errors import AssetError
from neuralshade.fitting.recipe import to_dict
from neuralshade.kinds.image import budget
from neuralshade.kinds.image.build import build_engine
from neuralshade.kinds.image.field import feature_grids, is_same_network
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.image.resuming import resumed_fit
from neuralshade.kinds.image.tile_sides import shared_out, side_classes, tile_sides
from neuralshade.model.tile_grid import FEWEST, TileGrid
from neuralshade.source.picture import picture_from_array

ENCODING = "tile_grid:features=2,width=96,height=64,tile=16,texels=1500"


def grid_of(width, height, tile, texels):
    with torch.device("meta"):
        grid = TileGrid(features=1, width=width, height=height, tile=tile, texels=texels)
    return grid


def half_noise(width=96, height=64, channels=3):
    """Return a picture whose left half is one color and whose right half is noise."""
    pixels = np.full((height, width, channels), 99, np.uint8)
    half = np.random.default_rng(0).integers(
        256, size=(height, width // 2, channels), dtype=np.uint8
    )
    pixels[:, width - width // 2 :] = half
    return picture_from_array(pixels)


@given(
    st.integers(1, 70), st.integers(1, 70), st.sampled_from((8, 16, 31)), st.integers(4, 300),
    st.sampled_from(("noise", "constant", "ramp", "hdr", "alpha", "gray", "huge")),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_sides_fit_into_the_texels_whatever_the_picture(width, height, tile, each, kind):
    rng = np.random.default_rng(width)
    pixels = {
        "noise": lambda: rng.integers(256, size=(height, width, 3), dtype=np.uint8),
        "constant": lambda: np.full((height, width, 3), 7, np.uint8),
        "ramp": lambda: np.arange(height * width, dtype=np.uint16).reshape(height, width, 1),
        "hdr": lambda: rng.exponential(9.0, (height, width, 3)).astype(np.float32),
        "alpha": lambda: rng.integers(256, size=(height, width, 4), dtype=np.uint8),
        "gray": lambda: rng.integers(256, size=(height, width, 1), dtype=np.uint8),
        "huge": lambda: np.full((height, width, 3), 1e30, np.float32),
    }[kind]()  # fmt: skip
    across, down = -(-width // tile), -(-height // tile)
    grid = grid_of(width, height, tile, across * down * each)
    space = "linear" if pixels.dtype == np.float32 else "srgb"
    sides = tile_sides(picture_from_array(pixels, color_space=space), grid)
    assert sides.shape == (down, across) and sides.dtype == torch.uint8
    assert int(sides.min()) >= FEWEST and set(sides.flatten().tolist()) <= set(side_classes(tile))
    used = int(sides.long().square().sum())
    assert used <= across * down * each
    # nothing is left that a tile could have
    classes = side_classes(tile)
    dearer = [
        classes[classes.index(s) + 1] ** 2 - s**2 for s in sides.flatten().tolist() if s < tile
    ]
    assert not dearer or across * down * each - used < min(dearer)


def test_detail_gets_the_texels():
    sides = tile_sides(half_noise(), grid_of(96, 64, 16, 24 * 64)).float()
    assert sides[:, 3:].min() > 1.5 * sides[:, :3].max()


def test_color_under_no_alpha_counts_for_nothing():
    pixels = half_noise(channels=4).pixels.copy()
    pixels[..., 3] = 255
    clear = pixels.copy()
    clear[:, 48:, 3] = 0
    weighted = (replace(picture_from_array(p), alpha_weighted=True) for p in (pixels, clear))
    shown, hidden = (tile_sides(p, grid_of(96, 64, 16, 24 * 64)).float() for p in weighted)
    assert hidden[:, 3:].mean() < 0.8 * shown[:, 3:].mean()


def test_pixels_beyond_the_border_count_for_nothing():
    """A tile of which one column is in the picture needs few texels for it."""
    noise = np.random.default_rng(0).integers(256, size=(64, 65, 3), dtype=np.uint8)
    sides = tile_sides(picture_from_array(noise), grid_of(65, 64, 16, 20 * 100)).float()
    assert sides[:, 4].max() < sides[:, :4].min()


def test_no_other_share_is_better_than_nearly():
    rng = np.random.default_rng(0)
    costs = torch.tensor([4, 9, 25, 64])
    for _ in range(20):
        losses = torch.from_numpy(np.sort(rng.exponential(1.0, (4, 5)), axis=0)[::-1].copy())
        taken = shared_out(losses, costs, 120)
        spent = int(costs[taken].sum())
        best = min(
            float(losses[list(one), range(5)].sum())
            for one in itertools.product(range(4), repeat=5)
            if sum(int(costs[i]) for i in one) <= spent
        )
        assert spent <= 120
        # of those that cost no more none is better, but for what fills up the rest
        assert float(losses[taken, range(5)].sum()) <= best * 1.25 + 1e-9


def test_a_budget_of_the_fewest_gives_all_the_fewest():
    losses = torch.rand(3, 7, generator=torch.Generator().manual_seed(0)).double()
    assert torch.equal(shared_out(losses, torch.tensor([4, 9, 16]), 28), torch.zeros(7).long())


def test_auto_has_tiles_and_a_picture_gains_by_them(tmp_path):
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:128, 0:192] / 192
    smooth = np.stack([x, y, 0.5 + 0.4 * np.sin(9 * x)], axis=2)
    smooth[:, 128:] += rng.normal(0, 0.15, (128, 64, 3))
    picture = picture_from_array((smooth.clip(0, 1) * 255).astype(np.uint8))
    found = {}
    for density in (budget.TILE_DENSITY, 0.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(budget, "TILE_DENSITY", density)
            fit = neuralshade.fit_image(picture, tmp_path / "a.nsh", steps=500, bpp=4,
                                        options=FitOptions(engine="torch"))  # fmt: skip
        assert fit.bits_per_pixel <= 4
        found[density] = fit.psnr_db
    assert "tile_grid" in budget.auto_encoding(ImageRecipe(hidden_width=32), picture)
    assert found[budget.TILE_DENSITY] > found[0.0] + 1.0


def engine_of(picture, **kept):
    recipe = ImageRecipe(encoding=ENCODING, hidden_width=8, batch=64, steps=5, loss="l2")
    return build_engine(recipe, picture, torch.device("cpu"), kept)


def test_an_engine_has_the_sides_of_its_picture_or_those_kept():
    picture, name = half_noise(), "encoding.parts.0.sides"
    own = engine_of(picture)
    assert torch.equal(
        dict(own.field.named_buffers())[name], tile_sides(picture, own.field.encoding.members[0])
    )
    even = torch.full((4, 6), 6, dtype=torch.uint8)
    kept = engine_of(picture, **{name: even})
    assert torch.equal(dict(kept.field.named_buffers())[name], even)
    assert torch.equal(kept.state()[f"field.{name}"], even)
    assert not is_same_network(own.field, kept.field)


def fitted(path, picture):
    return neuralshade.fit_image(picture, path, encoding=ENCODING, hidden_width=8, batch=64,
                                 steps=9, polish=0, options=FitOptions(engine="torch"))  # fmt: skip


def test_a_fit_goes_on_with_the_sides_of_its_asset(tmp_path):
    """They suit the picture that it began with; its texels have no meaning with others."""
    path, other = tmp_path / "a.nsh", picture_from_array(half_noise().pixels[:, ::-1].copy())
    fitted(path, half_noise())
    before = OpenedImage.read(path).tensors["encoding.parts.0.sides"]
    fit = neuralshade.fit_image(other, tmp_path / "b.nsh", steps=3, polish=0,
                                options=FitOptions(engine="torch", resume=path))  # fmt: skip
    assert fit.psnr_db > 0
    after = OpenedImage.read(tmp_path / "b.nsh").tensors["encoding.parts.0.sides"]
    assert np.array_equal(before, after)
    assert not np.array_equal(
        before, tile_sides(other, OpenedImage.read(path).field.encoding.members[0])
    )


def test_sides_that_a_file_cannot_have_are_refused(tmp_path):
    path = tmp_path / "a.nsh"
    fitted(path, half_noise())
    opened = OpenedImage.read(path)
    for sides in (0, 200):
        tensors = opened.tensors | {"encoding.parts.0.sides": np.full((4, 6), sides, np.uint8)}
        save_asset(path, "image", opened.header, tensors)
        with pytest.raises(AssetError) as error:
            OpenedImage.read(path).draw(4, 4)
        assert "encoding tile_grid.sides" in str(error.value) and str(path) in str(error.value)


@pytest.mark.parametrize("sides", [None, torch.zeros(4, 6, dtype=torch.uint8), torch.ones(4, 6)])
def test_a_checkpoint_without_its_sides_is_refused(sides):
    picture, name = half_noise(), "field.encoding.parts.0.sides"
    engine = engine_of(picture)
    recipe = ImageRecipe(encoding=ENCODING, hidden_width=8, batch=64, steps=5, loss="l2",
                         output_activation="none")  # fmt: skip
    source = {"name": picture.name, "digest": picture.digest}
    whole = Checkpoint(to_dict(recipe), source, {"step": 0}, engine.state())
    _, kept = resumed_fit(whole, "x.nsh", picture, None, {})
    assert torch.equal(kept["encoding.parts.0.sides"], whole.state[name])
    broken = {key: value for key, value in whole.state.items() if key != name}
    broken |= {} if sides is None else {name: sides}
    with pytest.raises(AssetError):
        resumed_fit(replace(whole, state=broken), "x.nsh", picture, None, {})


def test_its_grid_is_drawn_with_how_dense_it_is(tmp_path):
    fitted(tmp_path / "a.nsh", half_noise())
    (drawn,) = feature_grids(OpenedImage.read(tmp_path / "a.nsh").field)
    assert drawn.shape == (64, 96, 3)
    assert drawn[:, 60:, 2].min() > drawn[:, :40, 2].max()
