"""kinds/textures/spectrum: what principal components leave of a set, and the layouts for it."""

import math

import numpy as np
import pytest
from fixtures.texture_sets import small_set

from neuralshade.kinds.textures.channels import codings_of
from neuralshade.kinds.textures.layout import ROUGH, SMOOTH, rate_of
from neuralshade.kinds.textures.spectrum import BANDS, ROUGH_DB, SHARE, layouts_for, left_db
from neuralshade.source.material_map import MaterialMap
from neuralshade.source.material_set import MaterialSet


def set_of(values):
    """Return a set of one map in [0, 1], which is trained as it is."""
    one = MaterialMap("ao", np.ascontiguousarray(values, np.float32)[..., None], "data", 8)
    return MaterialSet("noise", (one,))


def left(textures):
    return left_db(textures, codings_of(textures))


def test_of_noise_all_components_have_the_same():
    """Uniform noise of a range has a twelfth of its square; of four components two are left."""
    rng = np.random.default_rng(1)
    values = rng.uniform(0.3, 0.7, (4 * BANDS, 64))  # more rows than are looked at
    kept = math.ceil(SHARE * 4)
    wanted = -10 * math.log10(0.4**2 / 12 * (4 - kept) / 4)
    assert left(set_of(values)) == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("height, width", [(1, 8), (8, 1), (5, 9)])
def test_small_and_odd_sizes(height, width):
    found = left(set_of(np.random.default_rng(0).random((height, width))))
    assert math.isinf(found) == (min(height, width) < 2)


def test_what_few_components_say_leaves_nothing():
    """Patches of one number each."""
    values = np.kron(np.random.default_rng(2).random((16, 16)), np.ones((2, 2)))
    assert left(set_of(values)) > 90  # float32


def noise_of(decibels):
    """Return noise of one map of which so many dB are left without half of its components."""
    draws = np.random.default_rng(3).random((64, 64))
    found = left(set_of(draws))
    return set_of(0.5 + (draws - 0.5) * 10 ** ((found - decibels) / 20))


def layouts(textures):
    return layouts_for(textures, codings_of(textures))


def test_rough_sets_have_more_numbers_of_fewer_bits():
    assert layouts(noise_of(min(ROUGH_DB) - 0.5)) == ROUGH
    assert layouts(noise_of(max(ROUGH_DB) + 0.5)) == SMOOTH
    assert layouts(set_of(np.linspace(0, 1, 256).reshape(16, 16))) == SMOOTH
    assert set(layouts(small_set(16, 16))) <= {*ROUGH, *SMOOTH}
    for many, exact in zip(ROUGH, SMOOTH, strict=True):
        assert rate_of(many) == pytest.approx(rate_of(exact), rel=0.02)
    for many, exact in zip(ROUGH[2:], SMOOTH[2:], strict=True):
        assert many[0].features > exact[0].features and many[0].bits < exact[0].bits


def test_the_more_bits_the_rougher_a_set_has_to_be():
    between = layouts(noise_of((ROUGH_DB[-1] + ROUGH_DB[0]) / 2))
    assert between == (*ROUGH[:-1], SMOOTH[-1])
