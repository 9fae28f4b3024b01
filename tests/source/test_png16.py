"""source/png16: what is written reads back in OpenImageIO, small, or not at all."""

import io

import numpy as np
import pytest
import skimage.data
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from neuralshade.errors import OutputError
from neuralshade.source import png16
from neuralshade.source.color import linear_to_srgb
from neuralshade.source.image_file import load_picture
from neuralshade.source.image_output import save_picture
from neuralshade.source.png16 import write_png16

FEW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SHAPES = st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 4))


@FEW
@given(
    pixels=SHAPES.flatmap(lambda shape: hnp.arrays(np.uint16, shape)),
    band=st.sampled_from([1, 50, 1 << 22]),
)
def test_16_bits_come_back(tmp_path, pixels, band):
    usual, png16.BAND_BYTES = png16.BAND_BYTES, band
    try:
        write_png16(tmp_path / "a.png", pixels)
    finally:
        png16.BAND_BYTES = usual
    loaded = load_picture(tmp_path / "a.png")
    assert loaded.pixels.dtype == np.uint16
    np.testing.assert_array_equal(loaded.pixels, pixels)


def test_pillow_reads_it(tmp_path, rng):
    grey = rng.integers(0, 65_536, (7, 5, 1)).astype(np.uint16)
    write_png16(tmp_path / "a.png", grey)
    with Image.open(tmp_path / "a.png") as image:
        np.testing.assert_array_equal(np.asarray(image), grey[..., 0])


def test_filters_are_chosen(tmp_path):
    """No larger than Pillow's file of the same grey values, which libpng filters."""
    grey = skimage.data.astronaut()[..., 1].astype(np.uint16) * 257
    write_png16(tmp_path / "a.png", grey[..., None])
    theirs = io.BytesIO()
    Image.fromarray(grey).save(theirs, "PNG")
    assert (tmp_path / "a.png").stat().st_size < 1.02 * len(theirs.getvalue())


@pytest.mark.parametrize("color_space", ["srgb", "linear"])
def test_save_picture_rounds_to_16_bits(tmp_path, rng, color_space):
    values = rng.random((70, 9, 3), dtype=np.float32) * 1.2 - 0.1
    save_picture(tmp_path / "a.png", values, color_space, bits=16)
    shown = np.clip(values, 0, 1)
    if color_space == "linear":
        shown = linear_to_srgb(shown)
    loaded = load_picture(tmp_path / "a.png").pixels
    np.testing.assert_array_equal(loaded, np.rint(shown * np.float32(65_535)))


def test_a_full_disk_is_told(small_disk, rng, same_message):
    path = small_disk / "a.png"
    with pytest.raises(OutputError) as caught:
        save_picture(path, rng.random((120, 120, 3), dtype=np.float32), "srgb", bits=16)
    same_message(str(caught.value), path, "Free")
    assert list(small_disk.iterdir()) == []
