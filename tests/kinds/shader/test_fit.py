"""kinds/shader/fit: a user's module is trained, saved and drawn."""

import json

import numpy as np
import pytest
import torch
from PIL import Image

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import AssetError
from neuralshade.kinds.shader.opened import OpenedShader
from neuralshade.model.input_pictures import load_input_picture


@pytest.mark.slow
def test_end_to_end(tmp_path, tint, values_of, brief):
    values = values_of()
    asset, drawn = tmp_path / "x.nsh", tmp_path / "b.png"
    result = neuralshade.fit_shader(tint, asset, values=values, **{**brief, "steps": 150})
    assert (result.steps, result.asset, result.asset_bytes) == (
        150, str(asset), asset.stat().st_size,
    )  # fmt: skip
    assert {name: a.shape for name, a in result.members.items()} == {
        "tint": (3,), "map": (3, 5, 3), "net": (51,),
    }  # fmt: skip
    loaded, facts = neuralshade.load(asset), neuralshade.info(asset)
    assert isinstance(loaded, OpenedShader)
    for name, array in result.members.items():
        np.testing.assert_array_equal(loaded.tensors[name], array)
        assert array.dtype == np.float32
    assert (facts["kind"], facts["parameters"]) == ("shader", 3 + 45 + 51)
    assert facts["quality"] == {"loss": pytest.approx(result.loss)}
    assert facts["module"]["text"] == tint.read_text() and facts["module"]["name"] == "tint.slang"
    assert facts["module"]["values"] == {"map.size": [5, 3]}
    assert facts["picture"]["width"], facts["picture"]["height"] == (36, 24)
    json.dumps(facts, allow_nan=False)
    pixels = neuralshade.render(asset, drawn)
    picture = neuralshade.load_picture(values["photo"])
    assert pixels.shape == picture.pixels.shape
    np.testing.assert_allclose(neuralshade.load_picture(drawn).as_float(), pixels, atol=1 / 255)
    flat = picture.as_float().std()
    error = np.sqrt(np.square(pixels - picture.as_float()).mean())
    assert error < 0.6 * flat
    row = neuralshade.evaluate(asset, values["photo"])[0]
    assert row["psnr_db"] == pytest.approx(-20 * np.log10(error), abs=0.1)
    part = neuralshade.render(asset, size=(18, 12), crop=(0.5, 0, 1, 0.5))
    np.testing.assert_allclose(part, pixels[:12, 18:], atol=1e-5)


@pytest.mark.slow
def test_encodings_are_trained_saved_and_drawn(tmp_path, encoded, save_smooth, brief):
    values, asset = {"photo": save_smooth()}, tmp_path / "x.nsh"
    picture = neuralshade.load_picture(values["photo"]).as_float()
    first, last = (
        neuralshade.fit_shader(encoded, asset, values=values, **{**brief, "steps": steps})
        for steps in (1, 300)
    )
    assert last.loss < 0.05 * first.loss
    sizes = {"grid": (4 * 3 + 12 * 8) * 2, "table": (5 * 5 + 2 * 64) * 2, "net": 14 * 16 + 16 + 51}
    assert {name: a.shape for name, a in last.members.items()} == {
        name: (size,) for name, size in sizes.items()
    }
    loaded = neuralshade.load(asset)
    for name, array in last.members.items():
        np.testing.assert_array_equal(loaded.tensors[name], array)
        assert np.abs(array).max() > 0.05  # far beyond where grids begin
    pixels = neuralshade.render(asset)
    assert np.sqrt(np.square(pixels - picture).mean()) < 0.3 * picture.std()


def test_a_task_that_renders_nothing(tmp_path, save_smooth, refusal, sum_text):
    path, asset = tmp_path / "sum.slang", tmp_path / "sum.nsh"
    path.write_text(sum_text.replace("\n", "\r\n"))
    result = neuralshade.fit_shader(path, asset, steps=200, threads="1", values={"b": 3})
    assert result.members["a"] == pytest.approx(3, abs=0.01) and result.loss < 1e-3
    facts = neuralshade.info(asset)
    assert (facts["picture"], facts["bits_per_pixel"]) == (None, None)
    assert facts["module"]["values"] == {"b": 3}
    picture = save_smooth()
    for call in (lambda: neuralshade.render(asset), lambda: neuralshade.evaluate(asset, picture)):
        assert refusal(AssetError, call).startswith(
            f"{asset}: got a task without render(float2 uv)"
        )


def test_starts_are_taken(tmp_path, sum_text):
    path = tmp_path / "sum.slang"
    path.write_text(sum_text)
    for start in (1.5, "1.5", np.float32(1.5)):
        values = {"a": start, "a.rate": "0"}
        result = neuralshade.fit_shader(path, tmp_path / "x.nsh", values=values, steps=1)
        assert result.members["a"] == 1.5


@pytest.mark.slow
def test_snapshots_and_movie(tmp_path, tint, values_of, brief):
    options = FitOptions(snapshots=tmp_path / "seen", movie=tmp_path / "m.gif")
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(),
                           options=options, **brief)  # fmt: skip
    names = sorted(path.name for path in (tmp_path / "seen").iterdir())
    assert names[0] == "prediction_0000001.png" and names[-1] == "prediction_0000040.png"
    assert (tmp_path / "m.gif").stat().st_size > 100


@pytest.mark.slow
def test_seconds_end_it(tmp_path, sum_text):
    path = tmp_path / "sum.slang"
    path.write_text(sum_text)
    result = neuralshade.fit_shader(path, tmp_path / "x.nsh", seconds=1.0, threads="4x4")
    assert 1.0 <= result.seconds < 5 and result.steps > 5


@pytest.mark.parametrize("of", [np.asarray, torch.from_numpy, Image.fromarray])
def test_a_picture_in_memory_is_taken_as_any(of):
    pixels = np.random.default_rng(0).integers(0, 255, (3, 5, 3)).astype(np.uint8)
    given = load_input_picture(of(pixels), 3, "Task.photo")
    assert given.digest == neuralshade.picture_from_array(pixels).digest


@pytest.mark.slow
def test_pixels_are_fitted_and_drawn(tmp_path, tint, values_of, brief):
    """The asset tells of no path, and takes pixels for another picture of the same size."""
    values, asset = values_of(), tmp_path / "x.nsh"
    pixels = neuralshade.load_picture(values["photo"]).pixels
    both = [neuralshade.fit_shader(tint, asset, values=values | {"photo": photo}, **brief)
            for photo in (values["photo"], pixels)]  # fmt: skip
    for name, array in both[0].members.items():
        np.testing.assert_array_equal(both[1].members[name], array)
    assert neuralshade.info(asset)["module"]["pictures"]["photo"]["path"] is None
    drawn = neuralshade.render(asset, tmp_path / "a.png", values={"photo": pixels})
    assert drawn.shape == pixels.shape
