"""fit image with an encoding and a loss of another package: both engines, and what is left."""

import pathlib
import sys

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.cli.terminal import print_info
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.image.gpu_field import GpuField

PHOTO = pathlib.Path(__file__).parents[2] / "data" / "photo.png"
TEXT = "powers:degree=3 + planes:count=3 + dense_grid:features=2,width=9,height=7"
NOTES = [
    {"what": "encoding", "name": "planes", "package": "shade-outside", "version": "1.2"},
    {"what": "encoding", "name": "powers", "package": "shade-outside", "version": "1.2"},
    {"what": "loss", "name": "cauchy", "package": "shade-outside", "version": "1.2"},
]


def fitted(folder, engine, **settings):
    options = neuralshade.FitOptions(engine=engine, device="cpu" if engine == "torch" else None)
    return neuralshade.fit_image(PHOTO, folder / f"{engine}.nsh", encoding=TEXT, loss="cauchy",
                                 hidden_width=8, seed=3, options=options, **settings)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["torch", "gpu"])
def test_it_fits_and_what_is_left_is_drawn_as_by_the_fit(request, outside, tmp_path, engine):
    if engine == "gpu":
        request.getfixturevalue("one_device")
    start = fitted(tmp_path, "torch", steps=1).psnr_db
    result = fitted(tmp_path, engine, steps=60)
    assert result.psnr_db > start + 3
    opened = neuralshade.load(result.asset)
    assert opened.header.own["plugins"] == NOTES
    assert "encoding.parts.1.planes" in opened.tensors
    picture = opened.draw(*opened.size).clip(0, 1)
    wanted = neuralshade.load_picture(PHOTO).as_float()
    psnr_db = -10 * np.log10(np.square(picture - wanted).mean())
    assert psnr_db == pytest.approx(result.psnr_db, abs=0.01)


@pytest.fixture(scope="module")
def asset(tmp_path_factory, outside_folder):
    """Give an asset of the package's encoding and loss, made with it and kept without."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(outside_folder)
        return fitted(tmp_path_factory.mktemp("kept"), "torch", steps=20).asset


def test_module_device_and_picture_say_the_same(outside, device, asset):
    opened, rng = neuralshade.load(asset), torch.Generator().manual_seed(1)
    at = torch.rand(50, 2, generator=rng)
    wanted = opened.field(at).detach().numpy()
    module = opened.module()
    np.testing.assert_allclose(module(at).detach(), wanted, atol=1e-6)
    with GpuField(opened, device) as field:
        # 2e-3: on a device with cooperative vectors products are of float16
        np.testing.assert_allclose(field.at(at.numpy()), wanted, atol=2e-3)


@pytest.mark.parametrize("language", ["slang", "wgsl", "glsl", "hlsl"])
def test_exported_shaders_say_the_same(outside, asset, tmp_path, language):
    (row,) = neuralshade.export(asset, language, tmp_path, name="photo", check=True).checks
    if row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"], row


def test_its_slang_half_goes_with_the_export(outside, asset, tmp_path, refusal):
    neuralshade.export(asset, "slang,metal,spirv", tmp_path, name="photo")
    names = {path.name for path in (tmp_path / "photo_modules/outside").iterdir()}
    assert names == {"planes.slang", "powers.slang"}
    said = refusal(ConfigError, neuralshade.export, asset, "cpp", tmp_path)
    assert "to: got cpp for a function that Slang's compiler translates" in said


def test_info_tells_the_package(outside, asset, capsys):
    assert neuralshade.info(asset)["plugins"] == NOTES
    print_info(neuralshade.load(asset))
    assert "packages  " in (said := capsys.readouterr().out)
    assert "encoding powers of shade-outside 1.2; loss cauchy of shade-outside 1.2" in said


def test_without_the_package_one_line_says_which(asset, refusal, same_message):
    same_message(refusal(AssetError, neuralshade.load, asset), asset, "Install")


def test_without_a_loss_alone_it_is_drawn(outside, tmp_path, monkeypatch):
    options = neuralshade.FitOptions(engine="torch")
    asset = neuralshade.fit_image(PHOTO, tmp_path / "x.nsh", encoding="identity", loss="cauchy",
                                  hidden_width=8, steps=1, options=options).asset  # fmt: skip
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder != str(outside)])
    opened = neuralshade.load(asset)
    assert opened.recipe.loss == "cauchy" and np.isfinite(opened.draw(8, 6)).all()


def test_a_fit_of_our_own_names_looks_for_no_packages(tmp_path, monkeypatch, refusal):
    def looked(folders):
        raise AssertionError("entry points were read")

    monkeypatch.setattr("neuralshade.base.plugins._installed", looked)
    options = neuralshade.FitOptions(engine="torch")
    made = neuralshade.fit_image(PHOTO, tmp_path / "x.nsh", encoding="identity", steps=1,
                                 hidden_width=8, options=options)  # fmt: skip
    neuralshade.load(made.asset)
    assert refusal(AssertionError, neuralshade.ImageRecipe, encoding="powers") == (
        "entry points were read"
    )
