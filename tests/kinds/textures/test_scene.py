"""kinds/textures/scene: the maps on the live page, as decoded and as reference."""

from dataclasses import replace

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.fitting.scene import View
from neuralshade.kinds.textures import texel_sources
from neuralshade.kinds.textures.engine import rounded_field
from neuralshade.kinds.textures.scene import fit_scene, opened_scene, visible_texels
from neuralshade.live.quality_panes import QualityMeasurement
from neuralshade.source.material_mips import mip_levels
from neuralshade.source.material_set import MaterialMap, MaterialSet

WHOLE = View(0, 0, (0, 0, 1, 1), 24, 16)
NAMES = ["albedo", "normal", "roughness", "metallic", "flow", "emissive"]


def test_panes_of_an_asset(moss):
    alone, beside = moss.opened.scene(), moss.opened.scene(moss.textures)
    assert alone.titles == {f"map:{name}": name for name in NAMES} | {"lit": "lit sphere"}
    assert list(beside.titles) == [*alone.titles, *(f"given:{pane}" for pane in alone.titles)]
    assert beside.titles["map:flow"] == "flow as decoded"
    assert beside.titles["given:map:flow"] == "flow reference"
    assert (beside.width, beside.height, beside.channels, beside.linear) == (24, 16, 3, False)
    assert alone.light.panes == ("lit",) and beside.light.panes == ("lit", "given:lit")
    assert alone.levels == ((24, 16), (12, 8), (6, 4), (3, 2), (1, 1))
    assert alone.changes == beside.changes == () and alone.main == "map:albedo"


def test_decoded_panes_show_the_maps(moss):
    scene = opened_scene(moss.opened, moss.textures)
    for coding in moss.opened.codings:
        drawn = scene.draw(f"map:{coding.name}", WHOLE)
        shown = moss.opened.drawn_map(coding, 0, 24, 16)
        assert drawn.shape == (16, 24, 3) and drawn.dtype == np.float32
        wanted = np.repeat(shown, 3, axis=2) if coding.channels == 1 else shown
        np.testing.assert_array_equal(drawn[..., : wanted.shape[2]], wanted)
    assert not scene.draw("map:flow", WHOLE)[..., 2].any()


def test_pages_are_told_the_psnr_of_the_file(moss):
    """In 8 bits, of as many channels as a map has: two of flow."""
    told = {}
    measuring = QualityMeasurement(told.__setitem__)
    measuring.begin(opened_scene(moss.opened, moss.textures))
    while told["measuring"]:
        measuring.measure_next()
        measuring._job.result()
    measuring.close()
    for name, levels in moss.opened.header.quality["maps"].items():
        assert told["quality"][f"map:{name}"]["psnr_db"] == pytest.approx(levels[0], abs=6e-4), name


def test_given_panes_show_what_was_fitted(moss):
    scene = opened_scene(moss.opened, moss.textures)
    for name in ("albedo", "roughness", "metallic"):
        drawn = scene.draw(f"given:map:{name}", WHOLE)
        np.testing.assert_array_equal(
            drawn, np.broadcast_to(moss.textures[name].values, (16, 24, 3))
        )
    normal = moss.textures["normal"].values / 2 + 0.5
    np.testing.assert_allclose(scene.draw("given:map:normal", WHOLE), normal, atol=1e-5)
    assert scene.draw("given:map:emissive", WHOLE).max() == pytest.approx(1)
    part = View(0, 0, (6 / 24, 4 / 16, 7 / 24, 5 / 16), 1, 1)
    albedo = scene.draw("given:map:albedo", part)[0, 0]
    np.testing.assert_array_equal(albedo, moss.textures["albedo"].values[4, 6])
    assert set(scene.values(0.5, 0.5)) == set(scene.titles) - {"lit", "given:lit"}


@pytest.mark.parametrize("spread, most, counts", [
    (36, 999, [23 * 15]), (3, 999, [12 * 8]), (36, 200, [23 * 7] * 2),
])  # fmt: skip
def test_a_coarse_view_is_of_the_texels_of_a_fine_one(moss, monkeypatch, spread, most, counts):
    """All that lie between are decoded with them, unless they are many: that takes less time."""
    scene, decoded = opened_scene(moss.opened), []
    monkeypatch.setattr(texel_sources, "SPREAD", spread)
    monkeypatch.setattr(texel_sources, "MOST", most)
    view = scene.fitted(WHOLE, 2)
    whole = scene.draw("map:albedo", WHOLE)
    decode = texel_sources.decode_texels
    monkeypatch.setattr(texel_sources, "decode_texels", lambda field, sizes, mip, index: (
        decoded.append(len(index)), decode(field, sizes, mip, index))[1])  # fmt: skip
    drawn = scene.draw("map:albedo", view)
    index = visible_texels(24, 16, view)
    np.testing.assert_allclose(drawn, whole.reshape(-1, 3)[index], atol=1e-5)
    assert drawn.shape == (8, 12, 3) and decoded == counts


def test_reference_maps_are_stored(moss):
    scene = opened_scene(moss.opened, moss.textures)
    assert set(scene.stored) == {f"given:map:{name}" for name in NAMES}
    assert opened_scene(moss.opened).stored == ()


def test_texels_are_those_under_pixel_centers():
    part = View(0, 0, (0, 0, 1, 1), 2, 2)
    np.testing.assert_array_equal(visible_texels(4, 6, part), [[5, 7], [17, 19]])
    beyond = View(0, 0, (-0.5, 0, 1.5, 1), 4, 1)  # coarse samples may end off the edges
    np.testing.assert_array_equal(visible_texels(3, 1, beyond), [[0, 0, 2, 2]])


def test_a_fit_is_asked_once_for_each_step(moss):
    steps, asked = [0], []

    def field():
        asked.append(steps[0])
        return rounded_field(moss.opened.field)

    scene = fit_scene(moss.textures, moss.opened.codings, moss.opened.sizes, field,
                      lambda: steps[0])  # fmt: skip
    changing = [f"map:{name}" for name in NAMES if name != "metallic"]
    assert scene.changes == (*changing, "lit")
    asked.clear()
    for name in ("albedo", "normal", "flow"):
        scene.draw(f"map:{name}", WHOLE)
    scene.draw("lit", WHOLE)
    scene.draw("given:map:albedo", WHOLE)
    steps[0] = 7
    scene.draw("map:albedo", WHOLE)
    scene.draw("map:albedo", View(0, 0, (0, 0, 0.5, 0.5), 12, 8))
    assert asked in ([7], [0, 7])  # of step 0 the grids' pages may have asked already


def test_a_level_is_shown_in_its_own_texels(moss):
    scene = opened_scene(moss.opened, moss.textures)
    view = scene.fitted(replace(WHOLE, level=1), 1)
    assert (view.width, view.height) == (12, 8)
    albedo = moss.opened.coding("albedo")
    np.testing.assert_array_equal(
        scene.draw("map:albedo", view), moss.opened.drawn_map(albedo, 1, 12, 8)
    )
    wanted = mip_levels(moss.textures["albedo"])[1]
    np.testing.assert_array_equal(scene.draw("given:map:albedo", view), wanted)
    values = scene.values(0.99, 0.01, 1)
    np.testing.assert_array_equal(values["given:map:albedo"], wanted[0, 11])
    beyond = scene.fitted(replace(WHOLE, level=31), 1)  # the last one, for those that it lacks
    assert (beyond.width, beyond.height) == (1, 1)
    assert scene.draw("map:albedo", beyond).shape == (1, 1, 3)


def test_the_sphere_is_as_large_as_asked_for_beside_any_level(moss):
    scene = opened_scene(moss.opened, moss.textures)
    asked = View(0, 0, (0, 0, 1, 1), 60, 40, ("map:albedo", "lit"), level=2)
    view = scene.fitted(asked, 1)
    assert scene.draw("map:albedo", view).shape == (4, 6, 3)
    assert scene.draw("lit", view).shape == (40, 60, 3)
    assert scene.draw("given:lit", scene.fitted(asked, 4)).shape == (10, 15, 3)
    # of other maps no texels change with the light, and none are sent again
    moved = replace(view, light=(90.0, 20.0))
    assert scene.relevant_view("map:albedo", moved) == scene.relevant_view("map:albedo", view)
    assert scene.relevant_view("lit", moved) != scene.relevant_view("lit", view)


def test_the_sphere_shows_the_maps_under_the_light(moss):
    scene = opened_scene(moss.opened, moss.textures)
    left, right = (
        scene.draw("given:lit", replace(WHOLE, screen=(48, 32), light=(azimuth, 15.0)))
        for azimuth in (-90.0, 90.0)
    )
    assert left[16, 12].sum() > right[16, 12].sum() and left[16, 35].sum() < right[16, 35].sum()
    usual = scene.draw("given:lit", replace(WHOLE, screen=(48, 32)))
    decoded = scene.draw("lit", replace(WHOLE, screen=(48, 32)))
    coarse = scene.draw("given:lit", replace(WHOLE, screen=(48, 32), level=2))
    assert np.abs(usual - decoded).max() > 0.01 and np.abs(usual - coarse).max() > 0.01
    np.testing.assert_array_equal(usual[0, 0], decoded[0, 0])  # beside the sphere


def test_without_a_map_that_is_lit_there_is_no_sphere(fitted, maps):
    height = MaterialMap("displacement", maps["roughness"].values, "data", 8, None)
    alone = MaterialSet("x", (height,), ())
    scene = neuralshade.load(fitted(alone).asset).scene(alone)
    assert (
        list(scene.titles) == ["map:displacement", "given:map:displacement"] and scene.light is None
    )


def test_latents_are_overlays(moss):
    pages = moss.opened.scene().pages
    assert pages and all(name.startswith("grid ") for name in pages)
    caption, picture = next(iter(pages.values()))()
    assert caption and picture.shape[2] == 3


def test_other_maps_are_refused(moss):
    other = neuralshade.kinds.open_asset(moss.path)
    with pytest.raises(AssetError, match="need 24 x 16"):
        other.scene(type(moss.textures)("x", tuple(
            type(one)(one.name, one.values[:8], one.meaning) for one in moss.textures.maps
        )))  # fmt: skip
