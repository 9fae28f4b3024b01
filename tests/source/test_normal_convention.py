"""source/normal_convention: which way green points, told from the map, or not at all."""

import numpy as np
import pytest

from neuralshade.source.image_file import load_picture
from neuralshade.source.normal_convention import detect_convention
from neuralshade.source.normal_map import decode_normals

# The margins of the files as they are, OpenGL all of them; None: too small to tell.
REAL = {
    "ambientcg_Bark014/normal.jpg": 0.620,
    "ambientcg_Bricks102/Bricks102_1K-JPG_NormalGL.jpg": 0.721,
    "ambientcg_Facade005/normal.jpg": 0.584,
    "ambientcg_Metal053C/normal.jpg": 0.474,
    "polyhaven_tea_set_01/tea_set_01_nor_gl_1k.jpg": 0.254,
    "polyhaven_wooden_bookshelf_worn/wooden_bookshelf_worn_nor_gl_1k.jpg": None,
}


def other_way(normal):
    return normal * np.array([1, -1, 1], np.float32)


@pytest.mark.parametrize("size", [(64, 64), (65, 99), (200, 48), (256, 256)])
@pytest.mark.parametrize("steepness", [0.02, 0.3, 3.0])
def test_surfaces_are_told_both_ways(rng, textures, size, steepness):
    """Eight bits, down to slopes of five of their steps."""
    values = textures.stored(textures.height_field(rng, *size, steepness))
    for pixels, convention in ((values, "opengl"), (textures.flipped(values), "directx")):
        found = detect_convention(pixels.astype(np.float32) / 127.5 - 1)
        assert found.convention == convention
        assert abs(found.margin) > 0.5 and abs(found.evidence) > 9


def test_the_other_way_is_the_same_margin_with_the_other_sign(rng, textures):
    normal = textures.height_field(rng, 64, 64).astype(np.float32)
    up, down = detect_convention(normal), detect_convention(other_way(normal))
    np.testing.assert_allclose([down.margin, down.evidence], [-up.margin, -up.evidence], rtol=1e-6)


def test_exact_slopes_have_margin_one():
    """h = sin x sin y: dp/dy and dq/dx are equal, but for the corner differences' own error."""
    place = np.arange(64) * (2 * np.pi / 64)
    p, q = np.outer(np.sin(place), np.cos(place)), -np.outer(np.cos(place), np.sin(place))
    normal = np.stack([-p, -q, np.ones_like(p)], axis=-1)
    found = detect_convention((normal / np.linalg.norm(normal, axis=-1)[..., None]).astype("f4"))
    assert found.convention == "opengl" and found.margin > 0.999


def test_faint_slopes_show_at_coarser_scales(rng, textures):
    """Slopes of one 8-bit step, whose rounding weighs less in means; full size alone gives 0.3."""
    values = textures.stored(textures.height_field(rng, 256, 256, 0.006))
    found = detect_convention(values.astype(np.float32) / 127.5 - 1)
    assert found.convention == "opengl" and found.margin > 0.5


def mixed(slopes, other, share):
    normal = slopes * share + other
    normal[..., 2] = 1
    return (normal / np.linalg.norm(normal, axis=-1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("size", [16, 64, 256])
def test_slopes_that_are_no_surface_are_not_told(rng, size):
    for _ in range(20):
        noise = rng.standard_normal((size, size, 3)) * 0.2
        assert detect_convention(mixed(noise, 0, 1)).convention is None


def test_a_large_margin_by_chance_is_not_told(rng, textures):
    """Smooth slopes of two surfaces on few texels: one bump alone can lean either way."""
    margins = []
    for _ in range(40):
        normal = textures.height_field(rng, 16, 16)
        normal[..., 1] = textures.height_field(rng, 16, 16)[..., 1]
        found = detect_convention(mixed(normal, 0, 1))
        margins.append(abs(found.margin))
        assert found.convention is None
    assert max(margins) > 0.15


def test_a_certain_but_small_margin_is_not_told(rng, textures):
    noise = rng.standard_normal((512, 512, 3)) * 0.2
    found = detect_convention(mixed(textures.height_field(rng, 512, 512, 0.2), noise, 0.25))
    assert found.evidence > 5 and found.margin < 0.1 and found.convention is None


@pytest.mark.parametrize("size", [(1, 1), (1, 300), (7, 64), (64, 64)])
def test_flat_or_too_small_maps_are_not_told(size):
    found = detect_convention(np.broadcast_to(np.float32([0, 0, 1]), (*size, 3)))
    assert (found.convention, found.margin, found.evidence) == (None, 0, 0)


def test_small_maps_with_slopes(rng, textures):
    assert detect_convention(textures.height_field(rng, 7, 99).astype("f4")).margin == 0
    found = detect_convention(textures.height_field(rng, 8, 8).astype("f4"))
    assert 0.3 < found.margin <= 1


@pytest.mark.parametrize("name", REAL)
def test_real_maps_as_they_are_and_flipped(textures, name):
    path = textures.data / name
    if not path.exists():
        pytest.skip("needs the texture sets in ../shared/data or NEURALSHADE_DATA")
    picture = load_picture(path)
    normal, _ = decode_normals(path, picture, picture.as_float())
    margin = REAL[name]
    for values, sign in ((normal, 1), (other_way(normal), -1)):
        found = detect_convention(values)
        if margin is None:
            assert found.convention is None and abs(found.margin) < 0.02
        else:
            assert found.convention == ("opengl" if sign > 0 else "directx")
            assert found.margin == pytest.approx(sign * margin, abs=0.01)  # decoders differ a bit
            assert abs(found.evidence) > 9
