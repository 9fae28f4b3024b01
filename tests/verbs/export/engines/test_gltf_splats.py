"""engines/gltf_splats: a renderer of splats draws from the files what the asset is."""

import re
from pathlib import Path

import numpy as np
import pytest
from fixtures.covering_gaussians import PIXELS, cloud_of, files_of, opened_with
from fixtures.splat_renderer import read_glb, render, seen, splats_of_glb, splats_of_ply
from hypothesis import given, settings
from hypothesis import strategies as st

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.measure.quality import psnr_db
from neuralshade.model.gaussian import Compositing, GaussianPicture
from neuralshade.verbs.export.engines.gltf_splats.geometry import (
    REACH,
    closest_kernel,
    flat_splats,
)
from neuralshade.verbs.export.engines.gltf_splats.look import gradients, tiles_of

DATA = Path(__file__).parents[3] / "data"
WIDTH, HEIGHT = PIXELS
EXTENSION = "KHR_gaussian_splatting"


def told(files):
    """Return the PSNR in README.md."""
    found = re.search(r"differs from the asset's by ([\d.]+) dB", files["README.md"].decode())
    return float(found[1])


def test_a_fit_is_seen_by_the_camera_in_the_file(tmp_path):
    neuralshade.export(DATA / "splats_over.nsh", "gltf-splats", tmp_path)
    opened = neuralshade.load(DATA / "splats_over.nsh")
    drawn = seen((tmp_path / "splats_over.glb").read_bytes(), *opened.size)
    assert psnr_db(opened.draw(*opened.size).clip(0, 1), drawn.clip(0, 1)) > 34
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "README.md", "splats_over.glb", "splats_over.ply"]  # fmt: skip


@pytest.mark.parametrize("cutoff, least_db", [(1.0, 36), (2.0, 42), (3.0, 48), (6.0, 48)])
def test_colors_of_renderers_differ_by_the_kernel_alone(cutoff, least_db):
    files, picture = files_of(cloud_of(cutoff=cutoff))
    drawn = seen(files["dots.glb"], WIDTH, HEIGHT)
    off = psnr_db(picture.clip(0, 1), drawn.clip(0, 1))
    assert off > least_db
    assert off == pytest.approx(told(files), abs=2)  # of which 1.4 are order: a few sort otherwise


def test_colors_beyond_those_of_renderers_are_fitted_again():
    cloud = cloud_of(lowest=-0.6, highest=1.5)
    files, picture = files_of(cloud)
    splats = splats_of_glb(files["dots.glb"])
    assert splats.colors.min() >= -1e-6 and splats.colors.max() <= 1 + 1e-6
    drawn = seen(files["dots.glb"], WIDTH, HEIGHT)
    fitted = psnr_db(picture.clip(0, 1), drawn.clip(0, 1))
    assert fitted == pytest.approx(told(files), abs=0.6)
    first = opened_with(cloud).shader("dots").gaussians.colors
    behind = np.full((len(splats.colors) - len(first), 3), float(cloud.background[0]))
    splats.colors = np.concatenate([first, behind]).clip(0, 1)
    tree, _ = read_glb(files["dots.glb"])
    clamped = render(splats, tree["cameras"][0]["perspective"],
                     tree["nodes"][1]["translation"][2], WIDTH, HEIGHT)  # fmt: skip
    assert fitted > psnr_db(picture.clip(0, 1), clamped.clip(0, 1)) + 3


def test_gradients_are_those_of_central_differences():
    picture = opened_with(cloud_of(count=12)).shader("dots").gaussians
    splats = flat_splats(picture)
    rng = np.random.default_rng(3)
    target = rng.random((HEIGHT, WIDTH, 3)).astype(np.float32)
    tiles = list(tiles_of(splats, WIDTH, HEIGHT))
    values = [rng.uniform(0.1, 0.9, shape).astype(np.float32)
              for shape in (len(splats.opacities), (len(splats.opacities), 3))]  # fmt: skip

    def loss(opacities, colors):
        total = 0.0
        for one in tiles:
            alphas, passed = one.alphas(opacities)
            drawn = (alphas * passed).astype(float) @ colors[one.near]
            total += ((drawn - target[one.rows, one.cols].reshape(-1, 3)) ** 2).sum() / 2
        return total

    found = gradients(tiles, values[1], values[0], target)
    for which, gradient in enumerate(found):
        for index in (3, 7, len(splats.opacities) - 5):  # two Gaussians, one of the background
            step = np.zeros_like(values[which])
            step[index] = 1e-2
            ends = [loss(*(one + sign * step if i == which else one
                           for i, one in enumerate(values))) for sign in (1, -1)]  # fmt: skip
            expected = (ends[0] - ends[1]) / 2e-2
            assert gradient[index].sum() == pytest.approx(expected, rel=2e-2, abs=2e-3)


def test_both_files_are_the_same_splats():
    files, _ = files_of(cloud_of())
    one, other = splats_of_glb(files["dots.glb"]), splats_of_ply(files["dots.ply"])
    np.testing.assert_allclose(one.positions, other.positions, atol=1e-6)
    np.testing.assert_allclose(one.covariances, other.covariances, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(one.opacities, other.opacities, atol=1e-6)
    np.testing.assert_allclose(one.colors, other.colors, atol=1e-6)


def test_the_glb_is_what_the_extension_wants():
    files, _ = files_of(cloud_of())
    tree, arrays = read_glb(files["dots.glb"])
    (primitive,) = tree["meshes"][0]["primitives"]
    assert primitive["mode"] == 0 and tree["extensionsUsed"] == [EXTENSION]
    assert primitive["extensions"][EXTENSION] == {
        "kernel": "ellipse", "colorSpace": "srgb_rec709_display",
        "projection": "perspective", "sortingMethod": "cameraDistance"}  # fmt: skip
    own = {name.partition(":")[2]: one for name, one in arrays.items() if ":" in name}
    shapes = {name: (one.shape[1], one.dtype.str) for name, one in own.items()}
    assert shapes == {"ROTATION": (4, "<f4"), "SCALE": (3, "<f4"), "OPACITY": (1, "<f4"),
                      "SH_DEGREE_0_COEF_0": (3, "<f4")}  # fmt: skip
    np.testing.assert_allclose(np.linalg.norm(own["ROTATION"], axis=1), 1, atol=1e-6)
    assert own["SCALE"].min() >= 0 and 0 <= own["OPACITY"].min() <= own["OPACITY"].max() <= 1
    position = tree["accessors"][primitive["attributes"]["POSITION"]]
    np.testing.assert_array_equal(position["min"], arrays["POSITION"].min(0))
    np.testing.assert_array_equal(position["max"], arrays["POSITION"].max(0))
    ends = [one["byteOffset"] + one["byteLength"] for one in tree["bufferViews"]]
    assert max(ends) <= tree["buffers"][0]["byteLength"] < max(ends) + 4


def test_grey_pictures_have_three_equal_channels():
    files, picture = files_of(cloud_of(channels=1))
    drawn = seen(files["dots.glb"], WIDTH, HEIGHT)
    assert np.ptp(drawn, axis=2).max() < 1e-6
    assert psnr_db(picture.clip(0, 1), drawn[..., :1].clip(0, 1)) > 42


def test_linear_pictures_have_their_space_and_no_ply():
    files, picture = files_of(cloud_of(highest=2.0, background=3.0), "linear")
    tree, _ = read_glb(files["dots.glb"])
    (primitive,) = tree["meshes"][0]["primitives"]
    assert primitive["extensions"][EXTENSION]["colorSpace"] == "lin_rec709_display"
    assert sorted(files) == ["README.md", "dots.glb"]
    drawn = seen(files["dots.glb"], WIDTH, HEIGHT)
    assert picture.max() > 2  # brighter than white
    assert psnr_db(picture, drawn, float(picture.max())) > 38


@pytest.mark.parametrize("asset", ["splats_sum.nsh", "splats_normalized.nsh", "image_grid.nsh"])
def test_other_assets_are_refused_and_nothing_is_written(tmp_path, asset, same_message):
    with pytest.raises(ConfigError) as error:
        neuralshade.export(DATA / asset, "gltf-splats", tmp_path / "out")
    same_message(str(error.value), "to", "--compositing over")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("channels", [2, 4])
def test_alpha_is_refused(channels, same_message):
    with pytest.raises(ConfigError) as error:
        files_of(cloud_of(channels=channels))
    same_message(str(error.value), "to", "without its alpha")


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.floats(0.5, 2.5))
def test_those_that_meet_lie_in_their_order(count, seed, spread):
    rng = np.random.default_rng(seed)
    roots = rng.normal(0, np.exp(spread), (count, 2, 2))
    picture = GaussianPicture(
        rng.random((count, 2)) * [WIDTH, HEIGHT], roots, np.zeros((count, 3)),
        np.full(count, 0.5), np.zeros(3), Compositing("over"), WIDTH, HEIGHT, "srgb",
        lambda width, height: np.zeros((height, width, 3), np.float32),
    )  # fmt: skip
    splats = flat_splats(picture)
    reach = REACH * np.sqrt(np.diagonal(splats.covariances, axis1=1, axis2=2))
    size = np.array([WIDTH, HEIGHT])
    low, high = (side.clip(0, size) for side in (splats.centers - reach, splats.centers + reach))
    meet = ((low[:, None] < high) & (low < high[:, None])).all(2)
    before = np.triu(np.ones_like(meet), 1).astype(bool)
    layers = splats.layers
    assert ((layers[:, None] < layers) | ~meet | ~before).all()
    assert set(layers) == set(range(layers.max() + 1))


@pytest.mark.parametrize("cutoff, gain", [(1.0, 20), (2.0, 5), (3.0, 2.5)])
def test_the_closest_kernel_is_closer_than_the_same_size(cutoff, gain):
    size, height = closest_kernel(cutoff)
    radius = np.linspace(0, 6, 5_001)
    least = np.exp(-0.5 * cutoff**2)
    ours = np.maximum(np.exp(-0.5 * radius**2) - least, 0) / (1 - least)

    def off(size, height):
        theirs = height * np.exp(-0.5 * (radius / size) ** 2) * (radius < REACH * size)
        return ((ours - theirs) ** 2 * radius).sum()

    assert off(size, height) < off(1, 1) / gain


def test_readme_names_the_files_and_their_bytes():
    files, _ = files_of(cloud_of())
    text = files["README.md"].decode()
    for name in ("dots.glb", "dots.ply"):
        assert f"| `{name}` | {len(files[name]):,} |" in text
    assert len(text.splitlines()) < 50  # a screen
