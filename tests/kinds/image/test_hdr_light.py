"""kinds/image: a sky with a sun is fitted by logarithms and keeps its light, as is told."""

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.kinds.image.budget import resolve
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.source.picture import picture_from_array

TORCH = FitOptions(engine="torch", device="cpu")


def sky(sun=1e5):
    """Return a gradient of 0.1 to 2 with a sun of some texels."""
    pixels = np.repeat(np.linspace(0.1, 2, 32, dtype=np.float32), 64).reshape(32, 64, 1)
    pixels = pixels * np.float32([0.8, 0.9, 1])
    pixels[6:9, 20:23] = sun
    return picture_from_array(pixels, "linear")


def test_the_light_of_a_sun_is_kept(tmp_path):
    told = neuralshade.fit_image(sky(), tmp_path / "a.nsh", steps=300, bpp=32.0, hidden_width=16,
                                 options=TORCH)  # fmt: skip
    drawn = neuralshade.load(tmp_path / "a.nsh").draw(64, 32)
    kept = drawn.sum() / sky().pixels.sum()
    assert told.light_kept == pytest.approx(kept, rel=1e-3) and 0.8 < kept < 1.25
    assert drawn.max() > 5e4 and told.log_psnr_db > 35
    info = neuralshade.info(tmp_path / "a.nsh")
    assert info["quality"]["light_kept"] == told.light_kept
    recipe = info["recipe"]
    assert (recipe["output_activation"], recipe["loss"]) == ("exp", "log_l2")
    assert recipe["precision"] == "float32"
    assert any("times the median; outputs are exponents" in line for line in told.warnings)
    row = neuralshade.evaluate(tmp_path / "a.nsh", sky())[0]
    assert row["light_kept"] == pytest.approx(told.light_kept, rel=1e-3)
    assert row["log_psnr_db"] == pytest.approx(told.log_psnr_db, abs=1e-2)


def test_linear_outputs_lose_it_and_say_so(tmp_path, capsys):
    told = neuralshade.fit_image(sky(), tmp_path / "a.nsh", steps=60, hidden_width=16,
                                 output_activation="none", options=TORCH)  # fmt: skip
    assert told.light_kept < 0.5
    assert any(f"has {100 * told.light_kept:.3g} % of the picture's light" in line
               for line in told.warnings)  # fmt: skip
    assert not any("smooth" in line for line in told.warnings)
    told.print()
    assert f"{100 * told.light_kept:.4g} % of the light" in capsys.readouterr().out


@pytest.mark.parametrize("settings, coded", [
    ({}, ("exp", "log_l2", "float32")),
    ({"loss": "relative_l2"}, ("none", "relative_l2", "auto")),
    ({"loss": "log_l2"}, ("exp", "log_l2", "float32")),
    ({"output_activation": "none"}, ("none", "relative_l2", "auto")),
    ({"output_activation": "exp"}, ("exp", "log_l2", "auto")),
    ({"precision": "float16"}, ("exp", "log_l2", "float16")),
])  # fmt: skip
def test_what_is_asked_for_stays(settings, coded):
    recipe = resolve(ImageRecipe(**settings), sky())
    assert (recipe.output_activation, recipe.loss, recipe.precision) == coded


@pytest.mark.parametrize("picture, coded", [
    (sky(100.0), ("none", "relative_l2")),
    (picture_from_array(np.zeros((4, 4, 3), np.uint8)), ("none", "l2")),
])  # fmt: skip
def test_other_pictures_are_fitted_as_before(picture, coded):
    recipe = resolve(ImageRecipe(), picture)
    assert (recipe.output_activation, recipe.loss, recipe.precision) == (*coded, "auto")
