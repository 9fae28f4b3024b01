"""Files that were written before the tree was restructured still load, draw and go on.

They are in tests/data, made by make_older_files.py there, which says by which commit.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions

DATA = Path(__file__).parent.parent / "data"
EXPECTED = json.loads((DATA / "expected.json").read_text())
ON_DEVICE = ("mipmaps", "shader", "shader_import")  # what draws them is Slang
pytestmark = pytest.mark.usefixtures("one_device")
DRAWN = [Path(name).stem for name in EXPECTED["assets"] if name != "mip_family.nsh"]
# a user's task is compiled by itself, which takes seconds
EACH_DRAWN = [pytest.param(name, marks=pytest.mark.slow) if name.startswith("shader") else name
              for name in DRAWN]  # fmt: skip


@pytest.fixture(scope="module")
def drawn():
    """Give by name what was drawn and trained then."""
    return dict(np.load(DATA / "expected.npz"))


@pytest.fixture
def textures():
    """Give the maps of the mip levels."""
    maps = dict(np.load(DATA / "maps.npz"))
    values = (maps[name] for name in ("albedo", "normal", "roughness", "metallic"))
    return neuralshade.TextureSet("rock", *values, None, {}, ())


def values_for(name):
    """Return the values of a task: it keeps its picture's path, which was relative."""
    return {"photo": DATA / "photo.png"} if name.startswith("shader") else None


def close(rows, expected):
    """Assert that rows are as they were, numbers but for sums of float32 in any order."""
    assert [row.keys() >= before.keys() for row, before in zip(rows, expected, strict=True)]
    for row, before in zip(rows, expected, strict=True):
        for key, value in before.items():
            number = isinstance(value, float)
            assert row[key] == (pytest.approx(value, rel=1e-3, abs=1e-3) if number else value), key


def test_every_kind_is_there():
    kinds = {info["kind"] for info in EXPECTED["assets"].values()}
    assert kinds == {"image", "splats", "mipmaps", "mip_family", "shader"}
    assert set(EXPECTED["resumed"]) == kinds - {"mip_family"}


@pytest.mark.parametrize("name", EXPECTED["assets"])
def test_an_asset_says_the_same(name):
    asset = neuralshade.load(DATA / name)
    for of in (asset, DATA / name):
        info = json.loads(json.dumps(neuralshade.info(of)))
        assert info.pop("path") == str(DATA / name)
        assert {key: info[key] for key in EXPECTED["assets"][name]} == EXPECTED["assets"][name]


@pytest.fixture
def own(monkeypatch):
    """Take tasks for this user's own, which are drawn without a process apart."""
    monkeypatch.setattr("neuralshade.kinds.shader.opened.check_trusted", lambda *given: False)


@pytest.mark.parametrize("name", EACH_DRAWN)
def test_an_asset_is_drawn_the_same(request, drawn, name):
    if name in ON_DEVICE:
        request.getfixturevalue("device")
    if name == "shader_import":  # the other one is drawn apart
        request.getfixturevalue("own")
    pixels = neuralshade.render(DATA / f"{name}.nsh", size=(9, 7), stretch=True,
                                filter="point", values=values_for(name), trust=True)  # fmt: skip
    # of float32, whose products and exponentials differ from machine to machine
    np.testing.assert_allclose(pixels, drawn[name], atol=1e-3 if name in ON_DEVICE else 1e-5)


@pytest.mark.parametrize("name", ["image_grid", "splats_sum"])
def test_an_asset_is_as_good(name):
    rows = neuralshade.evaluate(DATA / f"{name}.nsh", DATA / "photo.png")
    before = [{key: row[key] for key in row.keys() - {"setting"}}  # a text, which grew
              for row in EXPECTED["evaluated"][name]]  # fmt: skip
    close(rows[:1], before)


@pytest.mark.slow
def test_mip_levels_are_as_good(device, textures, many_lights):
    rows = neuralshade.evaluate(DATA / "mipmaps.nsh", textures)
    close(rows, EXPECTED["evaluated"]["mipmaps"])


@pytest.mark.slow
def test_a_task_is_as_good(device, own):
    rows = neuralshade.evaluate(DATA / "shader.nsh", values=values_for("shader"), trust=True)
    close(rows, EXPECTED["evaluated"]["shader"])


def resume(name, **more):
    return FitOptions(resume=DATA / f"{name}.checkpoint.nsh", **more)


def test_a_picture_s_fit_goes_on(tmp_path, drawn, monkeypatch):
    """On one machine with equal bits; on others weights are rounded to 8 bits a step apart."""
    monkeypatch.setattr("neuralshade.kinds.image.fit.passes_of", lambda *_: 0)  # as it was
    options = resume("image", engine="torch", device="cpu")
    result = neuralshade.fit_image(DATA / "photo.png", tmp_path / "x.nsh", options=options)
    expected = EXPECTED["resumed"]["image"]
    assert result.steps == expected["steps"]
    assert result.psnr_db == pytest.approx(expected["psnr_db"], abs=0.1)
    pixels = neuralshade.render(result.asset, size=(9, 7), stretch=True, filter="point")
    np.testing.assert_allclose(pixels, drawn["resumed"], atol=0.03)


@pytest.mark.slow
def test_a_cloud_s_fit_goes_on(tmp_path, device):
    result = neuralshade.fit_splats(
        DATA / "photo.png", tmp_path / "x.nsh", options=resume("splats")
    )
    expected = EXPECTED["resumed"]["splats"]
    assert (result.steps, result.count) == (expected["steps"], expected["count"])
    assert result.psnr_db == pytest.approx(expected["psnr_db"], abs=0.5)  # as in test_resume_splats


@pytest.mark.slow
def test_mip_levels_fit_goes_on(tmp_path, device, textures):
    result = neuralshade.fit_mipmaps(textures, tmp_path, options=resume("mipmaps"))
    expected = EXPECTED["resumed"]["mipmaps"]
    assert (result.steps, list(result.kept)) == (expected["steps"], expected["kept"])
    # told over a box filter's by now, 0.2643 under the last step's lights
    assert result.loss == pytest.approx(expected["loss"] / 0.2643, rel=1e-2)


@pytest.mark.slow
def test_a_task_s_fit_goes_on(tmp_path, device, drawn):
    result = neuralshade.fit_shader(
        DATA / "tint.slang", tmp_path / "x.nsh", options=resume("shader"),
        values={"photo": DATA / "photo.png", "map.size": (5, 3)},
    )  # fmt: skip
    expected = EXPECTED["resumed"]["shader"]
    assert result.steps == expected["steps"]
    assert result.loss == pytest.approx(expected["loss"], rel=1e-2)
    for name, array in result.members.items():  # sums of floats, in any order
        np.testing.assert_allclose(array, drawn[f"shader.{name}"], atol=2e-3, err_msg=name)
