"""mipmaps/plane_scene: parts of the plane are drawn for themselves, and are those of the whole."""

from dataclasses import replace

import numpy as np
import pytest

from neuralshade.fitting.scene import RESULT, View
from neuralshade.kinds.mipmaps.plane_scene import REFERENCE, plane_scene
from neuralshade.live.progressive_drawing import ProgressiveDrawing
from neuralshade.measure.plane.mip_filters import FILTERS, Maps, box_chain
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.model.microfacet import shade

PANES = (RESULT, "toksvig", REFERENCE)
WIDTH, HEIGHT = 48, 27


@pytest.fixture
def base(noise, monkeypatch):
    small = PlaneView(width=WIDTH, height=HEIGHT)
    monkeypatch.setattr(PlaneView, "showing", classmethod(lambda cls, base: small))
    normal = np.zeros((12, 20, 3), np.float32)
    normal[..., 2] = 1
    albedo, roughness = noise.random((12, 20, 3)), noise.uniform(0.2, 0.7, (12, 20))
    return Maps(albedo.astype(np.float32), normal, roughness.astype(np.float32),
                np.zeros((12, 20), np.float32))  # fmt: skip


@pytest.fixture
def scene(base):
    chains = {name: make(base, 3) for name, make in FILTERS.items()}
    return plane_scene("noise", base, {RESULT: chains["box"], **chains}, "Kept levels")


@pytest.mark.parametrize("pane", PANES)
def test_bands_are_the_rows_of_the_whole(scene, pane):
    view = View(0, 0, width=WIDTH, height=HEIGHT, light=(20.0, 40.0))
    sweep = ProgressiveDrawing(view)
    sweep.begun((pane,), 3)
    rows = []
    while band := sweep.next(scene, [pane], lambda pane: 1):
        rows.append(scene.draw(pane, band.view(scene)))
        sweep.drawn(band, rows[-1])
    np.testing.assert_allclose(np.concatenate(rows), scene.draw(pane, view), rtol=1e-5)


@pytest.mark.parametrize("pane", PANES)
def test_a_band_costs_its_rows_alone(scene, pane, monkeypatch):
    shaded = []

    def counting(surface, *directions):
        shaded.append(len(surface.normal))
        return shade(surface, *directions)

    monkeypatch.setattr("neuralshade.measure.plane.lit_plane.shade", counting)
    scene.draw(pane, View(0, 0, (0.25, 0.5, 1.0, 0.7), width=36, height=5))
    assert sum(shaded) == 36 * 5


def test_a_draft_is_the_reference_with_noise_of_a_ninth_of_the_samples(scene, monkeypatch):
    shaded = []

    def counting(surface, *directions):
        shaded.append(surface.normal[..., 0].numel())
        return shade(surface, *directions)

    monkeypatch.setattr("neuralshade.measure.plane.lit_plane.shade", counting)
    view = View(0, 0, width=WIDTH, height=HEIGHT)
    draft = scene.draw(REFERENCE, replace(view, draft=True))
    of_draft = sum(shaded)
    whole = scene.draw(REFERENCE, view)
    assert scene.drafts == {REFERENCE: pytest.approx((sum(shaded) - of_draft) / of_draft, rel=0.1)}
    assert (draft != whole).any()
    assert draft.mean() == pytest.approx(whole.mean(), rel=0.02)  # 1,296 pixels


def test_trained_levels_are_shown_as_they_are_now(base):
    chains = {name: make(base, 3) for name, make in FILTERS.items()}
    now = chains["box"]
    scene = plane_scene("noise", base, {RESULT: now, **chains}, "Trained levels", lambda: now)
    view = View(0, 0, width=WIDTH, height=HEIGHT)
    box = scene.draw("box", view)
    np.testing.assert_array_equal(scene.draw(RESULT, view), box)
    white = Maps(np.ones_like(base.albedo), base.normal, base.roughness, base.metallic)
    now = box_chain(white, 3)
    assert (scene.draw(RESULT, view) > box + 0.1).mean() > 0.5
    np.testing.assert_array_equal(scene.draw("box", view), box)
    assert scene.changes == (RESULT,)
