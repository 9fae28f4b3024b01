"""lit_plane, plane_view, texel_levels: geometry, look-ups, and what they must agree in."""

import dataclasses
import math

import numpy as np
import pytest
import torch

from neuralshade.errors import ConfigError
from neuralshade.measure.plane.lit_plane import (
    draw_planes,
    plane_filtered,
    plane_picture,
    plane_reference,
)
from neuralshade.measure.plane.mip_filters import FILTERS, Maps, box_chain, unit
from neuralshade.measure.plane.plane_view import PlaneView, Window
from neuralshade.measure.plane.texel_levels import RANDOM, TexelLevels
from neuralshade.model.microfacet import Surface, shade

SMALL = PlaneView(width=48, height=32, tiles=3.0)


def even(height, width, albedo=0.5, roughness=0.4):
    normal = np.zeros((height, width, 3), np.float32)
    normal[..., 2] = 1
    return Maps(
        np.full((height, width, 3), albedo, np.float32),
        normal,
        np.full((height, width), roughness, np.float32),
        np.zeros((height, width), np.float32),
    )


def bumpy(noise, height, width):
    slope = noise.normal(0, 0.3, (height, width, 2))
    normal = unit(np.concatenate([slope, np.ones((height, width, 1))], axis=2).astype(np.float32))
    return Maps(
        noise.random((height, width, 3)).astype(np.float32),
        normal,
        noise.uniform(0.2, 0.7, (height, width)).astype(np.float32),
        (noise.random((height, width)) > 0.5).astype(np.float32),
    )


def ray(view, row, col):
    """Return the direction through a place of the picture, by a camera of its own."""
    pitch, half = math.radians(view.pitch_deg), math.radians(view.field_deg) / 2
    forward = np.array([0, math.cos(pitch), -math.sin(pitch)])
    up = np.array([0, math.sin(pitch), math.cos(pitch)])
    size = math.tan(half) / (view.height / 2)
    right = np.array([1.0, 0, 0])
    return forward + (col - view.width / 2) * size * right + (view.height / 2 - row) * size * up


@pytest.mark.parametrize("window", [
    Window(range(32), range(48)), Window(range(3, 4), range(48)), Window(range(2), range(5, 9)),
    Window(range(1, 30), range(17, 48)),
])  # fmt: skip
def test_a_window_has_the_pixels_of_the_whole(noise, window):
    base = bumpy(noise, 12, 20)
    chain = [base, *box_chain(base, 3)]
    cut = slice(window.rows.start, window.rows.stop), slice(window.cols.start, window.cols.stop)
    for draw, drawn in ((plane_picture, chain), (plane_reference, base)):
        part = draw(drawn, SMALL, window=window)
        # the sums of a row are vectorized from its first pixel on
        np.testing.assert_allclose(part, draw(drawn, SMALL)[cut], rtol=1e-5)


@pytest.mark.parametrize("view", [SMALL, PlaneView(33, 57, 0.7, 10, 80)])
def test_places_are_where_rays_meet_the_plane(view):
    for row, col in ((view.horizon + 0.5, 3.0), (view.height, 0.0), (view.height - 2.5, 30.0)):
        direction = ray(view, row, col)
        meets = direction * view.camera_height / -direction[2]
        np.testing.assert_allclose(view.points(row, col), meets[:2], rtol=1e-9)
    left, right = (view.points(view.height, col)[0] for col in (0, view.width))
    assert right - left == pytest.approx(view.tiles)
    assert ray(view, view.horizon, 0)[2] <= 1e-12
    assert view.horizon == 0 or ray(view, view.horizon - 1, 0)[2] > 0


@pytest.mark.parametrize("below", [0.5, 12.0, 40.0, 60.0])
def test_the_first_row_of_a_slope(below):
    row = SMALL.first_row(below)
    seen = [ray(SMALL, at + 0.5, 24) for at in range(SMALL.horizon, SMALL.height)]
    slopes = [math.degrees(math.atan2(-down, forward)) for _, forward, down in seen]
    expected = [SMALL.horizon + at for at, slope in enumerate(slopes) if slope >= below]
    assert row == (expected[0] if expected else SMALL.height)


def test_steps_are_differences_of_places():
    col = np.array([0.5, 20.5, 47.5])
    row, little = 20, 1e-5
    right, down = SMALL.steps(row, col)
    x, y = (np.stack(SMALL.points(row + 0.5 + d, col)) for d in (-little, little))
    np.testing.assert_allclose(down, ((y - x) / (2 * little)).T, rtol=1e-6)
    moved = SMALL.points(row + 0.5, col + 1)[0] - SMALL.points(row + 0.5, col)[0]
    np.testing.assert_allclose(moved, right, rtol=1e-9)


def test_the_highlight_is_where_a_mirror_has_the_light():
    view = dataclasses.replace(SMALL, width=160, height=120, azimuth_deg=12.0, sky=0.0)
    picture = plane_picture([even(4, 4, albedo=0.0, roughness=0.2)], view)
    row, col = np.unravel_index(picture[..., 0].argmax(), picture.shape[:2])
    seen = ray(view, row + 0.5, col + 0.5)
    below = math.degrees(math.atan2(-seen[2], math.hypot(seen[0], seen[1])))
    # a lobe of finite width peaks a little towards the horizon, where Fresnel's term is larger
    assert view.elevation_deg - 2 < below < view.elevation_deg + 0.5
    assert math.degrees(math.atan2(seen[0], seen[1])) == pytest.approx(12, abs=0.6)


def test_a_plane_of_one_kind_is_the_same_by_every_way():
    base = even(8, 4)
    chain = [base, *box_chain(base, 3)]
    pictures = [
        plane_picture(chain, SMALL),
        plane_picture(chain, SMALL, taps=8),
        plane_filtered(chain, SMALL, samples=4),
        plane_reference(base, SMALL, samples=36),
    ]
    row, col = 25, 7
    eye = torch.from_numpy(-ray(SMALL, row + 0.5, col + 0.5) / np.linalg.norm(
        ray(SMALL, row + 0.5, col + 0.5))).float()  # fmt: skip
    surface = Surface(torch.full((3,), 0.5), torch.tensor([0.0, 0, 1]), torch.tensor(0.4),
                      torch.tensor(0.0))  # fmt: skip
    expected = math.pi * shade(surface, SMALL.to_light(), eye) + SMALL.sky * 0.5
    for picture in pictures:
        np.testing.assert_allclose(picture[row, col], expected, rtol=1e-4)  # float32
        np.testing.assert_allclose(picture, pictures[0], rtol=1e-4)
        assert np.all(picture[: SMALL.horizon] == np.float32(SMALL.sky))


def test_bilinear_look_ups_wrap_around(noise):
    base = bumpy(noise, 3, 5)  # tiles are 1 wide and 3/5 high
    levels = TexelLevels.of([base])
    zero = np.zeros(1, np.int64)

    def at(x, y):
        return levels.bilinear(np.array([x]), np.array([y]), zero)[0, :3].numpy()

    row, col = 0, 3
    middle = (col + 0.5) / 5, -(row + 0.5) / 5  # rows go down, y goes up
    np.testing.assert_allclose(at(*middle), base.albedo[row, col], atol=1e-6)
    np.testing.assert_allclose(
        at(middle[0] - 7, middle[1] + 6 / 5), base.albedo[row, col], atol=1e-6
    )
    seam = (base.albedo[row, 4] + base.albedo[row, 0]) / 2
    np.testing.assert_allclose(at(0.0, middle[1]), seam, atol=1e-6)
    corner = base.albedo[[0, 0, 2, 2], [0, 4, 0, 4]].mean(axis=0)
    np.testing.assert_allclose(at(1.0, 0.0), corner, atol=1e-6)
    quarter = 0.25 * base.albedo[row, col] + 0.75 * base.albedo[row, 4]
    np.testing.assert_allclose(at((col + 1.25) / 5, middle[1]), quarter, atol=1e-6)


def test_texels_lie_beside_each_other_whatever_order_maps_have(noise):
    """Of any other order NumPy copies all texels for each look-up."""
    base = bumpy(noise, 4, 6)
    turned = Maps(**{name: np.asfortranarray(values) for name, values in base.arrays().items()})
    for chain in ([base, *box_chain(base, 1)], [turned, *box_chain(turned, 1)]):
        levels = TexelLevels.of(chain)
        assert levels.texels.flags.c_contiguous and levels.texels.shape == (24 + 6, 8)
        found = levels.take(np.zeros(1, np.int64), np.array([2]), np.array([5]))[0].numpy()
        expected = [*base.albedo[2, 5], *base.normal[2, 5], base.roughness[2, 5],
                    base.metallic[2, 5]]  # fmt: skip
        np.testing.assert_array_equal(found, expected)


def test_look_ups_are_laid_out_number_by_number(noise):
    levels = TexelLevels.of([bumpy(noise, 4, 6)])
    found = levels.nearest(noise.random((5, 7)), noise.random((5, 7)))
    assert found.shape == (5, 7, 8) and found.movedim(-1, 0).is_contiguous()


def test_between_levels_both_are_mixed(noise):
    base = bumpy(noise, 4, 8)
    levels = TexelLevels.of([base, *box_chain(base, 2)])
    x, y = noise.random(50), noise.random(50)
    one, two = (levels.bilinear(x, y, np.full(50, level)) for level in (1, 2))
    mixed = levels.trilinear(x, y, np.full(50, 1.25))
    np.testing.assert_allclose(mixed, 0.75 * one + 0.25 * two, atol=1e-6)
    np.testing.assert_allclose(levels.trilinear(x, y, np.full(50, 2.0)), two, atol=1e-6)


@pytest.mark.parametrize("height, width", [(8, 16), (6, 5), (1, 1)])
def test_drawn_texels_have_the_filters_mean(height, width, noise):
    base = bumpy(noise, height, width)
    levels = TexelLevels.of([base, *box_chain(base, 2)])
    x, y, level = noise.random(40), noise.random(40), noise.uniform(0, 2, 40)
    many = 20_000
    u = noise.random((RANDOM, 40, many))
    drawn = levels.drawn(x[:, None], y[:, None], level[:, None], u)[..., :3]
    looked_up = levels.trilinear(x, y, level)[..., :3]
    # five standard errors of a mean of numbers in [0, 1]
    np.testing.assert_allclose(drawn.mean(1), looked_up, atol=5 * 0.5 / math.sqrt(many))


def test_what_is_linear_in_the_maps_is_filtered_alike(noise):
    base = dataclasses.replace(
        even(32, 32, roughness=1.0), albedo=noise.random((32, 32, 3)).astype(np.float32)
    )
    chain = [base, *box_chain(base, 5)]
    for taps in (1, 4):
        looked_up = plane_picture(chain, SMALL, taps)
        filtered = plane_filtered(chain, SMALL, taps, samples=512)
        assert np.abs(looked_up - filtered).max() < 0.06  # noise of 512 samples
        assert np.abs((looked_up - filtered).mean()) < 5e-4


def test_taps_come_closer_to_what_pixels_cover(noise):
    base = dataclasses.replace(
        even(64, 64, roughness=1.0), albedo=noise.random((64, 64, 3)).astype(np.float32)
    )
    chain = [base, *box_chain(base, 6)]
    view = dataclasses.replace(SMALL, tiles=1.0, pitch_deg=20.0)
    truth = plane_reference(base, view, 256)
    one, many = (np.abs(plane_picture(chain, view, taps) - truth).mean() for taps in (1, 16))
    assert one > 1.3 * many


def test_the_reference_converges(noise):
    base = bumpy(noise, 64, 64)
    exact = plane_reference(base, SMALL, 2048, seed=1)
    errors = [
        np.sqrt(np.square(plane_reference(base, SMALL, samples) - exact).mean())
        for samples in (36, 128, 512)
    ]
    assert errors[0] > 1.3 * errors[1] > 1.3 * 1.3 * errors[2]
    assert np.array_equal(plane_reference(base, SMALL, 64), plane_reference(base, SMALL, 64))


@pytest.mark.slow
def test_far_away_the_reference_is_the_mean_of_all_texels(noise):
    base = bumpy(noise, 4, 4)
    view = dataclasses.replace(SMALL, tiles=500.0)
    row, col = view.height - 1, 11
    near, far = view.points(view.height, col)[1], view.points(row, col)[1]
    assert far - near > 5  # tiles
    flat = torch.from_numpy(TexelLevels.of([base]).texels)
    surface = Surface(flat[:, :3], flat[:, 3:6], flat[:, 6], flat[:, 7])
    eye = view.to_eye(row, np.array([col + 0.5]))
    expected = (math.pi * shade(surface, view.to_light(), eye) + view.sky * surface.albedo).mean(0)
    picture = plane_reference(base, view, 4096)
    np.testing.assert_allclose(picture[row, col], expected, rtol=0.05)  # 4,096 samples of noise


def test_draw_planes_draws_each_chain(noise):
    base = bumpy(noise, 16, 16)
    chains = {name: make(base, 3) for name, make in FILTERS.items()}
    planes = draw_planes(base, chains, SMALL, taps=2)
    assert list(planes.pictures) == list(FILTERS)
    for name, chain in chains.items():
        expected = plane_picture([base, *chain], SMALL, 2)
        np.testing.assert_array_equal(planes.pictures[name], expected)
    np.testing.assert_array_equal(planes.reference, plane_reference(base, SMALL))
    assert planes.reference.dtype == np.float32
    assert planes.reference.shape == (32, 48, 3)
    assert np.isfinite(planes.filtered).all()
    assert planes.filtered.min() >= 0


def test_the_lower_edge_shows_what_was_asked_for():
    view = PlaneView.showing(even(128, 256), texels_per_pixel=2.0)
    left, right = (view.points(view.height, col)[0] for col in (0, view.width))
    assert (right - left) * 256 / view.width == pytest.approx(2)


def test_a_camera_that_sees_only_sky_is_refused(same_message):
    with pytest.raises(ConfigError) as caught:
        plane_picture([even(2, 2)], dataclasses.replace(SMALL, pitch_deg=-30.0))
    same_message(str(caught.value), "PlaneView.pitch_deg", "camera")


def test_normals_that_lean_away_from_the_eye_are_not_black():
    """One texel that leans from the eye by 3 degrees, at the horizon and near it."""
    leaning = even(1, 1)
    leaning.normal[..., 1] = math.tan(math.radians(3))
    flat, drawn = (
        plane_picture([maps], SMALL)[SMALL.horizon :] for maps in (even(1, 1), bent(leaning))
    )
    assert (drawn > 0.5 * flat).all()


def bent(maps):
    return dataclasses.replace(maps, normal=unit(maps.normal))
