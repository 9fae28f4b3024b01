"""scene: how much of a material's texture a path's pixel covers."""

import numpy as np
import pytest
from fixtures.scenes import DARK

from neuralshade.scene import path
from neuralshade.scene.bound_scene import SceneContents
from neuralshade.scene.entries import Camera, LightEntry
from neuralshade.scene.plain_surface import plain_scattering
from neuralshade.scene.shapes import quad, sphere

# As bright as what a pixel covers of it is long, in texture coordinates.
SHOWN = """
public struct Shown : IScattering
{
    float footprint;
    public static const int DRAWN = 1;
    public static This at(StructuredBuffer<float> numbers, StructuredBuffer<uint> words,
                   uint first_number, uint first_word, float2 uv, float footprint)
    {
        This found;
        found.footprint = footprint;
        return found;
    }
    public float3 eval(float3 wi, float3 wo) { return float3(footprint); }
    public Mixture<DRAWN> mixture(float3 wo)
    {
        Mixture<DRAWN> found = {};
        found.weights[0] = 1.0f;
        return found;
    }
}
"""
LIGHT = LightEntry("directional", (1, 1, 1), direction=(0, 1, 0))


@pytest.fixture
def shown(seen, monkeypatch):
    """Return what gives the mean footprint [h, w] that one mesh is seen with."""
    text = path.program_text([("neuralshade.scene.plain_surface", "PlainSurface")])
    before, after = text.split("\nvoid scatter(")
    text = f"{before}{SHOWN}\nvoid scatter({after.replace('<PlainSurface>', '<Shown>')}"
    monkeypatch.setattr(path, "program_text", lambda types, given: text)
    white = plain_scattering((1, 1, 1), (0, 0, 0), 1)

    def look(mesh, tile, camera, size=(4, 4)):
        contents = SceneContents([(mesh, 0, tile)], [white], DARK, (LIGHT,))
        return seen(contents, camera, size, samples=8).mean((0, 3))

    return look


@pytest.mark.parametrize("tile, fov, far", [(1.0, 2.0, 12.0), (8.0, 2.0, 3.0), (8.0, 9.0, 12.0)])
def test_it_follows_distance_angle_and_tiles(shown, tile, fov, far):
    """Of a square of two meters that is seen from above: pixels' sides, but for their angles."""
    found = shown(quad(), tile, Camera((0, far, 0), (0, 0, 0), fov))
    pixel = 2 * far * np.tan(np.radians(fov / 2)) / 4
    np.testing.assert_allclose(found, pixel * tile / 2, rtol=0.01)


def test_it_is_the_longer_side_at_a_slant(shown):
    """A plane seen at 60 degrees: twice as much of it."""
    far, slant = 10.0, np.radians(60)
    camera = Camera((0, far * np.cos(slant), far * np.sin(slant)), (0, 0, 0), 1.0)
    pixel = 2 * far * np.tan(np.radians(0.5)) / 4
    np.testing.assert_allclose(shown(quad(), 1.0, camera), pixel / 2 * 2, rtol=0.03)


@pytest.mark.slow
def test_a_sphere_from_nearby_and_from_afar(shown):
    """Four times as far, as much more of it in a pixel; in its middle what its tiles have there."""
    near, far = (shown(sphere(), 1.0, Camera((0, 2 + d, 2 + d), (0, 0, 0), 1.0)).mean()
                 for d in (0, 6))  # fmt: skip
    distances = [(2 + d) * 2**0.5 - 1 for d in (0, 6)]
    assert far / near == pytest.approx(distances[1] / distances[0], rel=0.02)
    around = np.cos(np.radians(45))  # of the circle of latitude that is looked at
    per_area = 2 / (2 * np.pi * np.pi * around)  # u goes from 0 to 2
    pixel = 2 * distances[0] * np.tan(np.radians(0.5)) / 4
    assert near == pytest.approx(pixel * per_area**0.5, rel=0.05)
