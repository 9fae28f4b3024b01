"""source/cutout: what opacity hides reaches no mip of another map, and coverage is kept."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from PIL import Image

from neuralshade.source.color import linear_to_srgb, srgb_to_linear
from neuralshade.source.cutout import level_list, visible_set
from neuralshade.source.halving import halved
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_mips import ALPHA_TEST, covered_levels, mip_levels, mip_sizes
from neuralshade.source.material_set import MaterialSet
from neuralshade.source.texture_set import load_texture_set

GRASS = np.float32([60, 150, 40]) / 255
MAGENTA = np.float32([1, 0, 1])


def map_of(name, meaning, values):
    return MaterialMap(name, np.float32(values), meaning, 8)


def blades(height, width, seed=3):
    """Return a cutout of thin blades: float32 [H, W], 0 or 1."""
    rng = np.random.default_rng(seed)
    v, u = np.mgrid[:height, :width]
    alpha = np.zeros((height, width), np.float32)
    for _ in range(max(2, width // 7)):
        lean = rng.uniform(-0.5, 0.5)
        alpha[np.abs(u - rng.uniform(0, width) - lean * (height - v)) < 1.4] = 1
    return alpha


def cutout(height, width, below=MAGENTA, seed=3):
    alpha = blades(height, width, seed)[..., None]
    normal = np.where(alpha > 0, np.float32([0.6, 0, 0.8]), np.float32([0, 0, 1]))
    return MaterialSet("grass", (
        map_of("albedo", "srgb", np.where(alpha > 0, GRASS, below)),
        map_of("normal", "normal", normal),
        map_of("roughness", "data", np.where(alpha > 0, 0.25, 1)),
        map_of("opacity", "data", alpha),
    ))  # fmt: skip


@settings(deadline=None, max_examples=20)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 99))
def test_a_cutout_of_one_color_keeps_it_in_every_mip(height, width, seed):
    """To the last bit of 8; the set itself is as it was."""
    given_, rng = cutout(height, width, seed=seed), np.random.default_rng(seed)
    seen = visible_set(given_)
    if seen is given_:
        return
    other = visible_set(cutout(height, width, rng.random((height, width, 3)), seed))
    for name, value in (("albedo", GRASS), ("roughness", 0.25), ("normal", [0.6, 0, 0.8])):
        levels = level_list(seen, name)
        for level, same in zip(levels, level_list(other, name), strict=True):
            assert np.array_equal(level, same)
            np.testing.assert_allclose(level, np.broadcast_to(value, level.shape), atol=1e-5)
    assert seen.original is given_ and (given_["albedo"].values == MAGENTA).all(2).any()


def test_mips_are_means_by_opacity_in_linear_light():
    rng = np.random.default_rng(0)
    alpha, color = rng.random((8, 6)).astype(np.float32), rng.random((8, 6, 3)).astype(np.float32)
    one = map_of("albedo", "srgb", color)
    level = mip_levels(one, 2, alpha)[1]
    light = halved(srgb_to_linear(color) * alpha[..., None]) / halved(alpha)[..., None]
    np.testing.assert_allclose(level, linear_to_srgb(light), atol=1e-5)
    np.testing.assert_allclose(mip_levels(one, 4, np.ones_like(alpha))[3], mip_levels(one, 4)[3],
                               atol=1e-5)  # fmt: skip


@settings(deadline=None, max_examples=20)
@given(st.integers(4, 64), st.integers(4, 64), st.integers(0, 99))
@example(4, 52, 98)  # two texels of a level differ by rounding
def test_coverage_is_kept(height, width, seed):
    """As near as equal texels and few of them allow."""
    alpha = blades(height, width, seed)[..., None]
    one = map_of("opacity", "data", alpha)
    share = (alpha >= ALPHA_TEST).mean()
    for level, plain in zip(covered_levels(one), mip_levels(one), strict=True):
        off, before = (abs((each >= ALPHA_TEST).mean() - share) for each in (level, plain))
        assert off <= before + 1e-6
        values = np.unique(plain, return_counts=True)[1]
        assert off <= max(values) / plain.size + 0.5 / plain.size
        assert level.min() >= 0 and level.max() <= 1
        assert np.array_equal(level == 0, plain == 0)


def test_thin_blades_do_not_vanish():
    alpha = blades(256, 256)[..., None]
    share = (alpha >= ALPHA_TEST).mean()
    levels = covered_levels(map_of("opacity", "data", alpha))
    for level in levels[2:-2]:
        assert (level >= ALPHA_TEST).mean() == pytest.approx(share, abs=0.06)


def test_an_opacity_that_is_no_cutout_is_halved_as_any():
    smoke = np.random.default_rng(0).random((16, 16, 1))
    one = map_of("opacity", "data", smoke)
    for level, plain in zip(covered_levels(one), mip_levels(one), strict=True):
        assert np.array_equal(level, plain)


@pytest.mark.parametrize("alpha", [None, 0.0, 1.0])
def test_a_set_that_hides_nothing_or_all_is_as_it_was(alpha):
    maps = [map_of("albedo", "srgb", np.random.default_rng(0).random((8, 4, 3)))]
    if alpha is not None:
        maps.append(map_of("opacity", "data", np.full((8, 4, 1), alpha)))
    textures = MaterialSet("x", tuple(maps))
    assert visible_set(textures) is textures
    for level, plain in zip(level_list(textures, "albedo"), mip_levels(maps[0]), strict=True):
        assert np.array_equal(level, plain)
    assert len(level_list(textures, "albedo")) == len(mip_sizes(4, 8))


def test_hidden_texels_are_filled_from_those_that_are_seen(tmp_path, rng, textures):
    """At its own size, and smaller than other maps; an albedo's alpha is no map of mip levels."""
    folder = tmp_path / "rock"
    textures.write_set(folder, rng)
    for size in ((32, 48), (16, 24)):
        alpha = (rng.random(size) > 0.6) * 255
        color = np.where(alpha[..., None] > 0, [60, 150, 40], [255, 0, 255])
        (folder / "rock_albedo.png").unlink(missing_ok=True)
        pixels = np.concatenate([color, alpha[..., None]], axis=2).astype(np.uint8)
        Image.fromarray(pixels).save(folder / "rock_albedo.png")
        found = load_texture_set(folder)
        grass = srgb_to_linear(np.float32([60, 150, 40]) / 255)
        np.testing.assert_allclose(found.albedo, np.broadcast_to(grass, (32, 48, 3)), atol=1e-5)
        assert any("--keep-hidden-color" in note for note in found.notes)
        kept = load_texture_set(folder, keep_hidden_color=True)
        assert kept.albedo[..., 0].max() > 0.9
        assert not any("--keep-hidden-color" in note for note in kept.notes)


@pytest.mark.parametrize("sides", [(16, 32), (16, 64), (32, 32)], ids=str)  # of maps, of opacity
def test_smaller_maps_of_mip_levels_are_enlarged_without_what_is_hidden(tmp_path, sides):
    """Of what has no opacity at all at their own size."""
    side, wide = sides
    hidden = np.random.default_rng(1).random((16, 16)) < 0.4
    texels, alpha = (np.kron(hidden, np.ones((n // 16, n // 16))) > 0 for n in (side, wide))
    Image.fromarray(np.full((64, 64, 3), 128, np.uint8)).save(tmp_path / "albedo.png")
    Image.fromarray(np.where(texels, 255, 64).astype(np.uint8)).save(tmp_path / "roughness.png")
    Image.fromarray(np.where(texels, 255, 0).astype(np.uint8)).save(tmp_path / "metallic.png")
    Image.fromarray(np.where(alpha, 0, 255).astype(np.uint8)).save(tmp_path / "opacity.png")
    found = load_texture_set(tmp_path)
    np.testing.assert_allclose(found.roughness, 64 / 255, atol=1e-6)
    assert found.opacity.shape == (64, 64)
    assert found.metallic.max() == 0
    assert load_texture_set(tmp_path, keep_hidden_color=True).roughness.max() > 0.9
