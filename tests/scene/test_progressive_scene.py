"""scene/progressive_scene: pages see what `scene` renders, from wherever they look."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import ConfigError, NeuralShadeError
from neuralshade.fitting.scene import REFERENCE, RESULT, View
from neuralshade.scene import progressive_scene as module
from neuralshade.scene.document import scene_of
from neuralshade.scene.orbit import orbit_light
from neuralshade.scene.progressive_scene import ProgressiveScene, open_progressive_scene

DATA = Path(__file__).parents[1] / "data"
SIZE = (24, 16)
SCENE = {
    "size": list(SIZE), "samples": 6, "bounces": 2, "exposure": 0.5,
    "camera": {"position": [0, 1.5, 4], "look_at": [0, 0.5, 0]},
    "environment": {"color": [0.3, 0.3, 0.4]},
    "materials": {"clay": {"diffuse": [0.6, 0.3, 0.2]}},
    "mesh": [{"shape": "quad", "material": "clay", "scale": 4.0},
             {"shape": "sphere", "material": "clay", "scale": 0.5, "position": [0, 0.5, 0]}],
    "light": [{"type": "point", "radiance": [9, 9, 9], "position": [2, 3, 1]}],
}  # fmt: skip
WHOLE_VIEW = View(1, 1, width=SIZE[0], height=SIZE[1])


@pytest.fixture(scope="module")
def watched(share_device, device):
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        with ProgressiveScene(scene_of(SCENE)) as found:
            yield found


@pytest.fixture(autouse=True)
def _anew(watched, monkeypatch):
    """Forget what was drawn, and begin with all pixels, a path at a time."""
    watched._sums.clear()
    monkeypatch.setattr(module, "COARSEST", 1)
    monkeypatch.setattr(module, "FRAME_SECONDS", 1e-9)


def drawn(watched, view=WHOLE_VIEW):
    """Draw until it is settled; return how often, and what is seen then."""
    count = 0
    while not watched.settled(RESULT, view):
        found, count = watched.draw(RESULT, view), count + 1
    return count, found


def test_a_view_that_stays_becomes_what_is_rendered(watched, one_device):
    count, found = drawn(watched)
    assert count == 6 and found.shape == (16, 24, 3) and found.dtype == np.float32
    rendered = neuralshade.render_scene(scene_of(SCENE))
    np.testing.assert_allclose(found, rendered, rtol=1e-3, atol=1e-4)
    assert watched.draw(RESULT, WHOLE_VIEW) is not None
    np.testing.assert_array_equal(watched.draw(RESULT, WHOLE_VIEW), found)  # no path more


def test_a_part_is_that_of_the_whole(watched):
    """Of as many pixels each; the same but for where in a pixel paths go."""
    _, whole = drawn(watched, replace(WHOLE_VIEW, width=96, height=64))
    _, part = drawn(
        watched, replace(WHOLE_VIEW, region=(0.25, 0.5, 0.75, 1.0), width=48, height=32)
    )
    wanted = whole[32:, 24:72].reshape(8, 4, 12, 4, 3).mean((1, 3))
    got = part.reshape(8, 4, 12, 4, 3).mean((1, 3))
    assert np.abs(got - wanted).mean() < 0.06 * wanted.mean()
    flipped = got[:, ::-1]
    assert np.abs(got - wanted).mean() < 0.5 * np.abs(flipped - wanted).mean()


def test_a_light_that_is_dragged_is_the_document_s_first_one_moved(watched, one_device):
    _, found = drawn(watched, replace(WHOLE_VIEW, light=(-60.0, 40.0)))
    document = scene_of(SCENE)
    light = orbit_light(document.camera, document.light[0], -60.0, 40.0)
    wanted = neuralshade.render_scene(replace(document, light=(light,)))
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


@pytest.fixture
def both(watched, monkeypatch):
    """Have a pane of the same scene beside the first, and time for a sixteenth of a view."""
    monkeypatch.setitem(watched._tracers, True, watched._tracers[False])
    monkeypatch.setattr(watched, "_pixel_seconds", 1.0)
    monkeypatch.setattr(module, "COARSEST", 4)
    return RESULT, REFERENCE + RESULT


def test_where_time_is_short_the_first_look_is_coarse(watched, both):
    first = watched.draw(RESULT, WHOLE_VIEW)
    assert first.shape == (4, 6, 3)  # as it was drawn: a page tells so many pixels
    assert watched.rough(RESULT, WHOLE_VIEW) and not watched.settled(RESULT, WHOLE_VIEW)
    second = watched.draw(RESULT, WHOLE_VIEW)
    assert second.shape == (16, 24, 3) and not watched.rough(RESULT, WHOLE_VIEW)
    assert drawn(watched)[0] == 5  # of its six paths the coarse look was none


def test_panes_that_are_compared_are_as_coarse_and_of_as_many_paths(watched, both, monkeypatch):
    for turn in range(4):
        shapes, counts = [], []
        for pane in both:
            # whatever the first one took, or the second has time for
            monkeypatch.setattr(watched, "_pixel_seconds", 1e-9 if pane == both[1] else 1.0)
            monkeypatch.setattr(module, "FRAME_SECONDS", 0.01 if pane == RESULT else 1.0)
            shapes.append(watched.draw(pane, WHOLE_VIEW).shape)
            counts.append(watched._sums[watched._key(pane, WHOLE_VIEW)].paths)
        assert shapes[0] == shapes[1] and counts[0] == counts[1], turn


def test_a_pane_that_comes_later_is_not_compared_before_it_has_half_of_the_paths(watched, both):
    drawn(watched)
    rough = []
    while not watched.settled(both[1], WHOLE_VIEW):
        watched.draw(both[1], WHOLE_VIEW)
        rough.append(watched.rough(both[1], WHOLE_VIEW))
    assert rough == [True, True, True, False, False, False, False]  # coarse, then 1 to 6 of 6


def test_pages_that_look_elsewhere_do_not_disturb_each_other(watched):
    other = replace(WHOLE_VIEW, turn=(30.0, 10.0))
    for _ in range(6):
        mine, theirs = watched.draw(RESULT, WHOLE_VIEW), watched.draw(RESULT, other)
    assert watched.settled(RESULT, WHOLE_VIEW) and watched.settled(RESULT, other)
    assert np.abs(mine - theirs).max() > 0.1
    for turn in range(40, 40 + module.KEPT):
        watched.draw(RESULT, replace(WHOLE_VIEW, turn=(float(turn), 0.0)))
    assert len(watched._sums) == module.KEPT and not watched.settled(RESULT, WHOLE_VIEW)


def test_what_a_stage_is_told(watched):
    scene = watched.scene("a.toml")
    assert (scene.name, scene.width, scene.height) == ("a.toml", *SIZE)
    assert scene.titles == {RESULT: "Path traced"} and scene.rotatable == (RESULT,)
    assert scene.light.panes == (RESULT,) and scene.is_refining(RESULT, WHOLE_VIEW)
    assert 0 < scene.light.elevation_deg < 90


def test_a_scene_with_an_asset_is_fitted(watched):
    material = replace(next(iter(watched.document.materials.values())), asset="a.nsh")
    watched.document = replace(
        watched.document, materials=dict.fromkeys(watched.document.materials, material)
    )
    assert watched.scene("a.toml").titles == {RESULT: "Fitted"}


def test_a_large_view_has_pixels_of_several(watched, monkeypatch):
    monkeypatch.setattr(module, "MOST_PIXELS", 100)
    assert watched.draw(RESULT, WHOLE_VIEW).shape == (8, 12, 3)
    assert not watched.rough(RESULT, WHOLE_VIEW)  # it becomes no finer


def test_code_of_a_reference_is_left_out_unless_it_is_trusted(tmp_path, caplog, monkeypatch):
    path = tmp_path / "scene.toml"
    path.write_text('camera = { position = [0, 1, 3], look_at = [0, 0, 0] }\n'
                    'materials.paint = { asset = "a.nsh", reference = "paint.slang" }\n'
                    'mesh = [{ shape = "sphere", material = "paint" }]\n')  # fmt: skip
    asked = []
    monkeypatch.setattr(
        module, "ProgressiveScene", lambda document, reference, trust=False: asked.append(reference)
    )
    open_progressive_scene(path)
    assert "materials.paint.reference: got a Slang module" in caplog.text
    open_progressive_scene(path, trust=True)
    assert asked == [False, True]


@pytest.mark.parametrize("second, given", [("b.toml", False), ("a.toml", True)])
def test_references_of_several_materials_are_left_out(tmp_path, caplog, monkeypatch, second, given):
    path = tmp_path / "scene.toml"
    path.write_text('camera = { position = [0, 1, 3], look_at = [0, 0, 0] }\n'
                    'materials.one = { asset = "a.nsh", reference = "a.toml" }\n'
                    f'materials.two = {{ asset = "b.nsh", reference = "{second}" }}\n'
                    'materials.unseen = { asset = "c.nsh", reference = "c.toml" }\n'
                    'mesh = [{ shape = "sphere", material = "one" },\n'
                    '        { shape = "sphere", material = "two" }]\n')  # fmt: skip
    asked = []
    monkeypatch.setattr(
        module, "ProgressiveScene", lambda document, reference, trust=False: asked.append(reference)
    )
    open_progressive_scene(path)
    assert asked == [given] and ("references of 2 materials" in caplog.text) != given


def test_what_a_scene_says_itself_is_not_said_again(refusal):
    message = refusal(ConfigError, neuralshade.view, "a.toml", "b.toml")
    assert message.startswith("reference: got one for a scene, need it in the scene's file.")
    message = refusal(ConfigError, neuralshade.view, "a.toml", values={"x": 1})
    assert message.startswith("values: got one for a scene")


def test_a_reference_that_is_missing_is_told_before_anything_compiles(tmp_path, monkeypatch):
    missing = tmp_path / "missing.toml"
    clay = {"asset": str(DATA / "material.nsh"), "reference": str(missing)}
    monkeypatch.setattr(module, "open_gpu", None)  # nobody asks for a device
    with pytest.raises(NeuralShadeError, match=f"^{missing}: got no such file"):
        ProgressiveScene(scene_of({**SCENE, "materials": {"clay": clay}}), reference=True)
