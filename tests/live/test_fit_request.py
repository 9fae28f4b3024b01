"""live/fit_request: where the asset goes of a fit that a page wants instead."""

from pathlib import Path

import pytest

import neuralshade
from neuralshade.live.fit_request import FitRequest


@pytest.fixture
def image(picture, tmp_path, monkeypatch):
    """Give a function that returns the call of a picture's fit, whose asset is there."""
    monkeypatch.chdir(tmp_path)

    def image(output="x.nsh"):
        named = {} if output is None else {"output": output}
        Path(output or "array.nsh").write_bytes(b"of image")
        return FitRequest.of(neuralshade.fit_image, (picture,), named)

    return image


def wanted(call, **settings):
    return call.changed({"action": "start", **settings}, None)


@pytest.mark.parametrize("given", [None, "x.nsh", Path("x.nsh")])
def test_another_kind_leaves_the_asset_alone(image, given):
    call = image(given)
    other = wanted(call, kind="splats")
    stem = Path(given or "array.nsh").stem
    assert other.output == Path(f"{stem}_splats.nsh")
    assert other.spared == Path(f"{stem}.nsh")
    assert wanted(other, seed=3).output == other.output and wanted(other, seed=3).spared is None


def test_back_to_the_first_kind_it_has_a_name_of_its_own(image, tmp_path):
    splats = wanted(image(tmp_path / "x.nsh"), kind="splats")
    splats.output.write_bytes(b"of splats")
    back = wanted(splats, kind="image")
    assert back.output == tmp_path / "x_image.nsh" and back.spared == tmp_path / "x_splats.nsh"
    assert wanted(back, kind="splats").output == tmp_path / "x_splats_2.nsh"


def test_the_same_kind_replaces_its_own(image):
    again = wanted(image(), preset="tiny-9")
    assert again.output == Path("x.nsh") and again.spared is None
    assert again.changed({"action": "reset", "seed": 2}, None).output == Path("x.nsh")
