"""scene/orbit: a camera and a light that go around what the camera looks at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.orbit import light_angles, orbit_camera, orbit_light

CAMERA = Camera((0.6, 2.3, 6.2), (0.1, 0.85, 0.0), 34.0)
LIGHTS = {
    "directional": LightEntry("directional", (1, 1, 1), direction=(3, 4, 1)),
    "point": LightEntry("point", (1, 1, 1), position=(2, 3, -1)),
    "rectangle": LightEntry("rectangle", (1, 1, 1), position=(-4, 2, 3.5), across=(0, 2.4, 0),
                            up=(1.6, 0, 1.8)),
}  # fmt: skip
azimuths, elevations = st.floats(-180, 180), st.floats(2, 88)


def away(place, middle=CAMERA.look_at):
    return np.subtract(place, middle)


def middle_of(light):
    return np.asarray(light.position) + 0.5 * np.add(light.across, light.up)


@given(azimuths, st.floats(-200, 200))
def test_a_camera_stays_as_far_away_and_looks_at_the_same(around, over):
    found = orbit_camera(CAMERA, around, over)
    assert (found.look_at, found.fov) == (CAMERA.look_at, CAMERA.fov)
    assert np.linalg.norm(away(found.position)) == pytest.approx(
        np.linalg.norm(away(CAMERA.position))
    )
    assert np.isfinite(found.position).all()
    assert np.hypot(*away(found.position)[[0, 2]]) > 1e-2  # not straight above: up is somewhere


def test_a_drag_to_the_right_shows_what_was_on_the_left():
    eye = Camera((0, 1, 5), (0, 1, 0))
    np.testing.assert_allclose(orbit_camera(eye, 90, 0).position, (-5, 1, 0), atol=1e-9)
    np.testing.assert_allclose(orbit_camera(eye, 0, 60).position[1], 1 + 5 * np.sin(np.pi / 3))
    np.testing.assert_allclose(orbit_camera(CAMERA, 0, 0).position, CAMERA.position)


@given(st.sampled_from(sorted(LIGHTS)), azimuths, elevations)
def test_a_light_stands_where_it_was_sent(name, azimuth, elevation):
    light = orbit_light(CAMERA, LIGHTS[name], azimuth, elevation)
    found = light_angles(CAMERA, light)
    assert found[1] == pytest.approx(elevation, abs=1e-6)
    assert abs((found[0] - azimuth + 180) % 360 - 180) < 1e-6


@given(azimuths, elevations)
def test_a_rectangle_goes_on_facing_what_the_camera_looks_at(azimuth, elevation):
    before = LIGHTS["rectangle"]
    after = orbit_light(CAMERA, before, azimuth, elevation)
    areas = [np.linalg.norm(np.cross(one.across, one.up)) for one in (before, after)]
    assert areas[0] == pytest.approx(areas[1])
    ways = [(np.cross(one.across, one.up), away(middle_of(one))) for one in (before, after)]
    cosines = [n @ way / np.linalg.norm(n) / np.linalg.norm(way) for n, way in ways]
    assert cosines[0] == pytest.approx(cosines[1]) and cosines[0] < 0  # towards it
    assert np.linalg.norm(ways[0][1]) == pytest.approx(np.linalg.norm(ways[1][1]))


def test_angles_are_as_the_camera_sees_them():
    eye = Camera((0, 0, 5), (0, 0, 0))
    places = {(0, 0, -2): (0, 0), (2, 0, 0): (90, 0), (-1, 1, 0): (-90, 45), (0, 0, 3): (-180, 0)}
    for place, angles in places.items():
        light = LightEntry("point", (1, 1, 1), position=place)
        np.testing.assert_allclose(light_angles(eye, light), angles, atol=1e-9)
