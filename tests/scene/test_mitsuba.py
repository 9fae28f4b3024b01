"""scene/path beside Mitsuba 3, where that is installed (pip install mitsuba): one scene, one mean.

Two renderers of which neither knows the other: shadows, light of several bounces, a rectangle that
shines, a sky, matt surfaces and a mirror of GGX facets.
Source: Jakob et al. 2022, Mitsuba 3 renderer, mitsuba-renderer.org.
"""

import numpy as np
import pytest
from fixtures.scenes import constant

from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.plain_surface import plain_scattering
from neuralshade.scene.shapes import box, quad, sphere

mi = pytest.importorskip("mitsuba")

WIDTH, HEIGHT, SAMPLES, BOUNCES = 48, 32, 192, 3
SKY, RADIANCE, ROUGHNESS = 0.2, (6.0, 5.0, 4.0), 0.6
ALBEDOS = {"floor": (0.5, 0.5, 0.5), "clay": (0.7, 0.3, 0.2)}
EYE, AIM, FOV = (0.3, 2.0, 5.0), (0.0, 0.6, 0.0), 40.0
CORNER, ACROSS, UP = (-1.0, 3.0, -1.0), (2.0, 0.0, 0.0), (0.0, 0.0, 2.0)
BLOCK = 8  # pixels along a side of what is compared: noise falls, what is misplaced does not


def ours(seen):
    """Return [samples, height, width, 3]: a floor, a matt sphere and a box with a gloss of GGX."""
    meshes = [
        (quad().moved(4, (0, 0, 0), (0, 0, 0)), 0, 1.0),
        (sphere().moved(0.8, (0, 0, 0), (-1.0, 0.8, 0)), 1, 1.0),
        (box().moved(0.6, (0, 30, 0), (1.0, 0.6, 0.3)), 2, 1.0),
    ]
    matt = [plain_scattering(albedo, (0, 0, 0), 0.5) for albedo in ALBEDOS.values()]
    gloss = plain_scattering((0, 0, 0), (1, 1, 1), ROUGHNESS)  # Schlick's Fresnel is 1 then
    light = LightEntry("rectangle", RADIANCE, position=CORNER, across=ACROSS, up=UP)
    contents = SceneContents(meshes, [*matt, gloss], constant(SKY), [light])
    return seen(contents, Camera(EYE, AIM, FOV), (WIDTH, HEIGHT), SAMPLES, BOUNCES)


def theirs():
    """Return the same by Mitsuba: [height, width, 3]."""
    mi.set_variant("scalar_rgb")
    to = mi.ScalarTransform4f()
    matt = {name: {"type": "diffuse", "reflectance": {"type": "rgb", "value": list(albedo)}}
            for name, albedo in ALBEDOS.items()}  # fmt: skip
    gloss = {"type": "roughconductor", "material": "none", "distribution": "ggx",
             "alpha": ROUGHNESS**2}  # fmt: skip
    down = to.translate([0, 3, 0]).rotate([1, 0, 0], 90)
    scene = mi.load_dict({
        "type": "scene",
        "integrator": {"type": "path", "max_depth": BOUNCES + 1, "rr_depth": 100},
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": SKY}},
        "sensor": {
            "type": "perspective", "fov": FOV, "fov_axis": "y",
            "to_world": to.look_at(origin=list(EYE), target=list(AIM), up=[0, 1, 0]),
            "film": {"type": "hdrfilm", "width": WIDTH, "height": HEIGHT, "pixel_format": "rgb",
                     "rfilter": {"type": "box"}},
            "sampler": {"type": "independent", "sample_count": 4 * SAMPLES},
        },
        "floor": {"type": "rectangle", "to_world": to.rotate([1, 0, 0], -90).scale(4),
                  "bsdf": matt["floor"]},
        "ball": {"type": "sphere", "center": [-1.0, 0.8, 0], "radius": 0.8, "bsdf": matt["clay"]},
        "block": {"type": "cube", "bsdf": {"type": "twosided", "bsdf": gloss},
                  "to_world": to.translate([1.0, 0.6, 0.3]).rotate([0, 1, 0], 30).scale(0.6)},
        "lamp": {"type": "rectangle", "to_world": down, "emitter": {
            "type": "area", "radiance": {"type": "rgb", "value": list(RADIANCE)}}},
    })  # fmt: skip
    return np.array(mi.render(scene, seed=1))


def blocks(picture):
    """Return means of BLOCK x BLOCK pixels of [..., height, width, 3]."""
    *before, height, width, channels = picture.shape
    shape = (*before, height // BLOCK, BLOCK, width // BLOCK, BLOCK, channels)
    return picture.reshape(shape).mean((-4, -2))


@pytest.mark.slow  # 1.5 million paths in all
def test_a_picture_is_mitsubas(seen):
    paths, wanted = blocks(ours(seen)), blocks(theirs())
    found, error = paths.mean(0), paths.std(0) / len(paths) ** 0.5
    assert abs(found.mean() / wanted.mean() - 1) < 0.005
    # Mitsuba's noise is half of ours; a sphere of triangles is a little smaller than a true one
    assert (np.abs(found - wanted) < 5 * error + 0.01 * wanted).all()
    assert wanted.std() > 0.05
