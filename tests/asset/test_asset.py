"""asset/asset: what an asset says of itself."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neuralshade
from neuralshade.asset.asset import (
    CURVE_POINTS,
    asset_file,
    log_spaced,
    read_asset,
    save_asset,
    thin,
)
from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.errors import AssetError


def test_round_trip(tmp_path, header):
    path, tensors = tmp_path / "a.nsh", {"t": np.arange(6, dtype=np.float16).reshape(2, 3)}
    size = save_asset(path, "image", header, tensors)
    asset = read_asset(path)
    assert (asset.kind, asset.header) == ("image", header)
    assert (asset.byte_count, asset.path) == (size, str(path)) == (path.stat().st_size, str(path))
    assert asset.tensors.keys() == tensors.keys()
    assert np.array_equal(asset.tensors["t"], tensors["t"])


def test_long_curves_are_thinned(tmp_path, header):
    curve = [[step, step / 10, 0.1, 20.0] for step in range(1000)]
    long = dataclasses.replace(header, training={**header.training, "curve": curve})
    save_asset(tmp_path / "a.nsh", "image", long, {})
    kept = read_asset(tmp_path / "a.nsh").header.training
    assert len(kept["curve"]) <= CURVE_POINTS
    assert (kept["curve"][0], kept["curve"][-1]) == (curve[0], curve[-1])
    assert (kept["steps"], kept["seconds"]) == (7, 0.5)


@given(st.integers(0, 3000), st.integers(2, 40))
def test_thinning_keeps_both_ends_and_the_order(length, count):
    kept = log_spaced(list(range(length)), count)
    assert len(kept) <= count and kept == sorted(set(kept))
    if length <= count:
        assert kept == list(range(length))
    else:
        assert (kept[0], kept[-1]) == (0, length - 1)


def test_thinning_is_log_spaced():
    kept = log_spaced(list(range(1024)), 11)
    assert kept == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023]


@given(st.lists(st.booleans(), max_size=400), st.integers(6, 40))
def test_of_a_thinned_curve_two_thirds_have_a_psnr(measured, count):
    curve = [[i, 0.1 * i, 0.5, 20.0 if one else None] for i, one in enumerate(measured)]
    kept = thin(curve, count)
    assert len(kept) <= count and kept == sorted(kept, key=lambda row: row[0])
    if len(curve) > count and 0 < sum(measured) < len(curve):
        with_psnr = [row for row in kept if row[3] is not None]
        last = max(i for i, one in enumerate(measured) if one)
        assert with_psnr[-1][0] == last  # what the fit came to
        assert len(with_psnr) <= max(2 * count // 3, count - measured.count(False))


@pytest.mark.parametrize("name", ["recipe", "picture", "training", "quality"])
def test_incomplete_header_refused(tmp_path, header, name):
    content = asset_file("image", header, {}).header
    del content[name]
    path = tmp_path / "a.nsh"
    write_asset_file(path, AssetFile(content, {}))
    with pytest.raises(AssetError) as caught:
        neuralshade.load(path)
    assert str(caught.value) == (
        f"{path}: got no '{name}' in the header, need a whole asset. Fit it again."
    )
