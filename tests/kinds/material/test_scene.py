"""kinds/material/scene: a sphere and a plane, the network's beside the material itself."""

import dataclasses
import threading

import numpy as np
import pytest
from fixtures.small_material import paint, paint_reference, wet_file

import neuralshade
from neuralshade.errors import AssetError
from neuralshade.fitting.scene import View
from neuralshade.kinds.material.judging.lit_surfaces import at_centers, sphere
from neuralshade.kinds.material.scene import material_scene
from neuralshade.kinds.material.varied import Varied

USUAL = View(0, 0, width=40, height=40)


def painted_scene(reference=True):
    itself = (lambda: paint) if reference else None
    return material_scene("paint", lambda: at_centers(paint), itself, changes=True)


def test_panes_of_the_network_and_of_the_material():
    scene = painted_scene()
    assert list(scene.titles) == ["sphere", "plane", "given:sphere", "given:plane"]
    assert scene.changes == ("sphere", "plane") and scene.rotatable == ("sphere", "given:sphere")
    for pane in ("sphere", "plane"):
        np.testing.assert_array_equal(scene.draw(pane, USUAL), scene.draw(f"given:{pane}", USUAL))
    assert list(painted_scene(reference=False).titles) == ["sphere", "plane"]


@pytest.mark.parametrize("pane", ["sphere", "plane"])
def test_a_part_is_the_matching_part_of_the_whole(pane):
    """Bands of it are drawn one by one while a fit runs."""
    scene, light = painted_scene(), (40.0, 50.0)
    whole = scene.draw(pane, dataclasses.replace(USUAL, light=light, turn=(10.0, 20.0)))
    band = dataclasses.replace(USUAL, light=light, turn=(10.0, 20.0), height=10,
                               region=(0, 0.25, 1, 0.5))  # fmt: skip
    np.testing.assert_allclose(scene.draw(pane, band), whole[10:20], atol=1e-4)


def test_the_light_is_where_it_is_dragged_to():
    """White paper is brightest where it faces the light."""

    def paper(uv, wi, wo):
        return np.repeat(wi[:, 2:], 3, axis=1)

    scene = material_scene("paper", lambda: at_centers(paper), None, changes=False)
    for light, (right, down) in (((90.0, 30.0), (1, 0)), ((0.0, 30.0), (0, -1))):
        drawn = scene.draw("sphere", dataclasses.replace(USUAL, light=light))[..., 0]
        row, col = np.unravel_index(drawn.argmax(), drawn.shape)
        assert np.sign(col - 19.5) == right or right == 0
        assert np.sign(row - 19.5) == down or down == 0


def test_inputs_are_what_a_view_says():
    """In the scene's order and in their ranges; what it does not say is as at first."""
    varied = (Varied("wetness", 0.0, 2.0, 0.5), Varied("age", -1.0, 1.0, 0.0))
    asked = []

    def paper(uv, wi, wo):
        asked.append(uv[0, 2:].tolist())
        return np.ones((len(uv), 3), np.float32)

    scene = material_scene("paper", lambda: at_centers(paper), lambda: paper, changes=False,
                           varied=varied)  # fmt: skip
    for inputs, shares in (((), [0.25, 0.5]), ((2.0,), [1.0, 0.5]), ((1.5, -1.0), [0.75, 0.0]),
                           ((-1e9, 1e9, 7.0), [0.0, 1.0])):  # fmt: skip
        for pane in scene.titles:
            asked.clear()
            scene.draw(pane, dataclasses.replace(USUAL, inputs=inputs))
            assert asked and all(seen == shares for seen in asked), (pane, inputs)
    said = scene.facts(1)["inputs"]
    assert said[0] == {"name": "wetness", "low": 0.0, "high": 2.0, "value": 0.5}
    usual, asked_as = (scene.relevant_view("plane", dataclasses.replace(USUAL, inputs=inputs))
                       for inputs in ((), (0.5, 0.0, 7.0)))  # fmt: skip
    assert usual == asked_as  # one picture, which is drawn once
    assert (
        painted_scene().relevant_view("plane", dataclasses.replace(USUAL, inputs=(1.0,))).inputs
        == ()
    )


def test_what_is_turned_shows_what_was_behind():
    """The material goes around twice: half a turn shows the same."""
    scene = painted_scene()
    drawn = [scene.draw("sphere", dataclasses.replace(USUAL, turn=(around, 0.0)))
             for around in (0.0, 90.0, 180.0)]  # fmt: skip
    np.testing.assert_allclose(drawn[0], drawn[2], atol=1e-3)
    assert np.abs(drawn[0] - drawn[1]).max() > 0.1


def test_frames_stay_frames_when_turned():
    seen = sphere(41, 41, turn=(30.0, -75.0))
    frames = np.stack([seen.tangent, seen.bitangent, seen.normal], axis=1)
    np.testing.assert_allclose(frames @ frames.swapaxes(1, 2), np.broadcast_to(np.eye(3),
                               frames.shape), atol=1e-9)  # fmt: skip


@pytest.fixture
def asset(tmp_path, monkeypatch, device):
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
    return neuralshade.fit_material(paint_reference(), tmp_path / "x.nsh", size=8, steps=3,
                                    batch=64, hidden_width=16).asset  # fmt: skip


def test_an_asset_beside_its_material(asset):
    opened = neuralshade.load(asset)
    with opened:
        scene = opened.scene(paint_reference())
        itself = material_scene("paint", lambda: at_centers(paint), None, changes=False)
        np.testing.assert_allclose(scene.draw("given:sphere", USUAL), itself.draw("sphere", USUAL),
                                   atol=2e-3)  # fmt: skip  # float32 on a device
        assert list(opened.scene().titles) == ["sphere", "plane"]
    other = dataclasses.replace(paint_reference(), name="mud")
    with pytest.raises(AssetError, match=r"got mud, need paint\. Give the document"):
        opened.scene(other)
    assert opened.same_reference(paint_reference()) is not None
    changed = dataclasses.replace(paint_reference(), text=paint_reference().text + "\n")
    assert opened.same_reference(changed) is None and opened.same_reference("a.png") is None


def test_a_fit_is_watched(device, tmp_path, monkeypatch):
    """A page gets both panes of a running fit, and a light and a turn that are asked for."""
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
    drawn = {}

    class Watching:
        rate_scale, most_steps, ended = 1.0, 5, False

        def begin(self, job):
            self.scene = job.scene()
            return self

        def attend(self, progress, interrupted):
            view = dataclasses.replace(USUAL, light=(10.0, 40.0), turn=(5.0, 5.0))
            drawn.setdefault(threading.get_ident(), []).append(
                [self.scene.draw(pane, view) for pane in ("sphere", "given:sphere")]
            )
            self.ended = progress.step >= 30
            return 0.0

        def finishing(self, what):
            pass

        def settle(self, progress):
            pass

    options = neuralshade.FitOptions(live=Watching())
    neuralshade.fit_material(paint_reference(), tmp_path / "x.nsh", size=8, steps=40, batch=256,
                             hidden_width=16, options=options)  # fmt: skip
    (pairs,) = drawn.values()
    errors = [np.abs(network - material).mean() for network, material in pairs]
    assert len(pairs) > 4 and errors[-1] < errors[0]
    np.testing.assert_array_equal(pairs[0][1], pairs[-1][1])


@pytest.mark.slow
def test_inputs_of_a_running_fit(device, tmp_path, monkeypatch):
    """Network and material go along, and the fit does not end otherwise for it."""
    monkeypatch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
    drawn, told = [], []

    class Watching:
        rate_scale, most_steps, ended = 1.0, 5, False

        def begin(self, job):
            self.scene = job.scene()
            told.append([(one.name, one.value) for one in self.scene.inputs])
            return self

        def attend(self, progress, interrupted):
            views = [dataclasses.replace(USUAL, inputs=(wetness,)) for wetness in (0.0, 2.0)]
            drawn.append([[self.scene.draw(pane, view) for view in views]
                          for pane in ("sphere", "given:sphere")])  # fmt: skip
            return 0.0

        def finishing(self, what):
            pass

        def settle(self, progress):
            pass

    neuralshade.fit_material(wet_file(tmp_path), tmp_path / "x.nsh", size=8, steps=150, batch=256,
                             hidden_width=16, vary="wetness=0..2", mips=0.0, sampler=0.0,
                             options=neuralshade.FitOptions(live=Watching()))  # fmt: skip
    assert told == [[("wetness", 0.25)]]
    (network, material) = drawn[-1]
    for dry, wet in (network, material):  # more red, less green
        assert wet[..., 0].sum() > 1.2 * dry[..., 0].sum()
        assert wet[..., 1].sum() < 0.9 * dry[..., 1].sum()


def test_pixels_that_cover_more_are_read_from_coarser_levels():
    """What says f * cos is asked over a pixel's footprint, which doubles as pixels do."""
    seen = []

    def paper(uv, wi, wo, footprint):
        seen.append(np.median(footprint))
        return np.ones((len(uv), 3), np.float32)

    scene = material_scene("paper", lambda: paper, None, changes=False)
    for pane in ("sphere", "plane"):
        seen.clear()
        for side in (64, 32):
            scene.draw(pane, View(0, 0, width=side, height=side))
        assert seen[3] / seen[1] == pytest.approx(2, rel=0.1)  # of the light at the eye
    assert seen[0] == pytest.approx(1 / 64)
