"""base/argument_checks: what is no path is told by its argument, in all that takes one."""

import os
from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade.base.argument_checks import check_output, check_path
from neuralshade.errors import AssetError, ConfigError, OutputError

DATA = Path(__file__).parents[1] / "data"
PHOTO, IMAGE, MIPS = DATA / "photo.png", DATA / "image_grid.nsh", DATA / "mipmaps.nsh"
NEED = "need a path. Give the name of a file or a folder as text."
TAKEN = {  # calls of what is no path, and the argument that it is
    "scene": neuralshade.render_scene,
    "environment": lambda given: neuralshade.render_scene(MIPS, environment=given),
    "task": neuralshade.fit_shader,
    "texture set": neuralshade.fit_mipmaps,
    "material": lambda given: neuralshade.fit_materials([given]),
    "share": lambda given: neuralshade.fit_material(given, share=given),
    "asset": neuralshade.OpenedImage.read,
    "output": lambda given: neuralshade.fit_image(PHOTO, given, steps=1),
}
WRITTEN = [
    lambda given: neuralshade.render(IMAGE, given),
    lambda given: neuralshade.report(IMAGE, PHOTO, given),
    lambda given: neuralshade.decode(MIPS, given),
    lambda given: neuralshade.save_picture(given, np.zeros((2, 2, 3), np.float32), "srgb"),
    lambda given: neuralshade.fit_materials([PHOTO], given),
    lambda given: neuralshade.fit_mipmaps_family([PHOTO], "x.nsh", given),
]


class OfBytes(os.PathLike):
    def __fspath__(self):
        return b"x"


@pytest.mark.parametrize("given", [3, None, b"x", ["x"], OfBytes(), "a\0b"])
def test_what_is_no_path_is_refused(refusal, given):
    got = f"x: got {given!r}, {NEED}"
    assert refusal(ConfigError, check_path, "x", given) == got
    assert refusal(AssetError, check_path, "x", given, AssetError) == got


def test_a_path_is_taken():
    for given in ("x", "", Path("x")):
        check_path("x", given)
    check_output(None)


@pytest.mark.parametrize("name", TAKEN)
def test_an_argument_that_is_no_path_is_named(refusal, name):
    kind = {"asset": AssetError, "output": OutputError}.get(name, ConfigError)
    assert refusal(kind, TAKEN[name], 3) == f"{name}: got 3, {NEED}"


@pytest.mark.parametrize("call", WRITTEN)
def test_an_output_that_is_no_path_is_refused(refusal, call):
    assert refusal(OutputError, call, 3) == f"output: got 3, {NEED}"


def test_a_path_that_is_bytes_is_no_assets(refusal):
    assert refusal(AssetError, neuralshade.load, OfBytes()).startswith("asset: got <")


@pytest.mark.parametrize("name", ["snapshots", "movie", "tensorboard", "events", "report",
                                  "resume", "dump_kernels"])  # fmt: skip
def test_an_option_that_is_no_path_is_named(refusal, tmp_path, name):
    options = neuralshade.FitOptions(**{name: 3})
    assert refusal(ConfigError, neuralshade.fit_image, PHOTO, tmp_path / "x.nsh", steps=1,
                   options=options) == f"options.{name}: got 3, {NEED}"  # fmt: skip


@pytest.mark.parametrize("fit, what", [
    (neuralshade.fit_materials, f"material: got 3, {NEED}"),
    (neuralshade.fit_textures,
     "texture set: got 3, need the name of a folder or a file. Give a string."),
])  # fmt: skip
def test_one_number_in_place_of_several_paths_is_refused(refusal, fit, what):
    assert refusal(ConfigError, fit, 3) == what
