"""Fixtures of the source tests: seeded values, files, and texture sets."""

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import OpenImageIO
import pytest
from PIL import Image

from neuralshade.source.image_file import load_picture

DATA = Path(os.environ.get("NEURALSHADE_DATA", Path(__file__).parents[3] / "shared/data"))


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def height_field(rng, height, width, steepness=0.3):
    """Return unit normals, green up, of a smooth random surface that tiles."""
    ys = np.fft.fftfreq(height)[:, None]
    xs = np.fft.fftfreq(width)[None]
    spectrum = np.fft.fft2(rng.standard_normal((height, width)))
    spectrum /= (1e-3 + ys**2 + xs**2) ** 1.25
    surface = np.fft.ifft2(spectrum).real
    p = (np.roll(surface, -1, 1) - np.roll(surface, 1, 1)) / 2
    q = (np.roll(surface, 1, 0) - np.roll(surface, -1, 0)) / 2  # y up, rows down
    scale = steepness / max(np.sqrt(np.mean(p**2 + q**2)), 1e-12)
    normal = np.stack([-p * scale, -q * scale, np.ones_like(p)], axis=-1)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def stored(normal, dtype=np.uint8):
    """Return directions as a picture's integers."""
    peak = np.iinfo(dtype).max
    return np.rint((normal + 1) / 2 * peak).astype(dtype)


def flipped(picture):
    """Return an integer normal map with green the other way up."""
    other = picture.copy()
    other[..., 1] = np.iinfo(picture.dtype).max - other[..., 1]
    return other


def write(path, pixels):
    """Write uint8, uint16 or float32 [H, W] or [H, W, C] in the format of the suffix."""
    pixels = np.ascontiguousarray(pixels)
    if pixels.dtype == np.uint8:
        Image.fromarray(pixels).save(path)
        return path
    planes = pixels[..., None] if pixels.ndim == 2 else pixels
    sample = {"uint16": "uint16", "float32": "float"}[pixels.dtype.name]
    spec = OpenImageIO.ImageSpec(planes.shape[1], planes.shape[0], planes.shape[2], sample)
    spec.channelnames = ("Y",) if planes.shape[2] == 1 else tuple("RGBA"[: planes.shape[2]])
    if planes.shape[2] == 4:
        spec.alpha_channel = 3
    writer = OpenImageIO.ImageOutput.create(str(path))
    assert writer.open(str(path), spec), writer.geterror()
    assert writer.write_image(planes), writer.geterror()
    assert writer.close()
    return path


def write_set(folder, rng, size=(32, 48), **others):
    """Write albedo, normal and roughness maps of ``size`` unless ``others`` has them.

    Keys of ``others`` are file names without suffix; None leaves one out.
    """
    folder.mkdir(exist_ok=True)
    maps = {
        "rock_albedo": rng.integers(0, 256, (*size, 3), dtype=np.uint8),
        "rock_normal": stored(height_field(rng, *size)),
        "rock_roughness": rng.integers(0, 256, size, dtype=np.uint8),
    }
    for name, pixels in {**maps, **others}.items():
        if pixels is not None:
            suffix = ".exr" if pixels.dtype == np.float32 else ".png"
            write(folder / f"{name}{suffix}", pixels)
    return folder


@pytest.fixture
def textures():
    """Give what makes texture sets: functions, and where the real ones are."""
    return SimpleNamespace(height_field=height_field, stored=stored, flipped=flipped, write=write,
                           write_set=write_set, data=DATA)  # fmt: skip


@pytest.fixture(scope="session")
def write_samples():
    """Give a function that writes samples of any kind, in any channels, and returns the path."""

    def write(path, pixels, sample, names=None, **attributes):
        """Write any samples and channels; attribute names use __ for the colon."""
        height, width, channels = pixels.shape
        spec = OpenImageIO.ImageSpec(width, height, channels, sample)
        if names is not None:
            spec.channelnames = names
        for name, value in attributes.items():
            if name in ("x", "y", "full_height", "tile_width", "tile_height"):
                setattr(spec, name, value)
            else:
                spec.attribute(name.replace("__", ":"), value)
        writer = OpenImageIO.ImageOutput.create(str(path))
        assert writer.open(str(path), spec), writer.geterror()
        assert writer.write_image(np.ascontiguousarray(pixels)), writer.geterror()
        assert writer.close()
        return path

    return write


@pytest.fixture(scope="session")
def assert_loads():
    """Give a function that compares what is loaded with pixels, by their dtype too."""

    def assert_loads(path, pixels, color_space):
        picture = load_picture(path)
        assert (picture.name, picture.color_space) == (Path(path).name, color_space)
        assert picture.pixels.dtype == pixels.dtype and picture.pixels.flags.c_contiguous
        np.testing.assert_array_equal(picture.pixels, pixels)

    return assert_loads
