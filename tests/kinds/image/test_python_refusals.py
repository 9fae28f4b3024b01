"""What Python callers give that is of another type is refused by an error of ours."""

import fractions

import numpy as np
import pytest

import neuralshade
from neuralshade import ConfigError, PictureError
from neuralshade.errors import OutputError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.image.recipe import ImageRecipe

WHOLE = "Leave it out for the whole picture as it was fitted."
SIZE = (f"need 2 numbers: width and height in whole pixels, or the longer side alone. "
        f"{WHOLE}")  # fmt: skip
CROP = f"need 4 numbers: u0, v0, u1, v1. {WHOLE}"
NEED = (
    "need a path, a Picture, a NumPy array, a PIL image or a torch tensor. Convert it with "
    "numpy.asarray."
)


@pytest.fixture
def asset(tmp_path):
    picture = neuralshade.picture_from_array(np.zeros((6, 5, 3), np.uint8))
    path = tmp_path / "a.nsh"
    neuralshade.fit_image(picture, path, preset="tiny-9", steps=2)
    return path


@pytest.mark.parametrize("given, name", [
    (None, "NoneType"), ([[1, 2]], "list"), (7, "int"),
])  # fmt: skip
@pytest.mark.parametrize("fit", [neuralshade.fit_image, neuralshade.fit_splats])
def test_what_is_no_picture(refusal, fit, given, name):
    assert refusal(PictureError, fit, given) == f"picture: got {name}, {NEED}"


def test_what_is_no_picture_to_compare_with(refusal, asset):
    message = refusal(PictureError, neuralshade.evaluate, asset, 7)
    assert message == f"picture: got int, {NEED}"


@pytest.mark.parametrize("given, need", [
    ({"size": (10,)}, f"size: got (10,), {SIZE}"),
    ({"size": (10.5, 3)}, f"size: got (10.5, 3), {SIZE}"),
    ({"size": (True, 3)}, f"size: got (True, 3), {SIZE}"),
    ({"size": "10x10"}, f"size: got '10x10', {SIZE}"),
    ({"size": ()}, f"size: got (), {SIZE}"),
    ({"crop": (0, 0, 1)}, f"crop: got (0, 0, 1), {CROP}"),
    ({"crop": None}, f"crop: got None, {CROP}"),
    ({"crop": "0011"}, f"crop: got '0011', {CROP}"),
    ({"crop": (0, 0, "1", 1)}, f"crop: got (0, 0, '1', 1), {CROP}"),
])  # fmt: skip
def test_size_and_crop(refusal, asset, given, need):
    assert refusal(ConfigError, neuralshade.render, asset, **given) == need


def test_size_and_crop_of_numpy_and_lists(asset):
    size, crop = np.array([7, 4]), np.array([0, 0, 1, 0.5], np.float32)
    assert neuralshade.render(asset, size=size, crop=crop, stretch=True).shape == (4, 7, 3)
    assert neuralshade.render(asset, size=[7, 4], crop=[0, 0, 1, 1], stretch=True).shape == (
        4,
        7,
        3,
    )


@pytest.mark.parametrize("fit", [neuralshade.fit_image, neuralshade.fit_splats])
def test_options_of_another_type(refusal, save_smooth, fit, same_message):
    same_message(refusal(ConfigError, fit, save_smooth(), options={}), "options", "options")


def test_numbers_of_numpy_are_numbers():
    recipe = from_dict(ImageRecipe, {"hidden_width": np.int64(16), "bpp": np.float32(3),
                                     "rate": np.float64(0.5), "warmup": np.uint8(3),
                                     "average": fractions.Fraction(1, 4)})  # fmt: skip
    kept = (recipe.hidden_width, recipe.bpp, recipe.rate, recipe.warmup, recipe.average)
    assert kept == (16, 3.0, 0.5, 3, 0.25)
    assert [type(number) for number in kept] == [int, float, float, int, float]


@pytest.mark.parametrize("given, start", [
    ({"hidden_width": np.float64(16)}, "ImageRecipe.hidden_width: got np.float64(16.0), need int."),
    ({"hidden_width": np.bool_(True)}, "ImageRecipe.hidden_width: got np.True_, need int."),
    ({"hidden_width": True}, "ImageRecipe.hidden_width: got True, need int."),
    ({"bpp": np.float32("nan")}, "ImageRecipe.bpp: got nan, need 0.01 to 64."),
    ({"grid_bits": 10**5000}, "ImageRecipe.grid_bits: got a number of about 5001 digits, need one"),
])  # fmt: skip
def test_other_numbers_are_not(refusal, given, start):
    assert refusal(ConfigError, from_dict, ImageRecipe, given).startswith(start)


def test_a_checkpoint_is_not_replaced_by_its_asset(tmp_path, save_smooth, refusal, same_message):
    checkpoint = tmp_path / "x.checkpoint.nsh"
    checkpoint.write_bytes(b"kept")
    options = neuralshade.FitOptions(resume=checkpoint)
    message = refusal(OutputError, neuralshade.fit_image, save_smooth(), checkpoint,
                      options=options)  # fmt: skip
    same_message(message, checkpoint, "Choose")
    assert checkpoint.read_bytes() == b"kept"
