"""verbs: pictures and settings that no fit can come to an end with are refused in one line."""

import numpy as np
import pytest

import neuralshade
from neuralshade.engine.torch_engine import TorchEngine
from neuralshade.source.picture import LARGEST_FITTED, check_squares, picture_from_array

FEW = {"steps": 8, "encoding": "dense_grid:width=12,height=8", "hidden_width": 8, "batch": 64}


def light(row=5, column=7, value=1e38):
    pixels = np.random.default_rng(0).random((80, 12, 3), np.float32)
    pixels[row, column, 1] = value
    return picture_from_array(pixels, "linear")


@pytest.mark.parametrize("fit", [neuralshade.fit_image, neuralshade.fit_splats])
@pytest.mark.parametrize("row, value", [(5, 1e38), (70, -2e18)])
def test_a_pixel_whose_square_is_beyond_float32(fit, row, value, refusal, tmp_path):
    line = refusal(neuralshade.PictureError, fit, light(row, value=value), tmp_path / "x.nsh",
                   steps=2)  # fmt: skip
    assert line == (
        f"array: got {np.float32(value):g} at row {row}, column 7, channel 1, need values within "
        "1e+15: errors are squared in float32. Clip them first."
    )
    assert not list(tmp_path.iterdir())


def test_the_largest_that_is_taken_can_be_fitted(tmp_path):
    picture = light(value=LARGEST_FITTED)
    check_squares(picture)
    done = neuralshade.fit_image(picture, tmp_path / "x.nsh", **FEW)
    assert done.skipped_steps == 0
    check_squares(picture_from_array(np.full((2, 2), 60000, np.float16), "linear"))


@pytest.mark.parametrize("loss", ["l2", "relative_l2"])
def test_all_of_it_may_be_the_largest(tmp_path, loss):
    """The squares of a batch are summed: a loss that is no number would be told as null."""
    bright = picture_from_array(np.full((80, 64, 3), LARGEST_FITTED, np.float32), "linear")
    done = neuralshade.fit_image(bright, tmp_path / "x.nsh", **FEW | {"batch": 4096}, loss=loss)
    assert np.isfinite(done.loss)


def test_no_asset_where_every_step_was_skipped(refusal, tmp_path, monkeypatch, same_message):
    def skip(self, factors):
        self.skipped += len(factors)
        return 1.0

    monkeypatch.setattr(TorchEngine, "advance", skip)
    line = refusal(neuralshade.ConfigError, neuralshade.fit_image, light(value=1.0),
                   tmp_path / "x.nsh", options=neuralshade.FitOptions(engine="torch"),
                   **FEW)  # fmt: skip
    same_message(line, "fit", "Look")
    assert not list(tmp_path.glob("x.nsh"))


def test_epsilon_of_0_is_named(refusal, tmp_path):
    black = picture_from_array(np.zeros((8, 8, 3), np.uint8))
    line = refusal(neuralshade.ConfigError, neuralshade.fit_image, black, tmp_path / "x.nsh",
                   epsilon=0.0, **FEW)  # fmt: skip
    assert line.endswith(" is not finite. Give epsilon, which is 0, for example 1e-8.")
