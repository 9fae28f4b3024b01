"""kinds/splats/coding/stream: levels of Gaussians to few bytes and back."""

import math
from base64 import b85decode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuralshade.errors import AssetError, ConfigError, ShapeError
from neuralshade.kinds.splats.coding.stream import canonical, decode, encode

SIZES = {"x": 3073, "y": 2049, "a": 64, "b": 64, "c": 64, "y0": 128, "y1": 64, "y2": 64}
NAMES = ("a", "b", "c", "opacity", "y0", "y1", "y2")
DAMAGED = (
    "a.nsh: got a damaged or truncated stream of Gaussians, need it as it was written. "
    "Copy the file again."
)


@st.composite
def clouds(draw):
    """Return columns and sizes: few or many, scattered, equal, at the ends, in few places."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    sizes = {"x": draw(st.integers(1, 5000)), "y": draw(st.integers(1, 5000))}
    sizes |= {name: draw(st.integers(1, 512) | st.integers(513, 65536)) for name in names}
    count = draw(st.one_of(st.integers(1, 20), st.integers(21, 200)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns = {}
    for name, size in sizes.items():
        pick = draw(st.sampled_from(["any", "equal", "ends", "few"]))
        choices = {
            "any": np.arange(size),
            "equal": rng.integers(0, size, 1),
            "ends": np.array([0, size - 1]),
            "few": rng.integers(0, size, 5),
        }[pick]
        columns[name] = rng.choice(choices, count)
    return columns, sizes


def drawn(count, seed=0, sizes=SIZES):
    """Return Gaussians that are scattered evenly, with attributes around a mode each."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, sizes[name], count) for name in ("x", "y")}
    for name in sorted(sizes.keys() - columns.keys()):
        bell = sizes[name] * (0.5 + 0.1 * rng.laplace(size=count))
        columns[name] = np.clip(bell, 0, sizes[name] - 1).astype(np.int64)
    return columns


def ideal_bytes(columns, ordered):
    """Return what even positions and each attribute's own histogram need, without any model."""
    count = len(columns["x"])
    bits = count * math.log2(SIZES["x"] * SIZES["y"])
    bits -= 0 if ordered else math.lgamma(count + 1) / math.log(2)
    for name in columns.keys() - {"x", "y"}:
        share = np.bincount(columns[name]) / count
        bits -= count * (share[share > 0] * np.log2(share[share > 0])).sum()
    return bits / 8


def reordered(columns, order):
    return {name: column[order] for name, column in columns.items()}


def assert_equal(decoded, columns):
    assert decoded.keys() == columns.keys()
    for name, column in decoded.items():
        assert column.dtype == np.int32
        np.testing.assert_array_equal(column, columns[name], err_msg=name)


@settings(max_examples=20, deadline=None)
@given(clouds())
def test_a_list_comes_back_in_its_order(cloud):
    columns, sizes = cloud
    stream = encode(columns, sizes, True)
    assert stream.dtype == np.uint8
    assert_equal(decode(stream, len(columns["x"]), sizes, True, "a.nsh"), columns)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(clouds(), st.integers(0, 2**32))
def test_a_set_comes_back_in_the_canonical_order(cloud, seed):
    columns, sizes = cloud
    count = len(columns["x"])
    stream = encode(columns, sizes, False)
    sorted_ = reordered(columns, canonical(columns, sizes))
    assert_equal(decode(stream, count, sizes, False, "a.nsh"), sorted_)
    shuffled = reordered(columns, np.random.default_rng(seed).permutation(count))
    np.testing.assert_array_equal(encode(shuffled, sizes, False), stream)


def test_order_of_the_mappings_does_not_count():
    columns = drawn(100)
    turned = {name: SIZES[name] for name in reversed(SIZES)}
    stream = encode(columns, SIZES, False)
    np.testing.assert_array_equal(encode(columns, turned, False), stream)
    decoded = decode(stream, 100, turned, False, "a.nsh")
    assert list(decoded) == list(turned)
    assert_equal(decoded, reordered(columns, canonical(columns, SIZES)))


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3000, pytest.param(30_000, marks=pytest.mark.slow)])
def test_size_is_near_the_entropy(count, ordered):
    """Here nothing tells anything else: places are even, and columns are independent."""
    columns = drawn(count)
    ideal = ideal_bytes(columns, ordered)
    assert len(encode(columns, SIZES, ordered)) <= 1.03 * ideal + 40


def test_a_level_made_finer_costs_the_bits_it_is_finer_by():
    sizes = {**SIZES, "y0": 512, "y1": 512}
    fine = {**sizes, "y0": 512 * 64, "y1": 512 * 2 - 1}
    columns = drawn(3000, sizes=fine)
    coarse = {**columns, "y0": columns["y0"] >> 6, "y1": columns["y1"] >> 1}
    more = 8 * (len(encode(columns, fine, False)) - len(encode(coarse, sizes, False)))
    assert more == pytest.approx(3000 * (6 + 1), rel=0.01)


@pytest.mark.slow
def test_a_set_saves_the_order():
    columns = drawn(5000)
    saved = len(encode(columns, SIZES, True)) - len(encode(columns, SIZES, False))
    assert saved == pytest.approx(math.lgamma(5001) / math.log(2) / 8, rel=0.02)


@pytest.mark.slow
def test_empty_regions_save():
    columns = drawn(5000)
    packed = {**columns, "x": columns["x"] // 4, "y": columns["y"] // 4}  # a 16th of the area
    for ordered in (True, False):
        saved = len(encode(columns, SIZES, ordered)) - len(encode(packed, SIZES, ordered))
        assert saved == pytest.approx(5000 * 4 / 8, rel=0.1)


def saved_bits(name, levels):
    """Return what a column saves, per Gaussian, by belonging to the others as it does."""
    columns = {**drawn(5000), name: np.clip(levels, 0, SIZES[name] - 1).astype(np.int64)}
    shuffled = {**columns, name: np.random.default_rng(9).permutation(columns[name])}
    return 8 * (len(encode(shuffled, SIZES, False)) - len(encode(columns, SIZES, False))) / 5000


def test_attributes_that_follow_from_others_save():
    columns = drawn(5000)
    # y1 tells all of y2 but one bit; its own histogram needs 5.2
    assert saved_bits("y2", columns["y1"] + columns["a"] % 2) > 3.8


@pytest.mark.slow
def test_attributes_that_neighbors_share_save():
    columns = drawn(5000)
    smooth = 64 + 55 * np.sin(columns["x"] / 400) * np.cos(columns["y"] / 300)
    assert saved_bits("y0", smooth) > 2.5


@pytest.mark.slow
def test_guesses_that_are_less_sure_in_places_save():
    unsure = 2.0 ** (2 + (drawn(5000)["b"] - 32) / 8)
    assert saved_bits("y1", 32 + unsure * np.random.default_rng(1).normal(size=5000)) > 0.25


def numbered(count):
    """Return levels that are the same on every machine, related as a cloud's are."""
    i = np.arange(count, dtype=np.int64)
    x, y = i * i * 2654435761 % 3073, i * 40503 * 69069 % 2049
    a = (x // 64 + i * i * i * 31 // 7 % 9) % 64
    return {"x": x, "y": y, "a": a, "y0": (2 * a + i * 7919 % 5) % 128}


STREAM = (
    "(`8H}sNjl1Dx+1kC<(ST2IU?_n-dQX3Ll3?D9Bg;sBDhbA)`#DQ~$jZrnrg@Akix{FdC3*s`Tm9Z%>REZl|%0-|umt"
    "R*9de%m;VmfzIF?BP9P`34|VDRLR^s|7=jM_2pO&)Olb*F4^t}sG0!Izi1XyTO8?%p@&0o@2d8g6*$LS$-{!FEB8Lo"
    "G>-zKMk?e-2*;WN=Nk7JnRG|iv8`+VY8hJLov`J4fU0}OQeRN4Dq#4G%u*1Z;2wMxHanh$?zMqsuwDxx`zLf>bI!!-"
    "ZZm+CTp=N5sy(1|zwVl<b82<Ie=9t9!7XI{iy76E&8O64-WBu(<@qvfvruB*YAGu?xi64>HW`abeGpUIJazJ2ek#ag"
    "WSZxvGDc4?B>$ygiE2Ss?xzI4WaBIh_%Vnv`7eBewbW<x`K<wXA|NP*+(+7VXmXTeV#bE?hF7D{n}#OR_B@K=Uugy+"
    "uLNV;_y41*6PT*kXr}"
)  # fmt: skip


def test_streams_of_earlier_versions_and_other_machines_are_read():
    sizes = {name: SIZES[name] for name in ("x", "y", "a", "y0")}
    columns = numbered(120)
    stream = np.frombuffer(b85decode(STREAM), np.uint8)
    expected = reordered(columns, canonical(columns, sizes))
    assert_equal(decode(stream, 120, sizes, False, "a.nsh"), expected)


@pytest.mark.slow
@pytest.mark.parametrize("ordered", [True, False])
def test_damage_refused(ordered):
    columns = drawn(200)
    stream = encode(columns, SIZES, ordered)
    rng = np.random.default_rng(3)
    flipped = stream.copy()
    wrong = [stream[: len(stream) // 2], stream[:-8], stream[:0], stream.astype(np.float32)]
    for place in rng.integers(0, len(stream) - 1, 20):
        flipped = stream.copy()
        flipped[place] ^= 1 << rng.integers(0, 8)
        wrong.append(flipped)
    wrong.append(rng.integers(0, 256, len(stream)).astype(np.uint8))
    for each in wrong:
        with pytest.raises(AssetError) as caught:
            decode(each, 200, SIZES, ordered, "a.nsh")
        assert str(caught.value) == DAMAGED


def test_what_belongs_to_another_stream_refused():
    stream = encode(drawn(200), SIZES, False)
    finer = {**SIZES, "a": 65}
    for count, sizes, ordered in [(201, SIZES, False), (1 << 20, SIZES, False),
                                  (200, finer, False), (200, SIZES, True)]:  # fmt: skip
        with pytest.raises(AssetError) as caught:
            decode(stream, count, sizes, ordered, "a.nsh")
        assert str(caught.value) == DAMAGED


@pytest.mark.parametrize(
    "count, sizes, fault",
    [
        (0, SIZES, "0 Gaussians, need 1 ... 1048576"),
        (10**12, SIZES, "1000000000000 Gaussians, need 1 ... 1048576"),
        (5, {"x": 5}, "no levels of y, need them of every Gaussian's position"),
        (5, {**SIZES, "a": 65537}, "65537 levels of a, need a whole number in 1 ... 65536"),
        (5, {**SIZES, "x": 0}, "0 levels of x, need a whole number in 1 ... 1048576"),
        (5, {**SIZES, "c": "6"}, "'6' levels of c, need a whole number in 1 ... 65536"),
    ],
)
def test_impossible_headers_refused(count, sizes, fault):
    with pytest.raises(AssetError) as caught:
        decode(np.zeros(10, np.uint8), count, sizes, False, "a.nsh")
    assert str(caught.value) == f"a.nsh: got {fault}. Fit it again."


def test_impossible_sizes_refused(same_message):
    with pytest.raises(ConfigError) as caught:
        encode(drawn(5), {**SIZES, "a": 2**17}, False)
    same_message(str(caught.value), "splats", "Use")


@pytest.mark.parametrize(
    "change, message",
    [
        ({"a": np.zeros(4, int)},
         "splats.a: got int64 [4], need integers [5]. Round to levels first."),
        ({"a": np.zeros(5)},
         "splats.a: got float64 [5], need integers [5]. Round to levels first."),
        ({"a": np.array([0, 64, 1, 2, 3])},
         "splats.a: got levels 0 ... 64, need 0 ... 63. Clamp them first."),
        ({"y2": np.array([0, 4, -1, 2, 3])},
         "splats.y2: got levels -1 ... 4, need 0 ... 63. Clamp them first."),
        ({"hue": np.zeros(5, int)},
         "splats: got columns ['a', 'b', 'c', 'hue', 'x', 'y', 'y0', 'y1', 'y2'], need "
         "['a', 'b', 'c', 'x', 'y', 'y0', 'y1', 'y2']. Give every column its size."),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit_refused(change, message):
    with pytest.raises(ShapeError) as caught:
        encode({**drawn(5), **change}, SIZES, False)
    assert str(caught.value) == message


def test_no_gaussians_refused(same_message):
    with pytest.raises(ShapeError) as caught:
        encode(drawn(0), SIZES, True)
    same_message(str(caught.value), "splats", "Change")
