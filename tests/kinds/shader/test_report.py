"""verbs/report: the page of a user's task that renders."""

import html
import re

import numpy as np
import pytest

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import AssetError, ConfigError, OutputError
from neuralshade.measure.page import number


@pytest.fixture
def fitted_tint(tmp_path, tint, values_of, brief, monkeypatch):
    monkeypatch.setattr("neuralshade.fitting.loop.FIRST_MEASURE_SECONDS", 0.0)  # some curve
    neuralshade.fit_shader(tint, tmp_path / "x.nsh", values=values_of(), **brief)
    return tmp_path / "x.nsh"


def page_of(asset, picture, **given):
    page = asset.with_suffix(".html")
    neuralshade.report(asset, picture, page, **given)
    return page.read_text()


@pytest.mark.slow
def test_a_task_beside_the_picture_that_it_is_to_look_like(fitted_tint, save_smooth):
    text = page_of(fitted_tint, save_smooth())
    for title in ("Target, result, error", "Training", "Trained textures"):
        assert f"<h2>{title}</h2>" in text, title
    assert "loss against steps" in text and "PSNR against" not in text
    assert "bits per pixel" not in text.lower()
    tint = neuralshade.load(fitted_tint).tensors["tint"]
    for name, value in (("tint", f"{tint[0]:.6f}"[:6]), ("net", "float32 [51]"), ("map", "5 x 3")):
        assert re.search(rf"{name}.{{0,60}}{re.escape(value)}", text, re.S), name


def test_rows_are_those_of_evaluate(fitted_tint, save_smooth):
    """With what is read besides the asset, in memory too; a task is evaluated at any pixel."""
    text = page_of(fitted_tint, save_smooth())
    table = neuralshade.evaluate(fitted_tint, save_smooth())
    forms = {"bytes": ",", "memory_bytes": ",", "random_access": "", "psnr_db": ".2f",
             "ssim": ".4f", "flip": ".4f"}  # fmt: skip
    shown = re.findall(r"<tr[^>]*><td>([^<]*)(?: <small>([^<]*)</small>)?</td>(.*?)</tr>", text)
    assert [name for name, *_ in shown] == [row["name"] for row in table]
    for row, (_, setting, cells) in zip(table, shown, strict=True):
        told = row | {"random_access": "yes" if row["random_access"] else "no"}
        assert html.unescape(setting) == row["setting"]
        assert re.findall(r"<td>(.*?)</td>", cells) == [
            number(told[key], f"{{:{form}}}") if key != "random_access" else told[key]
            for key, form in forms.items()
        ]
    assert table[0]["random_access"]
    assert all(html.escape(line, quote=False) in text.replace("&#39;", "'") for line in table.lines
               if line.startswith(("GPU bytes of", "neuralshade is not drawn")))  # fmt: skip


@pytest.mark.slow
def test_at_the_size_of_the_picture_and_with_other_values(fitted_tint, save_smooth):
    told = []
    other = save_smooth("b.png", 30, 20)
    text = page_of(fitted_tint, other, notice=told.append, values={"photo": other, "tint": 0.25})
    assert "20 x 30 pixels" in text and told == []


def test_what_it_refuses(fitted_tint, save_smooth, tmp_path, sum_text, refusal):
    grey = save_smooth("grey.png", channels=1)
    start = f"{fitted_tint}: got a picture with 1 channels, srgb, need 3, srgb."
    assert refusal(AssetError, page_of, fitted_tint, grey).startswith(start)
    message = refusal(ConfigError, page_of, fitted_tint, save_smooth(), values={"tnt": 1})
    assert message.startswith("set: got tnt, need one of")
    photo = save_smooth()
    message = refusal(OutputError, neuralshade.report, fitted_tint, photo, photo)
    assert message.startswith(f"{photo}: got the input {photo} itself")
    (tmp_path / "sum.slang").write_text(sum_text)
    neuralshade.fit_shader(tmp_path / "sum.slang", tmp_path / "s.nsh", steps=2, threads="1")
    message = refusal(AssetError, page_of, tmp_path / "s.nsh", photo)
    assert message.startswith(f"{tmp_path / 's.nsh'}: got a task without render(float2 uv)")


@pytest.mark.slow
def test_pictures_are_looked_for_beside_the_asset(
    tmp_path, monkeypatch, tint, save_smooth, values_of, refusal, brief, same_message
):
    """By the path from the asset's folder on, or by name; never another picture."""
    drawn_of_photo = "return color(uv) + 0.0f * photo.sample(uv);"
    tint.write_text(tint.read_text().replace("return color(uv);", drawn_of_photo))
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    (here / "sub").mkdir(parents=True)
    elsewhere.mkdir()
    photo = save_smooth()
    photo.rename(here / "sub/a.png")
    monkeypatch.chdir(here)
    neuralshade.fit_shader(tint, "x.nsh", values=values_of(photo="sub/a.png"), **brief)
    drawn = neuralshade.render("x.nsh")
    monkeypatch.chdir(elsewhere)
    np.testing.assert_array_equal(neuralshade.render("../here/x.nsh"), drawn)
    (here / "sub/a.png").rename(here / "a.png")
    np.testing.assert_array_equal(neuralshade.render("../here/x.nsh"), drawn)
    (elsewhere / "sub").mkdir()
    neuralshade.save_picture("sub/a.png", np.zeros((4, 4, 3), np.float32), "srgb")
    np.testing.assert_array_equal(neuralshade.render("../here/x.nsh"), drawn)
    (here / "a.png").unlink()
    same_message(refusal(AssetError, neuralshade.render, "../here/x.nsh"), "../here/x.nsh", "--set")


def test_a_rate_means_nothing_to_what_is_trained(fitted_tint, refusal, same_message):
    message = refusal(ConfigError, neuralshade.render, fitted_tint, values={"tint.rate": 1})
    same_message(message, "set", "tint?")


def drawn_of_photo(tint):
    """Have the task's render read its photo; return the same path."""
    body = "return color(uv) + 0.0f * photo.sample(uv);"
    tint.write_text(tint.read_text().replace("return color(uv);", body))
    return tint


def test_a_picture_that_it_is_drawn_from_is_told(tmp_path, tint, save_smooth, values_of, brief):
    """The bytes of the asset are not all that it takes: no other row is its like."""
    asset, photo = tmp_path / "x.nsh", save_smooth()
    neuralshade.fit_shader(drawn_of_photo(tint), asset, values=values_of(), **brief)
    table = neuralshade.evaluate(asset, photo)
    size, texels = photo.stat().st_size, 4 * 24 * 36  # three channels are four in a GPU
    assert table[0]["inputs"] == [
        {"member": "photo", "path": str(photo), "bytes": size, "memory_bytes": texels}
    ]
    assert all(row["inputs"] == [] for row in table[1:])
    told = f"photo ({photo}, {size:,} bytes)"
    assert table[0]["setting"] == f"reads {told} too"
    trained = neuralshade.load(asset).numbers
    assert table[0]["memory_bytes"] == 4 * trained + texels
    assert table.lines[-3:] == [
        f"neuralshade is not drawn from its {asset.stat().st_size:,} bytes alone: its task also "
        f"reads {told}, which the asset does not hold. Every other row is the whole picture.",
        "Random access of neuralshade: its task renders any pixel by itself.",
        "GPU bytes of neuralshade: 4 for each trained number, and plain texels of what it reads; "
        "its shader's code is not counted.",
    ]
    assert told in page_of(asset, photo)
    there = neuralshade.load_picture(photo)
    (given,) = neuralshade.evaluate(asset, photo, values={"photo": there})[0]["inputs"]
    assert given == {"member": "photo", "path": None, "bytes": None, "memory_bytes": texels}


def test_what_is_drawn_from_the_asset_alone_says_nothing(fitted_tint, save_smooth):
    table = neuralshade.evaluate(fitted_tint, save_smooth())
    assert table[0]["inputs"] == [] and table[0]["setting"] == ""
    assert table[0]["memory_bytes"] == 4 * neuralshade.load(fitted_tint).numbers
    assert not any("not drawn from" in line for line in table.lines)
    other = {"map": 0.5, "map.size": (4, 4)}
    table = neuralshade.evaluate(fitted_tint, save_smooth(), values=other)
    assert table[0]["memory_bytes"] is None
    assert table.lines[-1] == (
        "GPU bytes of neuralshade: unknown, since a texture's size was replaced."
    )


TWO = """import neuralshade.model.trainable;
struct Task : ITask
{
    [Trainable(0.1)] float a;
    Picture<float3> photo;
    Picture<float{second}> mask;
    [Differentiable] float loss(no_diff Thread thread) { return (a - 2) * (a - 2); }
    float3 render(float2 uv) { return photo.sample(uv) * a; }
}
"""


def test_a_fit_reports_beside_the_one_picture_of_its_channels(
    tmp_path, save_smooth, brief, caplog, drawing_gpus
):
    """In memory too, where the asset by itself has no file of it; the GPU that draws is closed."""
    task = tmp_path / "two.slang"
    task.write_text(TWO.replace("{second}", ""))
    photo = neuralshade.load_picture(save_smooth())
    values = {"photo": photo, "mask": save_smooth("mask.png", channels=1)}
    page = tmp_path / "x.html"
    with caplog.at_level("INFO", "neuralshade"):
        neuralshade.fit_shader(task, tmp_path / "x.nsh", values=values, **brief,
                               options=FitOptions(report=page))  # fmt: skip
    assert f"the report compares render with Task.photo, {photo.name}" in caplog.messages
    text = html.unescape(page.read_text())
    assert "<h2>Target, result, error</h2>" in text and f"Task.photo, {photo.name}" in text
    assert [gpu.closed for gpu in drawing_gpus] == [True]


def test_a_fit_without_one_such_picture_is_refused_first(
    tmp_path, save_smooth, brief, refusal, same_message
):
    task, options = tmp_path / "two.slang", FitOptions(report=tmp_path / "x.html")
    photo, grey = save_smooth(), save_smooth("grey.png", channels=1)
    until = "Leave report out; after the fit run: neuralshade report ASSET PICTURE."

    def refused(second, **values):
        task.write_text(TWO.replace("{second}", second))
        message = refusal(ConfigError, neuralshade.fit_shader, task, tmp_path / "x.nsh",
                          values=values, options=options, **brief)  # fmt: skip
        assert not (tmp_path / "x.nsh").exists() and not (tmp_path / "x.html").exists()
        return message

    assert refused("3", photo=photo, mask=photo) == (
        "report: got 2 pictures (photo, mask) with the channels of render, 3, among the values, "
        f"need one to compare with. {until}"
    )
    task_of_none = TWO.replace("Picture<float3> photo;", "").replace(
        "photo.sample(uv)", "float3(1)"
    )
    task.write_text(task_of_none.replace("{second}", ""))
    message = refusal(ConfigError, neuralshade.fit_shader, task, values={"mask": grey},
                      options=options, **brief)  # fmt: skip
    assert message.startswith("report: got no picture with the channels of render, 3, among ")
    linear = neuralshade.Picture(np.zeros((4, 4, 3), np.float32), "linear", "sky")
    same_message(refused("", photo=linear, mask=grey), "report", "color_space")
