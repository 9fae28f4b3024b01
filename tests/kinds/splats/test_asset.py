"""kinds/splats/asset: what a file says of a cloud is what the engine drew."""

import dataclasses

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import Asset, Header, asset_size, read_asset, save_asset
from neuralshade.asset.file import AssetFile, read_asset_file, write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.splats import KIND
from neuralshade.kinds.splats.asset import (
    CURVE_POINTS,
    NAMES,
    STREAM,
    cloud_facts,
    pack_cloud,
    unpack_cloud,
)
from neuralshade.kinds.splats.coding.stream import canonical
from neuralshade.kinds.splats.kernels import RANGE
from neuralshade.kinds.splats.opened import OpenedSplats

BACKGROUND = np.float32([0.25, 0.123456789, 3.0])
COUNT = 50
# low, high, levels, rate; low is a multiple of the step, as recipes/splats_schedule makes it
RANGES = np.array(
    [
        (0.0, 36.9, 124, 0.3),
        (0.0, 0.04 * 600, 601, 0.3),
        (-1.4, 2.1, 36, 0),
        (-4 * 0.37, 9 * 0.37, 14, 0),
        (-0.7, 0.7, 21, 0),
        (-0.11, 0.55, 61, 1),
        (-3 / 7, 0.0, 4, 1),
        (1000 / 300, 1400 / 300, 401, 1),
    ],
    RANGE,
)


@pytest.fixture
def levels():
    rng = np.random.default_rng(5)
    return np.stack([rng.integers(0, int(n), COUNT, dtype=np.int32) for n in RANGES["levels"]])


@pytest.fixture
def cloud():
    return cloud_facts(COUNT, RANGES, BACKGROUND)


@pytest.fixture
def about(cloud):
    picture = {"name": "a.png", "width": 37, "height": 24, "channels": 3, "color_space": "srgb",
               "dtype": "uint8"}  # fmt: skip
    curve = [[step, 0.1 * step, 0.3, 5.0 + step] for step in range(1, 40)]
    training = {"steps": 39, "seconds": 3.9, "curve": curve}
    return Header({"count": COUNT}, training, {"psnr_db": 20.5}, picture, {"cloud": cloud})


def as_drawn(levels):
    """Return what kernels make of levels, in float32: low + level * step."""
    low, high = RANGES["low"][:, None], RANGES["high"][:, None]
    step = (high - low) / (RANGES["levels"][:, None] - np.float32(1))
    assert step.dtype == np.float32
    return low + levels.astype(np.float32) * step


def in_memory(header, tensors):
    return Asset("splats", header, tensors, path="a.nsh")


def test_what_is_unpacked_is_what_was_drawn(about, levels, cloud):
    tensors = pack_cloud(levels, cloud, ordered=True)
    assert list(tensors) == [STREAM] and tensors[STREAM].dtype == np.uint8
    values = unpack_cloud(in_memory(about, tensors), ordered=True)
    assert values.dtype == np.float32 and values.shape == levels.shape
    np.testing.assert_allclose(values, as_drawn(levels), rtol=3e-7, atol=3e-7)
    steps = (RANGES["high"] - RANGES["low"]) / (RANGES["levels"] - 1)
    assert (abs(values - as_drawn(levels)) < 1e-3 * steps[:, None]).all()


def test_where_order_does_not_count_gaussians_come_sorted(about, levels, cloud):
    tensors = pack_cloud(levels, cloud, ordered=False)
    names = [*NAMES, *(f"y{i}" for i in range(len(levels) - len(NAMES)))]
    order = canonical(*(dict(zip(names, of, strict=True)) for of in (levels, cloud["levels"])))
    assert sorted(order) == list(range(COUNT)) != list(order)
    values = unpack_cloud(in_memory(about, tensors), ordered=False)
    np.testing.assert_allclose(values, as_drawn(levels)[:, order], rtol=3e-7, atol=3e-7)
    assert tensors[STREAM].size < pack_cloud(levels, cloud, ordered=True)[STREAM].size


def test_facts_of_a_cloud(cloud):
    assert cloud["count"] == COUNT
    assert cloud["levels"] == [124, 601, 36, 14, 21, 61, 4, 401]
    assert cloud["first"] == [0, 0, -14, -4, -10, -10, -3, 1000]
    assert cloud["step"] == pytest.approx([0.3, 0.04, 0.1, 0.37, 0.07, 0.011, 1 / 7, 1 / 300])
    assert cloud["background"] == [0.25, 0.12346, 3.0]


@pytest.mark.parametrize("value", [0.0, 0.5, -1.4])
def test_an_attribute_of_one_level_keeps_its_value(about, levels, value):
    """As where all values are equal, and a multiple of the step."""
    ranges, levels = RANGES.copy(), levels.copy()
    ranges[4], levels[4] = (value, value, 1, 0), 0
    cloud = cloud_facts(COUNT, ranges, BACKGROUND)
    asset = in_memory(
        dataclasses.replace(about, own={"cloud": cloud}), pack_cloud(levels, cloud, ordered=True)
    )
    assert unpack_cloud(asset, ordered=True)[4].tolist() == pytest.approx([value] * COUNT)


@pytest.fixture
def path(tmp_path, about, levels, cloud):
    tensors = pack_cloud(levels, cloud, ordered=True)
    save_asset(tmp_path / "cloud.nsh", "splats", about, tensors, CURVE_POINTS)
    return tmp_path / "cloud.nsh"


def test_a_header_comes_back_as_it_was_but_for_a_thinner_curve(path, about, levels, cloud):
    asset = read_asset(path)
    tensors = pack_cloud(levels, cloud, ordered=True)
    for name in ("recipe", "picture", "quality", "own"):
        assert getattr(asset.header, name) == getattr(about, name)
    curve = asset.header.training["curve"]
    assert len(curve) <= CURVE_POINTS and curve[-1] == about.training["curve"][-1]
    assert {**asset.header.training, "curve": []} == {**about.training, "curve": []}
    assert asset.tensors[STREAM].tobytes() == tensors[STREAM].tobytes()
    assert (
        asset.byte_count
        == path.stat().st_size
        == asset_size("splats", about, tensors, CURVE_POINTS)
    )
    assert asset.path == str(path)


def test_an_asset_is_loaded_by_its_kind(path, asset_path, same_message):
    """The other one, of this folder's fixtures, is a fitted network."""
    assert isinstance(neuralshade.load(path), OpenedSplats)
    assert isinstance(neuralshade.load(asset_path), OpenedImage)
    same_message(refusal(OpenedSplats.read, asset_path), asset_path, "Use")


def refusal(call, *arguments):
    with pytest.raises(AssetError) as caught:
        call(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("name", ["recipe", "picture", "training", "quality", "cloud"])
def test_a_header_that_is_not_whole_is_refused(path, name):
    file = read_asset_file(path)
    del file.header[name]
    write_asset_file(path, AssetFile(file.header, file.tensors))
    assert refusal(neuralshade.load, path) == (
        f"{path}: got no '{name}' in the header, need a whole asset. Fit it again."
    )


def altered(asset, **facts):
    """Return the asset with other facts of its cloud; None takes one out."""
    cloud = {k: v for k, v in {**asset.header.own["cloud"], **facts}.items() if v is not None}
    return dataclasses.replace(
        asset, header=dataclasses.replace(asset.header, own={"cloud": cloud})
    )


@pytest.mark.parametrize("fact", ["count", "levels", "first", "step", "background"])
def test_a_description_that_is_not_whole_is_refused(path, fact):
    asset = altered(read_asset(path), **{fact: None})
    assert refusal(OpenedSplats.of, asset) == (
        f"{path}: got no 'cloud.{fact}' in the header, need a whole asset. Fit it again."
    )


@pytest.mark.parametrize("facts, got", [
    ({"count": "many"}, "'many' for cloud.count in the header, need a whole number, 1 to "
     "1.04858e+06"),
    ({"count": True}, "True for cloud.count in the header, need a whole number, 1 to 1.04858e+06"),
    ({"count": -1}, "-1 for cloud.count in the header, need a whole number, 1 to 1.04858e+06"),
    ({"step": "x"}, "'x' for cloud.step in the header, need a list of 6 to 10"),
    ({"step": [0.5] * 3}, "[0.5, 0.5, 0.5] for cloud.step in the header, need a list of 6 to 10"),
    ({"first": [[1]] * 8}, "[1] for cloud.first[0] in the header, need a whole number, "
     "-9.0072e+15 to 9.0072e+15"),
    ({"levels": [124.5, *[9] * 7]}, "124.5 for cloud.levels[0] in the header, need a whole number, "
     "1 to 1.04858e+06"),
    ({"levels": [9] * 7}, "7 numbers for cloud.levels, need 8, one an attribute"),
    ({"background": [0.5]}, "1 numbers for cloud.background, need 3, one a channel"),
    ({"background": [1e31, 0, 0]}, "1e+31 for cloud.background[0] in the header, need a finite "
     "number, -1e+30 to 1e+30"),
])  # fmt: skip
def test_a_description_that_makes_no_sense_is_refused(path, facts, got):
    """Made by hand, or by another version: the file is whole, yet says nothing sound."""
    line = refusal(OpenedSplats.of, altered(read_asset(path), **facts))
    assert line == f"{path}: got {got}. Fit it again."


def test_a_count_beyond_the_bytes_of_the_stream_is_refused(path):
    """Nothing is allocated that the file's own size does not justify."""
    asset = read_asset(path)
    size = asset.tensors[STREAM].size
    most = 1024 + 64 * size
    line = refusal(OpenedSplats.of, altered(asset, count=most + 1))
    assert line == (
        f"{path}: got {most + 1} Gaussians in {size} bytes, need {most} or fewer. Fit it again."
    )


def test_another_count_than_the_stream_s_is_refused(path, same_message):
    message = refusal(unpack_cloud, altered(read_asset(path), count=COUNT + 1), True)
    same_message(message, path, "Copy")


@pytest.mark.parametrize("row, name, limit", [(0, "x", "6.71089e+07"), (2, "a", "60"),
                                              (4, "b", "1000"), (5, "y0", "1e+30")])  # fmt: skip
def test_numbers_that_cannot_be_drawn_are_refused(path, row, name, limit):
    asset = read_asset(path)
    steps = list(asset.header.own["cloud"]["step"])
    steps[row] = 1e300
    assert refusal(unpack_cloud, altered(asset, step=steps), True) == (
        f"{path}: got Gaussians with {name} beyond {limit}, need smaller numbers. Fit it again."
    )


def test_a_file_without_its_stream_is_refused(path):
    file = read_asset_file(path, KIND.name)
    write_asset_file(path, AssetFile(file.header, {}))
    assert refusal(neuralshade.load, path) == (
        f"{path}: got no such tensor for {STREAM}, need uint8 [0]. Fit it again."
    )
