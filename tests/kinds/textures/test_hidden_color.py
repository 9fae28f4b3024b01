"""kinds/textures: what opacity hides costs nothing and is judged by nobody, unless it is kept."""

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade import FitOptions
from neuralshade.fitting.scene import View
from neuralshade.loss.pointwise import alpha_weights
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_set import MaterialSet

FEW = {"steps": 40, "hidden_width": 16, "grids": "2:2:2"}


def cutout(below):
    """Return a set of 24 x 16 texels whose opacity is 0, 0.5 or 1, over ``below``."""
    v, u = np.mgrid[:16, :24] / np.float32(24)
    alpha = np.float32(np.round(2 * np.clip(3 * (0.35 - np.hypot(u - 0.5, v - 0.3)), 0, 1)) / 2)
    alpha = alpha[..., None]
    color = np.stack([u, v + 0.2, 0.5 + 0 * u], 2)
    below = np.broadcast_to(np.float32(below), color.shape)
    color = np.where(alpha > 0, color, below)
    rough = np.where(alpha > 0, 0.3 + u[..., None], below[..., :1])
    maps = ("albedo", color, "srgb"), ("roughness", rough, "data"), ("opacity", alpha, "data")
    return MaterialSet("leaf", tuple(
        MaterialMap(name, np.float32(values).clip(0, 1), meaning, 8)
        for name, values, meaning in maps
    ))  # fmt: skip


def fitted(textures, path, engine="torch", **settings):
    options = FitOptions(engine=engine, device="cpu" if engine == "torch" else None)
    return neuralshade.fit_textures(textures, path, options=options, **{**FEW, **settings})


@pytest.mark.parametrize("engine", ["torch", pytest.param("gpu", marks=pytest.mark.slow)])
def test_what_is_hidden_changes_nothing(tmp_path, engine):
    noise = np.random.default_rng(0).random((16, 24, 3))
    found = []
    for below in (0.0, noise):
        told = fitted(cutout(below), tmp_path / "x.nsh", engine)
        table = neuralshade.evaluate(tmp_path / "x.nsh", cutout(below))
        ours = table[0]["psnr_db"]
        tensors = neuralshade.load(tmp_path / "x.nsh").tensors
        assert ours == pytest.approx({name: of[0] for name, of in told.maps.items()}, abs=0.02)
        found.append((ours, [row["psnr_db"] for row in table[1:]], tensors))
    one, other = found
    assert one[:2] == other[:2]
    assert all(np.array_equal(one[2][name], other[2][name]) for name in one[2])


def test_kept_it_is_fitted_and_judged_as_any(tmp_path):
    textures = cutout(np.float32([1, 0, 1]))
    fitted(textures, tmp_path / "x.nsh", keep_hidden_color=True)
    ours = neuralshade.evaluate(tmp_path / "x.nsh", textures)[0]["psnr_db"]
    opened = neuralshade.load(tmp_path / "x.nsh")
    assert opened.recipe.keep_hidden_color
    coding = next(coding for coding in opened.codings if coding.name == "albedo")
    drawn = np.rint(coding.shown(opened.trained_channels(0)) * 255)
    error = drawn - np.rint(textures["albedo"].values * 255)
    wanted = 10 * np.log10(255**2 / np.square(error).mean())
    assert ours["albedo"] == pytest.approx(wanted, abs=0.02)


def test_psnr_by_opacity_is_its_definition(tmp_path):
    textures = cutout(0.0)
    fitted(textures, tmp_path / "x.nsh")
    opened = neuralshade.load(tmp_path / "x.nsh")
    coding = next(coding for coding in opened.codings if coding.name == "albedo")
    drawn = np.rint(coding.shown(opened.trained_channels(0)) * 255)
    alpha = np.rint(textures["opacity"].values * 255) / 255
    squares = np.square(drawn - np.rint(textures["albedo"].values * 255)) * alpha
    wanted = 10 * np.log10(255**2 * 3 * alpha.sum() / squares.sum())
    ours = neuralshade.evaluate(tmp_path / "x.nsh", textures)[0]["psnr_db"]
    assert ours["albedo"] == pytest.approx(wanted, abs=0.02)


def test_a_page_is_told_the_psnr_by_opacity(tmp_path):
    textures = cutout(0.0)
    told = fitted(textures, tmp_path / "x.nsh")
    scene = neuralshade.load(tmp_path / "x.nsh").scene(textures)
    view = View(0, 0, width=24, height=16)
    for name, levels in told.maps.items():
        given, ours = (scene.draw(f"{before}map:{name}", view) for before in ("given:", ""))
        assert scene.psnr(f"map:{name}", given, ours) == pytest.approx(levels[0], abs=0.02)


def test_errors_of_the_loss_count_by_the_wanted_opacity():
    wanted = torch.rand(4, 9)
    weights = alpha_weights(wanted, 2)
    assert (weights[[0, 1, 3]] == wanted[2]).all() and (weights[2] == 1).all()
    assert torch.equal(alpha_weights(wanted), alpha_weights(wanted, 3))
