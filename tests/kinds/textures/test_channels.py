"""kinds/textures/channels: each map to channels in [0, 1] and back."""

import dataclasses
import json

import numpy as np
import pytest
from fixtures.texture_sets import material_map, small_set, unit_normals, waves
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from neuralshade.errors import ConfigError
from neuralshade.kinds.textures.channels import coding_of, codings_of, trained_levels
from neuralshade.kinds.textures.texels import Texels
from neuralshade.source.material_set import MaterialSet

SIZE = (6, 5)
LARGEST = float(np.float32(9.99e29))  # that a header takes
quick = settings(max_examples=40, deadline=None, derandomize=True)


def alone(one):
    """Return a set of that map alone, with one that varies, and how the first is trained."""
    textures = MaterialSet("set", (material_map("varies", waves(*SIZE, 1)), one))
    return textures, codings_of(textures)


def there_and_back(one):
    """Return a map as it is decoded from its channels in float32."""
    textures, codings = alone(one)
    channels = trained_levels(textures, codings, 1)[0]
    assert channels.dtype == np.float32 and channels.min() >= 0 and channels.max() <= 1
    return codings[1].decoded(channels)


def arrays(low, high, channels):
    elements = st.floats(low, high, width=32)
    return hnp.arrays(np.float32, (*SIZE, channels), elements=elements)


@quick
@given(st.integers(1, 3).flatmap(lambda count: arrays(0, 1, count)), st.sampled_from([8, 16, 32]))
def test_colors_and_numbers_stay(values, bits):
    for meaning in ("srgb", "data"):
        back = there_and_back(material_map("x", values, meaning=meaning, bits=bits))
        np.testing.assert_allclose(back, values, atol=1e-6)


@quick
@given(arrays(0, 1, 1), st.floats(-0.099, 0.099))
def test_a_mask_stays_0_and_1_whatever_the_decoder_errs_by(values, error):
    values.reshape(-1)[:16] = np.arange(16) % 2
    one = material_map("opacity", values, meaning="data")
    textures, codings = alone(one)
    assert codings[1].curve == "mask"
    channels = trained_levels(textures, codings, 1)[0]
    back = codings[1].decoded(channels + np.float32(error))
    exact = (values == 0) | (values == 1)
    assert np.array_equal(back[exact], values[exact])
    np.testing.assert_allclose(back[~exact], values[~exact], atol=abs(error) / 0.8 + 1e-5)
    np.testing.assert_allclose(codings[1].decoded(channels), values, atol=1e-6)


@quick
@given(arrays(0, 1, 3))
def test_light_up_to_1_is_coded_for_display(values):
    one = material_map("emissive", values, bits=32)
    assert alone(one)[1][1].curve == "srgb"
    np.testing.assert_allclose(there_and_back(one), values, atol=2e-6)


@quick
@given(arrays(0, 1e5, 3).filter(lambda values: values.max() > 1))
def test_light_beyond_1_is_coded_by_its_logarithm(values):
    """The error of 1 + x is relative: some dozen steps of float32, of a logarithm of up to 12."""
    one = material_map("emissive", values, bits=32)
    assert alone(one)[1][1].curve == "log"
    np.testing.assert_allclose(1 + there_and_back(one), 1 + values, rtol=1e-5)


@quick
@given(hnp.arrays(np.float32, (*SIZE, 1), elements=st.floats(-LARGEST, LARGEST, width=32)))
def test_numbers_of_any_range(values):
    """But for what float32 loses of the largest."""
    back = there_and_back(material_map("height", values, bits=32))
    extent = max(1.0, float(np.abs(values).max()))
    assert np.isfinite(back).all()
    np.testing.assert_allclose(back, values, atol=1e-6 * extent)


@quick
@given(hnp.arrays(np.float32, (*SIZE, 2), elements=st.floats(-5, 5, width=32)))
def test_normals_are_rebuilt_from_x_and_y(slopes):
    normals = np.concatenate([slopes, np.ones((*SIZE, 1), np.float32)], axis=2)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True)
    one = material_map("normal", normals)
    assert alone(one)[1][1].count in (0, 2)
    back = there_and_back(one)
    np.testing.assert_allclose(back[..., :2], normals[..., :2], atol=1e-6)
    # z is a root: where it is 0.14, of the steepest, an error of x is seven times as large there
    np.testing.assert_allclose(back, normals, atol=1e-5)


@pytest.mark.parametrize("meaning, value", [
    ("srgb", (0.2, 0.4, 0.6)), ("linear", (0.0, 0.0, 0.0)), ("linear", (0.5, 0.25, 7.0)),
    ("data", (0.3,)), ("data", (-4.0,)), ("data", (1000.0, 2.0)), ("normal", (0.6, 0.0, 0.8)),
])  # fmt: skip
def test_a_constant_costs_nothing(meaning, value):
    values = np.broadcast_to(np.float32(value), (*SIZE, len(value)))
    textures, codings = alone(material_map("x", values, meaning=meaning, bits=32))
    assert (codings[1].count, codings[1].constant) == (0, pytest.approx(value))
    channels = trained_levels(textures, codings, 1)[0]
    assert channels.shape[2] == 1
    np.testing.assert_allclose(codings[1].decoded(channels), values, rtol=1e-5, atol=1e-6)


def test_channels_lie_side_by_side():
    textures = small_set(8, 8, material_map("ao", np.ones((8, 8))),
                         material_map("height", waves(8, 8, 1, seed=9) * 4 - 2))  # fmt: skip
    codings = codings_of(textures)
    assert [(one.name, one.first, one.count) for one in codings] == [
        ("albedo", 0, 3), ("normal", 3, 2), ("roughness", 5, 1), ("ao", 6, 0), ("height", 6, 1),
    ]  # fmt: skip
    levels = trained_levels(textures, codings, 4)
    assert [level.shape for level in levels] == [(8, 8, 7), (4, 4, 7), (2, 2, 7), (1, 1, 7)]
    for one, coding in zip(textures.maps, codings, strict=True):
        np.testing.assert_allclose(coding.decoded(levels[0]), one.values, atol=1e-5)


def test_facts_say_all_of_it():
    textures = small_set(8, 8, material_map("ao", np.ones((8, 8))),
                         material_map("emissive", 9 * waves(8, 8, 3), bits=32))  # fmt: skip
    for coding in codings_of(textures):
        facts = json.loads(json.dumps(coding.facts()))
        assert coding_of(facts) == coding
        assert coding_of(facts | {"of a later version": 5}) == coding


@pytest.mark.parametrize("changed", [
    {"high": -1.0}, {"channels": 2}, {"constant": ()}, {"constant": (0.5,)},
    {"meaning": "srgb", "constant": (0.1, 0.2)},
])  # fmt: skip
def test_codings_that_cannot_be_are_told(changed):
    (_, normal, _) = codings_of(small_set(8, 8))
    assert normal.is_whole
    assert not dataclasses.replace(normal, **changed).is_whole


def test_16_bits_stay_16_bits():
    words = np.random.default_rng(0).integers(0, 65536, (40, 30, 2))
    height = material_map("height", (words / 65535).astype(np.float32), bits=16)
    textures, codings = alone(material_map("x", height.values[:6, :5], bits=16))
    texels = Texels(trained_levels(textures, codings, 1))
    back = codings[1].decoded(texels.level(0))
    assert np.array_equal(np.rint(back * 65535), words[:6, :5])


@pytest.mark.parametrize("value", [1.1e30, -3e38])
@pytest.mark.parametrize("meaning", ["data", "linear"])
def test_numbers_that_float32_cannot_average_are_refused(refusal, meaning, value):
    values = waves(*SIZE, 1)
    values[2, 3] = value if meaning == "data" else abs(value)
    textures = MaterialSet("set", (material_map("height", values, meaning=meaning, bits=32),))
    assert refusal(ConfigError, codings_of, textures) == (
        f"height: got numbers of {abs(value):.3g}, need 1e+30 at most. Scale the map."
    )


def test_light_below_0_is_none():
    values = waves(*SIZE, 3) * 8 - 4
    back = there_and_back(material_map("emissive", values, bits=32))
    np.testing.assert_allclose(back, np.maximum(values, 0), atol=1e-5)


@pytest.mark.parametrize("meaning", ["data", "linear"])
def test_numbers_next_to_0_stay_finite(meaning):
    sign = 1 if meaning == "linear" else -1
    values = sign * waves(*SIZE, 1) * np.float32(1e-41)
    one = material_map("x", values, meaning=meaning, bits=32)
    np.testing.assert_allclose(there_and_back(one), values, atol=1e-30)


def test_17_channels_are_refused(refusal, same_message):
    more = [material_map(f"m{i}", waves(8, 8, 3, seed=i)) for i in range(4)]
    whole = small_set(8, 8, *more[:3], name="many")
    assert sum(coding.count for coding in codings_of(whole)) == 15
    said = refusal(ConfigError, codings_of, small_set(8, 8, *more, name="many"))
    same_message(said, "many", "Leave")
    two = material_map("two", waves(8, 8, 2, seed=7))
    message = refusal(ConfigError, codings_of, small_set(8, 8, *more[:3], two, name="many"))
    assert message.startswith("many: got 17 channels (")


def test_65_maps_are_refused(refusal):
    more = [material_map(f"m{i}", np.ones((8, 8))) for i in range(62)]
    assert len(codings_of(small_set(8, 8, *more[:61]))) == 64
    assert refusal(ConfigError, codings_of, small_set(8, 8, *more)) == (
        "rock: got 65 maps, need 64 or fewer. Leave maps out."
    )


def test_a_name_that_no_header_takes_is_refused(refusal, same_message):
    long = material_map("x" * 65, waves(8, 8, 1))
    message = refusal(ConfigError, codings_of, small_set(8, 8, long))
    same_message(message, "map", "Shorten")


def test_of_a_set_that_is_constant_the_smallest_map_is_trained():
    flat = np.broadcast_to(np.float32([0, 0, 1]), (4, 4, 3))
    maps = (material_map("albedo", np.full((4, 4, 3), 0.5)), material_map("normal", flat),
            material_map("roughness", np.full((4, 4), 0.25)))  # fmt: skip
    codings = codings_of(MaterialSet("flat", maps))
    assert [coding.count for coding in codings] == [0, 0, 1]
    assert codings[2].trained(maps[2].values).max() == 0.25


def test_a_normal_that_points_down_is_what_nobody_stores():
    """z is rebuilt as 0 or more: files have no other, see source/normal_map."""
    normals = unit_normals(*SIZE)
    assert there_and_back(material_map("normal", normals))[..., 2].min() >= 0
