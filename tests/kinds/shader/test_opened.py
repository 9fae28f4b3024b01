"""kinds/shader/opened: a trained task is drawn with what it has, or what it is given."""

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.shader.source import load_shader


@pytest.mark.slow
def test_a_picture_may_be_in_memory_and_another_when_drawn(
    tmp_path, save_smooth, refusal, brief, sum_text, same_message
):
    """What the module does with the picture is seen in what it draws."""
    text = sum_text.replace("float b = 2;", "float b = 2; Picture<float> look;").replace(
        "[Differentiable] float loss",
        "float render(float2 uv) { return look.sample(uv); } [Differentiable] float loss",
    )
    source = tmp_path / "sum.slang"
    source.write_text(text)
    grey = neuralshade.picture_from_array(np.full((3, 3), 51, np.uint8))
    asset = tmp_path / "x.nsh"
    neuralshade.fit_shader(source, asset, values={"look": grey}, **brief)
    message = refusal(AssetError, neuralshade.render, asset)
    same_message(message, asset, "--set")
    np.testing.assert_allclose(neuralshade.render(asset, values={"look": grey}), 0.2, atol=1e-6)
    lighter = save_smooth("l.png", channels=1)
    assert neuralshade.render(asset, values={"look": lighter}).std() > 0.1
    message = refusal(ConfigError, neuralshade.render, asset, values={"look": grey, "lok": lighter})
    assert message == "set: got lok, need one of a, b, look. Did you mean look?"


def test_a_picture_that_is_gone_or_changed_is_told(
    tmp_path, tint, save_smooth, values_of, refusal, brief
):
    asset = tmp_path / "x.nsh"
    path = save_smooth()
    neuralshade.fit_shader(tint, asset, values=values_of(), **brief)
    neuralshade.save_picture(path, np.zeros((4, 4, 3), np.float32), "srgb")
    start = f"{asset}: got another picture at {path} for Task.photo, need the one it was trained"
    assert refusal(AssetError, neuralshade.evaluate, asset).startswith(start)
    path.unlink()
    start = f"{asset}: got no picture at {path} for Task.photo, need the one it was trained with"
    assert refusal(AssetError, neuralshade.evaluate, asset).startswith(start)


@pytest.mark.slow
def test_what_render_does_not_read_may_be_gone(
    tmp_path, tint, save_smooth, values_of, brief, caplog
):
    """It is drawn as it was; its loss is another matter, and asks for the picture."""
    asset, path = tmp_path / "x.nsh", save_smooth()
    neuralshade.fit_shader(tint, asset, values=values_of(), **brief)
    drawn = neuralshade.render(asset)
    kept = path.rename(tmp_path / "kept.png")
    caplog.set_level("INFO", "neuralshade")
    opened = neuralshade.load(asset)
    np.testing.assert_array_equal(opened.draw(*drawn.shape[1::-1]).clip(0, 1), drawn)
    told = f"{asset}: Task.photo is missing; render does not read it."
    assert told in caplog.messages
    kept.rename(path)
    loss = opened.evaluate()[0]["loss"]  # of the picture, not of what stood in for it
    np.testing.assert_allclose(loss, neuralshade.evaluate(asset)[0]["loss"], rtol=1e-6)


@pytest.mark.slow
def test_numbers_sizes_and_trained_members_may_be_others(tmp_path, tint, values_of, refusal, brief):
    values = values_of()
    asset = tmp_path / "x.nsh"
    members = neuralshade.fit_shader(tint, asset, values=values, **brief).members
    drawn = neuralshade.render(asset)
    np.testing.assert_array_equal(neuralshade.render(asset, values=members), drawn)
    zero = {name: np.zeros_like(array) for name, array in members.items()}
    flat = neuralshade.render(asset, values={**zero, "tint": "0.25,0.5,0.75"})
    np.testing.assert_allclose(flat, np.broadcast_to([0.25, 0.5, 0.75], flat.shape), atol=1e-6)
    larger = {**zero, "tint": 0.5, "map.size": (2, 1), "map": [[[0, 0, 0], [1, 1, 1]]]}
    across = neuralshade.render(asset, values=larger, size=(2, 1))
    np.testing.assert_allclose(across[0], [[0.5] * 3, [1.0] * 3], atol=1e-6)
    message = refusal(ConfigError, neuralshade.render, asset, values={"map.size": (4, 4)})
    assert message.startswith("set: got map of shape [3, 5, 3], need a number, or shape [4, 4, 3]")


def test_info_counts_no_bits_per_pixel(tmp_path, tint, values_of, brief):
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), **brief)
    facts = neuralshade.info(tmp_path / "x.nsh")
    assert facts["bits_per_pixel"] is None and facts["picture"]["width"] == 36


FILES = {
    "curve.slang": "import parts.deep;\n[Differentiable] public float square(float x) "
    "{ return deep(x) * deep(x); }\n",
    "parts/deep.slang": "[Differentiable] public float deep(float x) { return x; }\n",
    "parts/gain.slang": "[Differentiable] public float gain(float x) { return 2 * x; }\n",
    "edge.h": "#define EDGE 0.25\n",
}


def own_task(folder, sum_text):
    task = sum_text.replace(
        "\n", '\nimport curve;\nimport parts.gain;\n#include "edge.h"\n', 1
    ).replace(
        "(a - b) * (a - b); }",
        "gain(square(a - EDGE)); } float render(float2 uv) { return gain(a); }",
    )
    for name, text in {**FILES, "own.slang": task}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "own.slang"


@pytest.mark.slow
def test_files_of_the_user_s_own_are_in_the_asset(tmp_path, monkeypatch, sum_text):
    """It is drawn where they are not, and where others have their names."""
    task, asset, elsewhere = own_task(tmp_path / "a", sum_text), tmp_path / "x.nsh", tmp_path / "b"
    result = neuralshade.fit_shader(task, asset, steps=300, threads="1", size="3x2")
    np.testing.assert_allclose(result.members["a"], 0.25, atol=0.01)
    assert neuralshade.info(asset)["module"]["files"] == FILES
    own_task(elsewhere, sum_text)
    (elsewhere / "parts/gain.slang").write_text(FILES["parts/gain.slang"].replace("2 *", "9 *"))
    for name in FILES:
        (tmp_path / "a" / name).unlink()
    monkeypatch.chdir(elsewhere)
    drawn = neuralshade.render(asset)
    np.testing.assert_allclose(drawn, np.full((2, 3, 1), 2 * result.members["a"]), rtol=1e-6)
    (row,) = neuralshade.evaluate(asset)
    np.testing.assert_allclose(row["loss"], 2 * (result.members["a"] - 0.25) ** 2, atol=1e-6)


@pytest.mark.slow
def test_another_file_makes_another_task(tmp_path, sum_text):
    """A checkpoint is for the text of all of them."""
    task = own_task(tmp_path, sum_text)
    digest = load_shader(task).digest
    (tmp_path / "edge.h").write_text("#define EDGE 0.5\n")
    assert load_shader(task).digest != digest


def test_assets_of_before_had_no_files(tmp_path, sum_text):
    path, asset = tmp_path / "sum.slang", tmp_path / "x.nsh"
    path.write_text(sum_text)
    neuralshade.fit_shader(path, asset, steps=3, threads="1")
    old = neuralshade.load(asset)
    assert old.shipped.pop("files") == {}
    assert np.isfinite(neuralshade.evaluate(old)[0]["loss"])
