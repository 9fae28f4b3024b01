"""verbs/pane_drawing: the panes of a live page, drawn by ``render``."""

import numpy as np
import pytest
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.fitting.scene import View
from neuralshade.source.color import linear_to_srgb

SMALL = (24, 24)


@pytest.fixture(scope="module")
def asset(tmp_path_factory, share_device):
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
        place = tmp_path_factory.mktemp("paint") / "x.nsh"
        return neuralshade.fit_material(paint_reference(), place, size=8, steps=3, batch=64,
                                        hidden_width=16).asset  # fmt: skip


def refused(asset, **how):
    with pytest.raises(ConfigError) as caught:
        neuralshade.render(asset, **how)
    return str(caught.value)


def test_a_pane_is_what_the_scene_draws(asset):
    scene = neuralshade.load(asset).scene()
    view = View(0, 0, width=24, height=24, light=(45.0, 30.0), turn=(10.0, 20.0))
    how = {"light": (45, 30), "turn": (10, 20), "size": SMALL, "filter": "point"}
    found = neuralshade.render(asset, show="sphere", **how)
    np.testing.assert_array_equal(found, scene.draw("sphere", view).clip(0, None))


def test_a_direction_is_the_same_light(asset):
    how = {"size": SMALL, "filter": "point"}
    along = neuralshade.render(asset, light=(1, 0, 1), **how)
    angles = neuralshade.render(asset, light=(90, 45), **how)
    np.testing.assert_allclose(along, angles, atol=1e-5)
    assert np.abs(along - neuralshade.render(asset, light=(0, 1, 1), **how)).max() > 0.01


@pytest.mark.parametrize("light, told, elevation", [
    ((0, 0, -1), "0,0,-1", "-90"), ((1, 0, -1), "1,0,-1", "-45"),
    ((30, -5), "30,-5", "-5"), ((30, 90.5), "30,90.5", "90.5"),
])  # fmt: skip
def test_a_light_behind_what_is_seen_is_refused(asset, light, told, elevation):
    """It was drawn as if it stood above."""
    assert refused(asset, light=light) == (
        f"light: got {told}, whose elevation is {elevation} degrees, need one from 0 to 90: a "
        "light on the side that is seen. Turn it.")  # fmt: skip


def test_the_difference_is_one_of_screens(asset, one_device):
    how = {"size": SMALL, "filter": "point", "reference": paint_reference()}
    pair = [linear_to_srgb(neuralshade.render(asset, show=pane, **how).clip(0, 1))
            for pane in ("given:plane", "plane")]  # fmt: skip
    found = neuralshade.render(asset, show="difference:plane", **how)
    np.testing.assert_allclose(found, (0.5 + 4 * (pair[1] - pair[0])).clip(0, 1), atol=1e-5)


def test_maps_have_their_levels(small_kinds):
    asset = small_kinds["textures"].asset
    opened = neuralshade.load(asset)
    found = neuralshade.render(asset, show="map:roughness", level=1)
    width, height = opened.sizes[1]
    decoded = opened.drawn_map(opened.coding("roughness"), 1, width, height)
    np.testing.assert_allclose(found[..., :1], decoded.clip(0, 1)[..., :1], atol=1e-6)


def test_refusals(asset, fitted, same_message):
    same_message(refused(asset, show="spere"), "show", "sphere?")
    missing = "Name what it was fitted to with --reference."
    for show in ("difference", "given:sphere"):
        assert refused(asset, show=show).endswith(missing)
    same_message(refused(asset, level=1), "level", "Leave")
    assert refused(asset, light=(1,)) == "light: got (1,), need 2 or 3 finite numbers."
    assert refused(asset, light=(np.nan, 0, 1)) == (
        "light: got (nan, 0, 1), need 2 or 3 finite numbers."
    )
    assert refused(asset, light=(0, 0, 0)) == "light: got 0,0,0, need a direction."
    same_message(refused(fitted / "a.nsh", light=(1, 2)), "light", "Leave")
    same_message(refused(asset, show="plane", turn=(1, 2)), "turn", "Leave")


def test_the_lit_pane_of_maps_has_an_exposure(small_kinds, tmp_path, same_message):
    """It is drawn for a screen; with an exposure it is the light that this was made of."""
    asset, how = small_kinds["textures"].asset, {"show": "lit", "light": (20, 60), "size": SMALL}
    how |= {"filter": "point", "stretch": True}
    usual = neuralshade.render(asset, **how)
    light = neuralshade.render(asset, **how, exposure=-1)
    np.testing.assert_allclose(linear_to_srgb((2 * light).clip(0, 1)), usual, atol=0.02)
    assert neuralshade.render(asset, tmp_path / "x.png", **how, exposure="auto").max() >= 0.99
    assert neuralshade.render(asset, **how, tonemap="reinhard").max() < 1
    same_message(refused(asset, show="map:roughness", exposure=1), "exposure", "Leave")
