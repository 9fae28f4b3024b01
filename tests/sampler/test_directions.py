"""sampler/directions, sampler/sky: where lights and eyes are, and how many where."""

import numpy as np
import pytest

from neuralshade.sampler.directions import cosine_directions, draw_pairs, mirrored, near_mirror
from neuralshade.sampler.sky import HORIZON, SUN_HEIGHTS, SUN_SHARE, sky_pairs

FAR = 4.0  # standard deviations; points of a sequence lie more evenly than random ones


@pytest.mark.parametrize("count, mirror, lowest", [
    (1, 0.5, 0.2), (64, 0.0, 0.2), (64, 1.0, 0.2), (33, 0.3, 0.0), (16, 0.5, 0.9),
])  # fmt: skip
def test_directions_are_of_length_one_and_high_enough(count, mirror, lowest):
    pairs = draw_pairs(count, mirror, lowest, 3)
    assert pairs.shape == (count, 2, 3) and pairs.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(pairs, axis=2), 1, atol=1e-6)
    assert pairs[..., 2].min() >= lowest - 1e-6


def test_a_seed_says_it_all():
    first, again, other = (draw_pairs(40, 0.5, 0.2, seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max(axis=(1, 2)).min() > 1e-4  # no pair is the same


def test_seeds_share_no_pairs():
    drawn = np.concatenate([draw_pairs(32, 0.5, 0.2, seed) for seed in range(20)])
    assert len(np.unique(drawn.round(5), axis=0)) == len(drawn)


def test_large_seeds_are_fine():
    assert np.isfinite(draw_pairs(4, 0.5, 0.2, 2**31 + 20_000)).all()


def unevenness(share, bins=16):
    """Return chi-squared of shares in [0, 1], as standard deviations above its mean."""
    counts = np.histogram(share, bins, (0, 1))[0]
    assert counts.sum() == len(share)
    expected, freedom = counts.mean(), bins - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / (2 * freedom) ** 0.5


@pytest.mark.parametrize("which", [0, 1])
def test_by_the_cosine(which):
    """z^2 is uniform, cut at the lowest, and so is the azimuth."""
    lowest = 0.2
    x, y, z = draw_pairs(4096, 0.0, lowest, 0)[:, which].T.astype(np.float64)
    assert unevenness(((z * z - lowest**2) / (1 - lowest**2)).clip(0, 1)) < FAR
    assert unevenness(np.arctan2(y, x) / (2 * np.pi) + 0.5) < FAR


def test_mirrored_about_normals_of_a_lobe():
    """At one width, tan^2 / (tan^2 + alpha^2) of the half vector is uniform for GGX."""
    rng = np.random.default_rng(0)
    wo = cosine_directions(rng.random(4096), rng.random(4096))
    wi = mirrored(wo, rng.random(4096), rng.random(4096), np.full(4096, 0.5))
    wm = (wi + wo) / np.linalg.norm(wi + wo, axis=1, keepdims=True)
    square = (wm[:, 0] ** 2 + wm[:, 1] ** 2) / wm[:, 2] ** 2
    alpha = np.sqrt(0.03 * 0.6)  # halfway between the narrowest and the widest, of logarithms
    assert unevenness(square / (square + alpha**2)) < FAR


def test_near_mirror_pairs_are_nearer_to_it():
    def tilt(mirror):
        wi, wo = np.moveaxis(draw_pairs(512, mirror, 0.2, 0), 1, 0)
        return np.median(np.linalg.norm((wi + wo)[:, :2], axis=1))

    assert tilt(1.0) < 0.5 * tilt(0.0)


@pytest.mark.parametrize("mirror", [0.0, 0.25, 1.0])
def test_which_are_near_a_mirror_s(mirror):
    pairs, near = draw_pairs(40, mirror, 0.2, 5), near_mirror(40, mirror, 5)
    alone = {pair.tobytes() for pair in draw_pairs(round(40 * mirror), 1.0, 0.2, 5)}
    assert [pair.tobytes() in alone for pair in pairs] == near.tolist()
    assert near.sum() == round(40 * mirror)


def test_shares_of_both_kinds():
    """The parts are those that are drawn alone, in another order."""
    both = draw_pairs(40, 0.25, 0.2, 5)
    near, all_over = draw_pairs(10, 1.0, 0.2, 5), draw_pairs(30, 0.0, 0.2, 5)
    apart = np.concatenate([near, all_over])
    np.testing.assert_array_equal(np.unique(both, axis=0), np.unique(apart, axis=0))


@pytest.mark.parametrize("lights, eyes", [(1, 1), (2, 3), (32, 8)])
def test_a_level_plane_receives_one(lights, eyes):
    pairs, bright = sky_pairs(lights, eyes, 0.2, 4)
    assert pairs.shape == (lights * eyes, 2, 3) and bright.shape == (lights * eyes,)
    assert pairs.dtype == bright.dtype == np.float32 and bright.min() > 0
    np.testing.assert_allclose(np.linalg.norm(pairs, axis=2), 1, atol=1e-6)
    received = (bright * pairs[:, 0, 2]).reshape(eyes, lights)
    np.testing.assert_allclose(received.sum(axis=1), 1, rtol=1e-5)
    if lights > 1:
        np.testing.assert_allclose(received[:, 0], SUN_SHARE, rtol=1e-5)
    assert (pairs.reshape(eyes, lights, 2, 3)[:, 0, 0, 2] >= SUN_HEIGHTS[0]).all()
    assert (pairs[:, 1, 2] >= 0.2 - 1e-6).all()


def test_an_eye_sees_one_sky():
    pairs, bright = sky_pairs(16, 4, 0.2, 4)
    wi, wo = np.moveaxis(pairs.reshape(4, 16, 2, 3), 2, 0)
    np.testing.assert_array_equal(wo, np.broadcast_to(wo[:, :1], wo.shape))
    assert len(np.unique(wo[:, 0], axis=0)) == 4
    # the sky is as much brighter at the horizon as it should be
    radiance = bright.reshape(4, 16)[:, 1:] / (1 + (HORIZON - 1) * (1 - wi[:, 1:, 2]))
    np.testing.assert_allclose(radiance / radiance[:, :1], 1, rtol=1e-4)


def test_the_sky_is_uniform_over_the_hemisphere():
    wi = sky_pairs(65, 64, 0.2, 1)[0].reshape(64, 65, 2, 3)[:, 1:, 0].reshape(-1, 3)
    assert unevenness(wi[:, 2]) < FAR
    assert unevenness(np.arctan2(wi[:, 1], wi[:, 0]) / (2 * np.pi) + 0.5) < FAR
