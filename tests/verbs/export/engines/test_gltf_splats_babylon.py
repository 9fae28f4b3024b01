"""engines/gltf_splats: Babylon.js, in Chromium, draws from both files what the asset is."""

import numpy as np
import pytest
from fixtures.browsers import chromium
from fixtures.covering_gaussians import cloud_of, files_of
from fixtures.engine_pages import drawn, served
from fixtures.npm_packages import BABYLON, BABYLON_LOADERS
from fixtures.splat_renderer import read_glb

from neuralshade.kinds.splats.draw import draw_cloud
from neuralshade.measure.quality import psnr_db

pytestmark = [pytest.mark.slow]
SIZE = 256  # pixels of a canvas
SIDE = 64  # of the picture
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def cloud():
    return cloud_of(lowest=-0.2, highest=1.2, count=120, size=(SIDE, SIDE))


@pytest.fixture(scope="module")
def draw(cloud, tmp_path_factory):
    """Give a function that draws a file in the browser: pixels from 0 to 1, and all it answers."""
    folder = tmp_path_factory.mktemp("splats")
    for name, content in files_of(cloud)[0].items():
        (folder / name).write_bytes(content)
    places = {"babylon": BABYLON.folder(), "loaders": BABYLON_LOADERS.folder(), "files": folder}
    with served(**places) as address, chromium(*FLAGS) as browser:

        def draw(**scene):
            pixels, found = drawn(browser, f"{address}/splats_babylon.html", size=SIZE, **scene)
            return pixels[..., :3] / 255, found

        draw.folder = folder
        yield draw


def off(cloud, pixels):
    """Return the PSNR of a canvas."""
    return psnr_db(draw_cloud(cloud, SIZE, SIZE).clip(0, 1), pixels.astype(np.float32))


def test_the_camera_in_the_glb_sees_the_asset(draw, cloud):
    pixels, found = draw(file="dots.glb")
    _, arrays = read_glb((draw.folder / "dots.glb").read_bytes())
    assert found["splats"] == [len(arrays["POSITION"])]
    assert off(cloud, pixels) > 35


def test_the_ply_is_seen_in_a_new_scene(draw, cloud):
    pixels, _ = draw(file="dots.ply", z=-100)
    assert off(cloud, pixels) > 35


def test_from_nearby_it_is_the_same_picture_less_exactly(draw, cloud):
    far, near = (off(cloud, draw(file="dots.glb", z=z)[0]) for z in (100, 2))
    assert far > near > 18
