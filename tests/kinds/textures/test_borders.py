"""kinds/textures: the border of a fit is that of its smaller maps, in fits and references."""

import signal
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import FitInterrupted
from neuralshade.kinds import open_asset
from neuralshade.kinds.textures.planned import plan_textures
from neuralshade.kinds.textures.reference import OTHERS, reference_set
from neuralshade.source.material_set import load_material_set


@pytest.fixture
def folder(tmp_path):
    """Give a set whose roughness is smaller, and differs from edge to edge."""
    (tmp_path / "rock").mkdir()
    rng = np.random.default_rng(3)
    albedo = rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
    rough = np.repeat(np.array([[0, 0, 255, 255]], np.uint8), 4, axis=0)
    for name, pixels in {"albedo": albedo, "roughness": rough}.items():
        Image.fromarray(pixels).save(tmp_path / f"rock/rock_{name}.png")
    return tmp_path / "rock"


@pytest.mark.parametrize("wrap", ["repeat", "clamp"])
def test_smaller_maps_are_enlarged_and_found_again_by_the_border_of_the_fit(fitted, folder, wrap):
    opened = open_asset(fitted(folder, wrap=wrap).asset)
    found = reference_set(opened, folder)
    mine = load_material_set(folder, wrap=wrap)
    np.testing.assert_array_equal(found["roughness"].values, mine["roughness"].values)
    assert OTHERS not in found.notes and any("4 x 4 resized" in note for note in found.notes)


def test_a_resumed_fit_has_the_border_of_its_checkpoint(fitted, folder, tmp_path, monkeypatch):
    """Though it is not said again."""
    monkeypatch.setattr(
        "neuralshade.fitting.progress.CALLBACK_SECONDS", 1e-9
    )  # look after each step

    def stop(progress):
        if progress.step >= 4:
            signal.raise_signal(signal.SIGINT)

    whole = fitted(folder, "whole.nsh", wrap="clamp")
    with pytest.raises(FitInterrupted):
        fitted(folder, "parted.nsh", wrap="clamp", observer=stop)
    parted = fitted(folder, "parted.nsh", resume=tmp_path / "parted.checkpoint.nsh")
    tensors = [open_asset(one.asset).tensors for one in (whole, parted)]
    for name, values in tensors[0].items():
        np.testing.assert_array_equal(tensors[1][name], values)


def test_an_asset_that_was_enlarged_by_repeat_is_still_found(fitted, folder):
    """As those of older fits are, whatever their border."""
    asset = fitted(load_material_set(folder), wrap="clamp").asset
    found = reference_set(open_asset(asset), folder)
    assert OTHERS not in found.notes and "wrapping around" in "".join(found.notes)


def test_a_plan_is_of_the_border_too(folder, monkeypatch):
    import neuralshade.kinds.textures.planned as planned

    class SeenError(Exception):
        pass

    def seen(textures, *rest):
        raise SeenError("wrapping around" in "".join(textures.notes))

    monkeypatch.setattr(planned, "prober_of", seen)
    for wrap, around in ("clamp", "False"), ("repeat", "True"):
        with pytest.raises(SeenError, match=around):
            plan_textures(folder, wrap=wrap)


def test_gloss_that_an_asset_has_is_found_again(fitted, tmp_path):
    """Though a folder's gloss is its roughness now."""
    folder = tmp_path / "rock"
    folder.mkdir()
    for name, shape in (("albedo", (8, 8, 3)), ("gloss", (8, 8))):
        pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{name}.png")
    now = load_material_set(folder)
    assert now.names == ("albedo", "roughness")
    gloss = replace(now["roughness"], name="gloss", values=1 - now["roughness"].values)
    older = replace(now, maps=(now["albedo"], gloss))
    found = reference_set(open_asset(fitted(older, "older.nsh").asset), folder)
    assert found.names == ("albedo", "gloss")
    found = reference_set(open_asset(fitted(folder, "now.nsh").asset), folder)
    assert found.names == ("albedo", "roughness") and OTHERS not in found.notes
