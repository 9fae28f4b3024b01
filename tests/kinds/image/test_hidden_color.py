"""kinds/image: color under alpha 0 costs nothing and is judged by nobody, unless it is kept."""

from dataclasses import replace

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.source.picture import picture_from_array

HIDDEN = {"black": 0.0, "magenta": np.float32([1, 0, 1]), "noise": None}
FEW = {"hidden_width": 8, "steps": 12, "bpp": 8.0}
ENGINES = ["torch", pytest.param("gpu", marks=pytest.mark.slow)]  # whose kernels take seconds


def sprite(hidden, channels=4, dtype=np.uint8):
    """Return a soft disk of a gradient over hidden color: [24, 30, channels]."""
    v, u = np.meshgrid(np.arange(24) / 24, np.arange(30) / 30, indexing="ij")
    alpha = ((0.4 - np.hypot(u - 0.5, v - 0.5)) * 8).clip(0, 1)[..., None]
    shape = (24, 30, channels - 1)
    color = np.stack([u, v, 0.5 + 0 * u], 2)[..., : channels - 1]
    below = HIDDEN[hidden]
    if below is None:
        below = np.random.default_rng(1).random(shape)
    elif hidden == "magenta":
        below = below[: channels - 1]
    values = np.concatenate([np.where(alpha > 0, color, below), alpha], 2)
    peak = np.iinfo(dtype).max if np.issubdtype(dtype, np.integer) else 1
    return (values * peak).astype(dtype)


def fitted(pixels, path, engine="torch", **settings):
    options = FitOptions(engine=engine, device="cpu" if engine == "torch" else None)
    return neuralshade.fit_image(pixels, path, options=options, **{**FEW, **settings})


def seen_psnr_db(asset, pixels):
    """Return what errors come to that count by alpha, from the definition."""
    wanted = pixels / (255 if pixels.dtype == np.uint8 else 1)
    height, width = wanted.shape[:2]
    drawn = neuralshade.load(asset).draw(width, height).clip(0, 1)
    weights = np.ones_like(wanted)
    weights[..., :-1] = wanted[..., -1:]
    squares = weights * np.square(drawn.astype(np.float64) - wanted)
    return 10 * np.log10(weights.sum() / squares.sum())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("sampling", ["lattice", pytest.param("positions", marks=pytest.mark.slow)])
@pytest.mark.parametrize("channels", [4, pytest.param(2, marks=pytest.mark.slow)])
def test_hidden_color_changes_nothing(tmp_path, engine, sampling, channels):
    found = []
    for hidden in ("magenta", "noise"):
        path = tmp_path / f"{hidden}.nsh"
        result = fitted(sprite(hidden, channels), path, engine, sampling=sampling)
        assert result.psnr_db == pytest.approx(seen_psnr_db(path, sprite("black", channels)), 1e-3)
        found.append((result.psnr_db, result.loss, neuralshade.load(path).tensors))
    for psnr_db, loss, tensors in found[1:]:
        assert (psnr_db, loss) == found[0][:2]
        assert all(np.array_equal(tensors[name], found[0][2][name]) for name in tensors)


@pytest.mark.parametrize("sampling", ["lattice", "pixels", "positions"])
def test_the_loss_counts_color_by_alpha(tmp_path, sampling):
    """A picture that is clear everywhere has an error of alpha alone."""
    clear = np.zeros((9, 7, 4), np.float32)
    clear[..., :3] = 1
    told = fitted(clear, tmp_path / "a.nsh", sampling=sampling, steps=1, rate=1e-9, grid_rate=1e-9)
    drawn = neuralshade.load(tmp_path / "a.nsh").draw(7, 9)
    assert told.loss == pytest.approx(np.square(drawn[..., 3]).mean() / 4, rel=0.5)
    assert np.square(drawn[..., :3] - 1).mean() > 10 * told.loss  # what would count besides


def test_evaluate_and_report_judge_by_what_is_seen(tmp_path):
    path, page = tmp_path / "a.nsh", tmp_path / "a.html"
    told = fitted(sprite("black"), path)
    for hidden in ("black", "noise"):
        table = neuralshade.evaluate(path, sprite(hidden))
        assert table[0]["psnr_db"] == pytest.approx(told.psnr_db, abs=1e-3)
        assert any(line.startswith("Alpha: errors of color count by alpha") for line in table.lines)
        rivals = [{n: v for n, v in row.items() if n != "name"} for row in table[1:]]
        if hidden == "black":
            first = rivals
        assert rivals == first
    neuralshade.report(path, sprite("noise"), page)
    assert f"{told.psnr_db:.2f}" in page.read_text()


def test_kept_it_is_fitted_and_judged(tmp_path):
    path, pixels = tmp_path / "a.nsh", sprite("magenta")
    told = fitted(pixels, path, keep_hidden_color=True)
    assert neuralshade.info(path)["recipe"]["keep_hidden_color"] is True
    drawn = neuralshade.load(path).draw(30, 24).clip(0, 1)
    every = 10 * np.log10(1 / np.square(drawn - pixels / 255).mean())
    assert told.psnr_db == pytest.approx(every, abs=1e-3)
    assert not any("alpha" in line for line in told.warnings)
    table = neuralshade.evaluate(path, pixels)
    assert table[0]["psnr_db"] == pytest.approx(every, abs=1e-3)
    assert not any(line.startswith("Alpha") for line in table.lines)
    other = neuralshade.evaluate(path, sprite("black"))[0]["psnr_db"]
    assert abs(other - told.psnr_db) > 0.5


def test_what_is_dropped_is_a_warning(tmp_path):
    said = [line for line in fitted(sprite("noise"), tmp_path / "a.nsh").warnings
            if "--keep-hidden-color" in line]  # fmt: skip
    assert len(said) == 1 and said[0].startswith("array: alpha is 0 in ")


@pytest.mark.parametrize("pixels, space", [
    (sprite("black")[..., :3].copy(), "srgb"), (sprite("black", dtype=np.float32), "linear"),
])  # fmt: skip
def test_opaque_and_associated_pictures_are_as_before(tmp_path, pixels, space):
    found = []
    for keep in (False, True):
        path = tmp_path / "a.nsh"
        told = fitted(picture_from_array(pixels, space), path, keep_hidden_color=keep)
        found.append((told.psnr_db, neuralshade.load(path).tensors))
    (psnr_db, one), (other_db, other) = found
    assert psnr_db == other_db and all(np.array_equal(one[name], other[name]) for name in one)


def test_an_older_asset_is_judged_as_it_was(tmp_path):
    path, pixels = tmp_path / "a.nsh", sprite("noise")
    told = fitted(pixels, path, keep_hidden_color=True)
    asset = read_asset(path)
    recipe = {n: v for n, v in asset.header.recipe.items() if n != "keep_hidden_color"}
    save_asset(path, asset.kind, replace(asset.header, recipe=recipe), asset.tensors)
    assert neuralshade.evaluate(path, pixels)[0]["psnr_db"] == pytest.approx(told.psnr_db, abs=1e-3)
    again = neuralshade.fit_image(pixels, tmp_path / "b.nsh", steps=1,
                                  options=FitOptions(engine="torch", resume=path))  # fmt: skip
    assert neuralshade.info(again.asset)["recipe"]["keep_hidden_color"] is True
