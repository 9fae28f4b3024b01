"""scene/waves: points sorted by material, and the same picture as of whole paths."""

import numpy as np
import pytest
from fixtures.drawn_materials import drawn_scattering
from fixtures.scenes import constant

from neuralshade.scene.document import Camera, LightEntry
from neuralshade.scene.path import PathTracer
from neuralshade.scene.stage import Stage
from neuralshade.scene.plain import plain_scattering
from neuralshade.scene.shapes import box, quad, sphere

SIZES = {"hidden_width": 16, "hidden_layers": 1}
CAMERA = Camera((0.5, 2.0, 4.0), (0, 0.4, 0), 50)
LIGHTS = (LightEntry("rectangle", (6, 5, 4), position=(-1, 3, -1), across=(2, 0, 0), up=(0, 0, 2)),
          LightEntry("point", (3, 3, 9), position=(2, 2, 2)))


def mixed_stage():
    materials = [drawn_scattering(1, side=16, levels=5, **SIZES),
                 drawn_scattering(2, side=8, levels=4, **SIZES),
                 drawn_scattering(3, side=8, hidden_width=8, hidden_layers=1),
                 plain_scattering((0.6, 0.5, 0.4), (0.04, 0.04, 0.04), 0.4)]
    meshes = [(quad().moved(3, (0, 0, 0), (0, 0, 0)), 3, 1.0),
              (sphere().moved(0.5, (0, 0, 0), (-1.2, 0.5, 0)), 0, 4.0),
              (box().moved(0.4, (0, 30, 0), (0, 0.5, 0)), 1, 1.0),
              (sphere().moved(0.5, (0, 0, 0), (1.2, 0.5, 0)), 2, 1.0)]
    return Stage(meshes, materials, constant(0.4), LIGHTS)


def pictures(gpu, stage, size=(20, 13), bounces=3, samples=2):
    found = []
    for decoding in ("none", "any"):
        tracer = PathTracer(gpu, stage, CAMERA, size, bounces=bounces, seed=3, decoding=decoding)
        assert tracer.in_waves == (decoding == "any")
        for _ in range(samples):
            tracer.trace()
        found.append(tracer.radiance())
    return found


def test_pictures(gpu):
    import time
    t=time.time()
    whole, waves = pictures(gpu, mixed_stage())
    print(time.time()-t, whole.mean(), waves.mean(), np.abs(whole-waves).max(), np.abs(whole-waves).mean())
    np.testing.assert_allclose(waves, whole, rtol=1e-3, atol=1e-4)
