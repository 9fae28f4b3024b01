"""kinds/mipmaps/recipe, mipmaps_build, mipmaps_judge: what is refused, packed, judged and kept."""

from types import SimpleNamespace

import numpy as np
import pytest

from neuralshade.errors import ConfigError, DeviceError
from neuralshade.fitting.recipe import from_dict
from neuralshade.kinds.mipmaps import build as mipmaps_build
from neuralshade.kinds.mipmaps import judge as mipmaps_judge
from neuralshade.kinds.mipmaps import recipe as recipe_module
from neuralshade.kinds.mipmaps.asset import ENVIRONMENT
from neuralshade.kinds.mipmaps.build import (
    build_mip_engine,
    chain_levels,
    chain_of,
    check_groups,
    near_weights,
    numbers_of,
    pool_for,
    pool_notes,
)
from neuralshade.kinds.mipmaps.judge import (
    KINDS,
    LIT_BY,
    METHODS,
    Judged,
    best_methods,
    combined,
    judge,
    pairs_judged,
)
from neuralshade.kinds.mipmaps.kernels import SMALLEST_ROUGHNESS, STEEPEST, levels_of
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import FILTERS, Maps, box_chain, unit
from neuralshade.model.microfacet import DIFFUSES


@pytest.fixture
def base():
    rng = np.random.default_rng(0)
    normal = unit(rng.normal(0, 0.3, (6, 9, 3)).astype(np.float32) + np.float32([0, 0, 1]))
    albedo, (roughness, metallic) = rng.random((6, 9, 3)), rng.random((2, 6, 9))
    return Maps(*map(np.float32, (albedo, normal, roughness, metallic)))


def test_names_of_diffuses_are_those_that_there_are():
    assert tuple(DIFFUSES) == recipe_module.DIFFUSES


@pytest.mark.parametrize("settings, message", [
    ({"pool": 100}, "MipmapsRecipe.pool: got 100 with pairs=32, need a multiple. Write 128."),
    ({"steps": None}, "MipmapsRecipe.steps: got None with no seconds and no target_psnr, need an "
                      "end. Set one of the three."),
    ({"mirror": 1.5}, "MipmapsRecipe.mirror: got 1.5, need 0 to 1. The default is 0.5."),
    ({"diffuse": "phong"}, "MipmapsRecipe.diffuse: got 'phong', need one of ['lambert', "
                           "'burley']."),
])  # fmt: skip
def test_recipes_refused(settings, message):
    with pytest.raises(ConfigError) as caught:
        from_dict(MipmapsRecipe, settings)
    assert str(caught.value) == message


def test_numbers_are_those_of_the_maps(base):
    levels = levels_of(9, 6)
    chain = box_chain(base, len(levels.sizes) - 1)
    back = chain_of(numbers_of(chain), levels)
    for given, found in zip(chain, back, strict=True):
        for name, values in given.arrays().items():
            if name == "roughness":
                values = values.clip(SMALLEST_ROUGHNESS, 1)
            np.testing.assert_allclose(getattr(found, name), values, atol=1e-6)


def test_numbers_stay_within_their_ranges():
    """A normal that lies in the plane, and a roughness that no lobe is as narrow as."""
    flat = Maps(np.full((1, 1, 3), 2, np.float32), np.float32([[[1, 0, 0]]]),
                np.zeros((1, 1), np.float32), np.full((1, 1), -1, np.float32))  # fmt: skip
    numbers = numbers_of([flat])[:, 0]
    np.testing.assert_allclose(numbers, [1, 1, 1, STEEPEST, 0, SMALLEST_ROUGHNESS, 0])


def textures(width, height, name="x"):
    return SimpleNamespace(name=name, width=width, height=height)


def test_levels_of_a_recipe():
    assert len(chain_levels(textures(9, 6), MipmapsRecipe()).sizes) == 4
    assert len(chain_levels(textures(9, 6), MipmapsRecipe(levels=2)).sizes) == 3
    assert len(chain_levels(textures(9, 6), MipmapsRecipe(levels=30)).sizes) == 4


def test_one_texel_refused(same_message):
    with pytest.raises(ConfigError) as caught:
        chain_levels(textures(1, 1, "dot"), MipmapsRecipe())
    same_message(str(caught.value), "dot", "larger")


def test_a_pool_that_memory_does_not_take_is_smaller_and_told():
    recipe, levels = MipmapsRecipe(), levels_of(4096, 4096)
    assert pool_for(recipe, levels_of(1024, 1024)) == 128
    assert pool_notes(recipe, levels_of(1024, 1024)) == ()
    assert pool_for(recipe, levels) == 32
    assert pool_notes(recipe, levels) == (
        "pool: 128 reduced to 32: so many pairs' and their skies' references in 5,592,405 texels "
        "take 2.0 GB.",
    )
    assert pool_notes(MipmapsRecipe(favor="mirror"), levels) == (
        "pool: 128 reduced to 32: so many pairs' references in 5,592,405 texels take 1.3 GB.",
    )
    assert pool_for(recipe, levels_of(65536, 65536)) == 32  # a step's, whatever it takes


def test_near_mirror_pairs_weigh_more_from_level_to_level():
    recipe = MipmapsRecipe(mirror=0.5, mirror_far=0.8)
    assert near_weights(recipe) == pytest.approx([1, 0.575 / 0.425, 0.65 / 0.35, 0.725 / 0.275, 4])
    # of a third of the pairs, so that they come to half of all
    assert near_weights(MipmapsRecipe(mirror=1 / 3, mirror_far=0.5))[-1] == pytest.approx(2)
    assert near_weights(MipmapsRecipe(mirror=0.3, mirror_far=0.3)) == pytest.approx([1] * 5)
    assert near_weights(MipmapsRecipe(mirror=0)) == near_weights(MipmapsRecipe(mirror=1)) == (1,)


def test_too_many_texels_for_a_dispatch_refused(same_message):
    levels = levels_of(1024, 1024)
    check_groups(levels, 2731, "a GPU")
    with pytest.raises(DeviceError) as caught:
        check_groups(levels, 2730, "a GPU")
    same_message(str(caught.value), "maps", "--device")


def row(error):
    return {"symmetric": error, "relative": 0.0}


def test_the_best_by_the_mean_of_both_kinds():
    """Level 1 by LEAN, though worse than box in one kind; level 2 a tie; not by the sky."""
    mirror = {"box": (0.3, 0.2), "toksvig": (0.3, 0.3), "lean": (0.0, 0.2), "trained": (0.2, 0.2)}
    cosine = {"box": (0.1, 0.2), "toksvig": (0.1, 0.3), "lean": (0.3, 0.2), "trained": (0.2, 0.2)}
    sky = dict.fromkeys(METHODS, (0.9, 0.9)) | {"box": (0.0, 0.0)}
    errors = {
        kind: {name: [row(e) for e in found] for name, found in each.items()}
        for kind, each in zip(LIT_BY, (mirror, cosine, sky), strict=True)
    }
    judged = Judged(errors)
    assert judged.mean("lean") == pytest.approx([0.15, 0.2])
    assert best_methods(judged) == ["lean", "box"]
    chains = {name: [f"{name} 1", f"{name} 2"] for name in METHODS}
    assert combined(chains, best_methods(judged)) == ["lean 1", "box 2"]


@pytest.fixture
def judged_by(gpu, base):
    """Give a function that judges all filters' chains with a pool of so many pairs."""
    levels = levels_of(9, 6)
    chains = {name: numbers_of(make(base, len(levels.sizes) - 1)) for name, make in FILTERS.items()}

    def judged_by(recipe, seed=5, kinds=LIT_BY):
        engine = build_mip_engine(recipe, base, levels, chains["box"], gpu)
        before = engine.values()
        found = judge(engine, chains, recipe, seed, kinds)
        np.testing.assert_array_equal(engine.values(), before)
        return found.errors

    return judged_by


@pytest.mark.slow
def test_judged_under_every_kind_of_lights(judged_by):
    errors = judged_by(MipmapsRecipe(pool=32, pairs=8))
    assert list(errors) == [*KINDS, ENVIRONMENT]
    for found in errors.values():
        assert list(found) == list(FILTERS)
        for rows in found.values():
            assert len(rows) == 3
            assert all(0 < each["symmetric"] < 2 and each["log"] > 0 for each in rows)
    # an environment is a mean over lights: nothing of it is as wrong as one light
    assert errors[ENVIRONMENT]["box"][0]["symmetric"] < errors["mirror"]["box"][0]["symmetric"]


@pytest.mark.slow
def test_a_smaller_pool_judges_alike(judged_by, monkeypatch):
    """The same pairs in more turns, where memory takes fewer at once; the last is not full."""
    monkeypatch.setattr(mipmaps_judge, "PAIRS", 40)
    recipe, kinds = MipmapsRecipe(pool=64, pairs=8, skies=0), tuple(KINDS)
    whole = judged_by(recipe, kinds=kinds)
    monkeypatch.setattr(mipmaps_build, "MOST_POOL_BYTES", 8 * 17 * (8 + 2) * 2)
    assert pool_for(recipe, levels_of(9, 6)) == 16
    parted = judged_by(recipe, kinds=kinds)
    for kind, found in whole.items():
        for name, rows in found.items():
            for one, other in zip(rows, parted[kind][name], strict=True):
                assert one == pytest.approx(other, rel=1e-4)


@pytest.mark.slow
def test_other_seeds_are_other_lights(judged_by):
    first, other = (judged_by(MipmapsRecipe(pool=16, pairs=8), seed) for seed in (5, 6))
    for kind in LIT_BY:
        assert first[kind]["box"][0]["reference"] != other[kind]["box"][0]["reference"]


@pytest.mark.slow
def test_the_smallest_pool_has_the_sun_alone(judged_by):
    errors = judged_by(MipmapsRecipe(pool=1, pairs=1))
    assert all(0 < rows[0]["symmetric"] < 2 for rows in errors[ENVIRONMENT].values())


def test_software_judges_large_maps_by_fewer_pairs(many_lights):
    sides = {side: pairs_judged(side * side, software=True) for side in (256, 512, 1024, 4096)}
    assert sides == {256: 512, 512: 512, 1024: 128, 4096: 128}
    assert pairs_judged(4096 * 4096, software=False) == 512
