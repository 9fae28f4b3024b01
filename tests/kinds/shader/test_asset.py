"""kinds/shader: a trained task comes back as it was saved."""

import dataclasses

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import Header, asset_file, read_asset, save_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.shader.fit import CURVE_POINTS
from neuralshade.kinds.shader.opened import OpenedShader

CURVE = [[step, step / 10, 1.0 / (step + 1), None] for step in range(1000)]
HEADER = Header(
    recipe={"threads": "4x4", "seed": 3},
    training={"steps": 1000, "seconds": 100.0, "curve": CURVE},
    quality={"loss": 0.25},
    own={
        "module": {
            "name": "t.slang",
            "text": "struct Task {}\n",
            "values": {"b": 2},
            "pictures": {},
        }
    },
)
MEMBERS = {"zero": np.float32(1.5).reshape(()), "map": np.ones((2, 3, 4), np.float32),
           "a_matrix": np.arange(6, dtype=np.float32).reshape(2, 3)}  # fmt: skip


def test_what_is_saved_is_loaded(tmp_path):
    path = tmp_path / "x.nsh"
    size = save_asset(path, "shader", HEADER, MEMBERS, CURVE_POINTS)
    assert isinstance(neuralshade.load(path), OpenedShader)
    for asset in (read_asset(path), neuralshade.load(path)):
        assert (
            (asset.byte_count, asset.path) == (size, str(path)) == (path.stat().st_size, str(path))
        )
        assert asset.tensors.keys() == MEMBERS.keys()
        for name, array in MEMBERS.items():
            np.testing.assert_array_equal(asset.tensors[name], array)
            assert asset.tensors[name].shape == array.shape
        for name in ("recipe", "own", "picture", "quality"):
            assert getattr(asset.header, name) == getattr(HEADER, name)
        curve = asset.header.training["curve"]
        assert len(curve) <= CURVE_POINTS and curve[-1][0] == 999


def test_a_header_that_is_not_whole_is_refused(tmp_path, same_message):
    path = tmp_path / "x.nsh"
    write_asset_file(path, asset_file("shader", dataclasses.replace(HEADER, own={}), MEMBERS))
    with pytest.raises(AssetError) as caught:
        neuralshade.load(path)
    same_message(str(caught.value), path, "Fit")
