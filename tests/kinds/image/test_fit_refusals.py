"""kinds/image/fit: what cannot be fitted is refused before it costs anything."""

import pytest
import torch

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import ConfigError, DeviceError, OutputError, PictureError
from neuralshade.fitting.recipe import fields_of


def refusal(kind, *arguments, **settings):
    with pytest.raises(kind) as caught:
        neuralshade.fit_image(*arguments, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_unknown_setting_refused(tmp_path, save_smooth):
    message = refusal(ConfigError, save_smooth(), tmp_path / "x.nsh", hiden_width=32)
    names = [field.name for field in fields_of(neuralshade.ImageRecipe)]
    assert message == (
        "ImageRecipe.hiden_width: unknown setting. Did you mean hidden_width? "
        f"There are {', '.join(names)}."
    )


def test_engine_refused(tmp_path, save_smooth):
    message = "engine: got 'gp', need one of ['auto', 'torch', 'gpu']. Did you mean gpu?"
    options = FitOptions(engine="gp")
    assert refusal(ConfigError, save_smooth(), tmp_path / "x.nsh", options=options) == message


@pytest.mark.parametrize("device", ["cuda:99", "warp", "", "cpu:", "mps:4"])
def test_device_refused(tmp_path, save_smooth, few, device):
    options = FitOptions(device=device)
    there = ", ".join(["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))])
    assert refusal(DeviceError, save_smooth(), tmp_path / "x.nsh", options=options, **few) == (
        f"device: got {device!r}, need a torch device of this machine: {there}. Use --device cpu."
    )


@pytest.mark.parametrize("place", ["asset", "report"])
def test_output_places_are_tried_before_training(tmp_path, save_smooth, few, place):
    path, absent = save_smooth(), tmp_path / "absent/x"
    asset = absent if place == "asset" else tmp_path / "x.nsh"
    options = FitOptions(report=absent if place == "report" else None)

    def never(progress):
        raise AssertionError("it trains")

    message = refusal(OutputError, path, asset, options=options, observer=never, **few)
    assert message == f"{absent}: got no such folder, need a folder that exists. Create it first."
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("options, message", [
    ({"report": "x.nsh"}, "x.nsh: got the path of the asset for the report too"),
    ({"report": "sub/../x.nsh"}, "sub/../x.nsh: got the path of the asset for the report too"),
    ({"snapshots": "x.nsh"}, "x.nsh: got the path of the asset for the snapshots too"),
    ({"report": "y", "snapshots": "y"}, "y: got the path of the report for the snapshots too"),
])  # fmt: skip
def test_outputs_on_one_path_refused(tmp_path, save_smooth, few, monkeypatch, options, message):
    path = save_smooth()
    monkeypatch.chdir(tmp_path)

    def never(progress):
        raise AssertionError("it trains")

    (tmp_path / "sub").mkdir()
    options = FitOptions(**options)
    got = refusal(OutputError, path, "x.nsh", options=options, observer=never, **few)
    assert got == f"{message}, need one for each. Choose another path."
    assert {p.name for p in tmp_path.iterdir()} == {"a.png", "sub"}


def test_the_picture_is_not_overwritten(tmp_path, save_smooth, few, same_message):
    path = save_smooth()
    before = path.read_bytes()
    same_message(refusal(OutputError, path, path, **few), path, "Choose")
    assert path.read_bytes() == before


def test_missing_picture_refused(tmp_path):
    path = tmp_path / "absent.png"
    assert refusal(PictureError, path, tmp_path / "x.nsh") == (
        f"{path}: got no such file, need a picture. Check the path."
    )
