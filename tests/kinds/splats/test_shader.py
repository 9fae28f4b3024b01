"""kinds/splats/shader: what shaders say of Gaussians is what Python draws of them."""

from pathlib import Path

import numpy as np
import pytest
import torch
from fixtures.shader_runs import by_cpp, by_slang, off

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.kinds.splats import shader, shader_lists
from neuralshade.kinds.splats.draw import Cloud
from neuralshade.kinds.splats.shader_lists import CELL_PX, cell_lists, pair_count
from neuralshade.languages.printers import printer_of
from neuralshade.model.gaussian import COLOR, COMPOSITINGS, SIZE, Compositing, weight_at

DATA = Path(__file__).parents[2] / "data"
WIDTH, HEIGHT = 37, 24  # of the picture, in pixels


def cloud_of(together, channels, count=70):
    """Return Gaussians; some lie outside, one is a needle, one a point, one covers all, two are
    the same.
    """
    rng = np.random.default_rng(4)
    values = rng.normal(0.3, 0.3, (COLOR + channels + together.opacity, count))
    values[:2] = (1.4 * rng.random((2, count)) - 0.2) * [[WIDTH], [HEIGHT]]
    values[SIZE] += 0.6
    values[2:5, 0] = np.log(0.3), np.log(8), 7.0
    values[2:5, 1] = np.log(0.25), np.log(0.25), 0.0
    values[2:5, 2] = np.log(90), np.log(90), 0.0
    values[:, 4] = values[:, 5]
    background = torch.linspace(0.1, 0.6, channels)
    return Cloud(torch.tensor(values, dtype=torch.float32), background, together, WIDTH, HEIGHT)


def opened(cloud=None, kind="sum"):
    """Return the asset of a kind of compositing, or one that has another ``cloud``."""
    found = neuralshade.load(DATA / f"splats_{kind}.nsh")
    if cloud is not None:
        vars(found)["cloud"] = cloud
    return found


CLOUDS = {
    "over": (Compositing("over"), 3),
    "over, grey": (Compositing("over", cutoff=6.0), 1),
    "sum, alpha": (Compositing("sum", cutoff=1.0), 4),
    "sum, two": (Compositing("sum"), 2),
    "normalized": (Compositing("normalized", strongest=9), 3),
    "the strongest": (Compositing("normalized", strongest=1), 3),
    "more than there are": (Compositing("normalized", strongest=32), 1),
}  # fmt: skip


@pytest.mark.parametrize("name", CLOUDS)
def test_cpp_says_what_python_does(tmp_path, name):
    form = opened(cloud_of(*CLOUDS[name])).shader("dots")
    (golden,) = form.golden
    assert np.ptp(golden.outputs, axis=0).min() > 0.1
    assert off(golden, by_cpp(form, tmp_path)["dots"]) < 1


@pytest.mark.parametrize("kind", COMPOSITINGS)
def test_slang_says_what_python_does(gpu, kind):
    form = opened(kind=kind).shader("dots")
    (golden,) = form.golden
    assert off(golden, by_slang(gpu, form, golden)) < 1


@pytest.mark.parametrize("kind", COMPOSITINGS)
def test_golden_rows_are_what_is_drawn(kind):
    found = opened(kind=kind)
    width, height = found.size
    row, col = np.mgrid[:height, :width]
    at = np.stack([(col + 0.5) / width, (row + 0.5) / height], -1).reshape(-1, 2)
    colors = shader.colors_at(found.cloud, at.astype(np.float32))
    drawn = found.draw(width, height).reshape(colors.shape)
    np.testing.assert_allclose(colors, drawn, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["over", "sum, alpha"])
def test_lists_have_all_gaussians_that_are_not_0_in_a_cell_and_few_others(name):
    cloud = cloud_of(*CLOUDS[name])
    lists, fine = cell_lists(cloud), 8
    rows, cols = lists.down * CELL_PX * fine, lists.across * CELL_PX * fine
    y, x = ((torch.arange(n) + 0.5) / fine for n in (rows, cols))
    needless = 0
    for cell in range(lists.across * lists.down):
        own = lists.numbers[lists.firsts[cell] : lists.firsts[cell + 1]]
        assert (np.diff(own.astype(int)) > 0).all()
        down, right = divmod(cell, lists.across)
        side = CELL_PX * fine
        places = torch.cartesian_prod(x[right * side :][:side], y[down * side :][:side])
        seen = (weight_at(cloud.values, places, cloud.compositing.cutoff) > 0).any(0)
        met = set(torch.nonzero(seen).flatten().tolist())
        assert met <= set(own.tolist())
        needless += len(own) - len(met)
    assert needless <= 0.05 * len(lists.numbers) < pair_count(cloud)


def test_many_gaussians_take_a_word_each(tmp_path, monkeypatch):
    short = opened(kind="over").shader("dots")
    for module in (shader, shader_lists):
        monkeypatch.setattr(module, "SHORT", 10)
    form = opened(kind="over").shader("dots")
    assert len(form.words) > len(short.words) + 50
    assert off(form.golden[0], by_cpp(form, tmp_path)["dots"]) < 1


def test_lists_are_the_same_in_small_parts(monkeypatch):
    cloud = cloud_of(*CLOUDS["over"])
    whole = cell_lists(cloud)
    monkeypatch.setattr(shader_lists, "AT_ONCE", 7)
    parts = cell_lists(cloud)
    np.testing.assert_array_equal(parts.numbers, whole.numbers)
    np.testing.assert_array_equal(parts.firsts, whole.firsts)


def test_gaussians_beside_the_picture_are_in_no_list(tmp_path):
    cloud = cloud_of(*CLOUDS["over"], count=6)
    cloud.values[0] += 1e4
    found = opened(cloud)
    assert len(cell_lists(cloud).numbers) == 0
    golden = found.shader("dots").golden[0]
    np.testing.assert_array_equal(golden.outputs, cloud.background.expand(256, 3))
    assert off(golden, by_cpp(found.shader("dots"), tmp_path)["dots"]) < 1


@pytest.mark.parametrize("language", ["slang", "hlsl", "glsl", "glsl-es", "wgsl"])
def test_a_person_can_read_it(language):
    text = printer_of(opened(kind="normalized").shader("dots"), language).text()
    assert text.count("\n") <= 90 and "dots_area(" in text


def test_lists_that_are_too_long_are_refused(refusal, monkeypatch):
    monkeypatch.setattr(shader, "MOST_PAIRS", 50)
    found = opened()
    pairs = pair_count(found.cloud)
    assert refusal(AssetError, found.shader, "dots") == (
        f"{found.path}: got 30 Gaussians that meet {pairs} cells of 8 px, need 50 or fewer for a "
        "shader. Fit fewer."
    )
