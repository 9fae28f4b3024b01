"""source/pixels_in_memory: arrays, PIL images and tensors are the picture that their file is."""

import numpy as np
import pytest
import torch
from PIL import Image

from neuralshade.errors import PictureError, ShapeError
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import picture_from_array

RAMP = (np.arange(5 * 7 * 3) * 2).astype(np.uint8).reshape(5, 7, 3)
ROTATED = 6  # EXIF's number for a camera held upright


@pytest.mark.parametrize("of", [np.asarray, torch.from_numpy, Image.fromarray])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_all_forms_are_the_same_picture(of, channels):
    pixels = np.concatenate([RAMP, RAMP[:, :, :1]], axis=2)[:, :, :channels]
    grey = of is Image.fromarray and channels == 1
    picture = load_picture(of(np.ascontiguousarray(pixels[:, :, 0] if grey else pixels)))
    assert picture.digest == picture_from_array(pixels).digest
    assert (picture.color_space, picture.name) == ("srgb", "array")


def test_a_pil_image_is_what_its_file_is(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = ROTATED
    path = tmp_path / "turned.png"
    Image.fromarray(RAMP).save(path, exif=exif)
    with Image.open(path) as image:
        assert load_picture(image).digest == load_picture(path).digest
        assert load_picture(image).height == 7


@pytest.mark.parametrize("mode, channels, dtype", [
    ("1", 1, "uint8"), ("P", 3, "uint8"), ("CMYK", 3, "uint8"), ("LA", 2, "uint8"),
    ("I;16", 1, "uint16"),
])  # fmt: skip
def test_modes_of_pil(mode, channels, dtype):
    picture = load_picture(Image.new(mode, (4, 3)))
    assert (picture.channels, picture.pixels.dtype.name) == (channels, dtype)


def test_floats_of_pil_are_linear():
    picture = load_picture(Image.fromarray(np.full((2, 3), 7.5, np.float32)))
    assert picture.hdr and picture.pixels.max() == 7.5


def test_a_picture_is_itself():
    picture = picture_from_array(RAMP)
    assert load_picture(picture) is picture


def test_a_tensor_with_a_gradient_is_taken_without():
    assert load_picture(torch.rand(3, 4, 3, requires_grad=True)).pixels.dtype.name == "float32"


@pytest.mark.parametrize("values, kind, said", [
    (3, PictureError, "picture: got int, need a path, a Picture, a NumPy array, a PIL image or a "
     "torch tensor. Convert it with numpy.asarray."),
    (Image.new("I", (2, 2)), PictureError, "picture: got a PIL image of mode I, need one of 1, L, "
     "LA, La, P, PA, RGB, RGBX, RGBA, RGBa, CMYK, YCbCr, LAB, HSV, I;16, I;16L, I;16B, F. Convert "
     "it with image.convert."),
    (torch.zeros(3, 8, 9), PictureError, "picture: got a tensor of shape [3, 8, 9], need "
     "[H, W, C]. Pass tensor.permute(1, 2, 0) where channels come first."),
    (torch.zeros(1, 3, 8, 9), PictureError, "picture: got a tensor of shape [1, 3, 8, 9], need "
     "[H, W, C]. Pass tensor[0].permute(1, 2, 0) where channels come first."),
    (torch.zeros(8, 9, dtype=torch.bfloat16), PictureError, "picture: got a tensor of bfloat16, "
     "which NumPy has not, need float32. Pass tensor.float()."),
    (np.zeros((2, 2)), ShapeError, "picture: got dtype float64, need one of uint8, uint16, float16,"
     " float32. Pass values.astype(numpy.float32)."),
])  # fmt: skip
def test_what_is_refused(values, kind, said):
    with pytest.raises(kind) as caught:
        load_picture(values)
    assert str(caught.value) == said
