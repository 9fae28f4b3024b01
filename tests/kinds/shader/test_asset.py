"""asset/shader: a trained task comes back as it was saved."""

import numpy as np
import pytest

from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.asset.load import load_asset
from neuralshade.asset.shader import (
    CURVE_POINTS,
    KIND,
    ShaderAsset,
    ShaderHeader,
    load_shader_asset,
    save_shader_asset,
)
from neuralshade.errors import AssetError

CURVE = [[step, step / 10, 1.0 / (step + 1), None] for step in range(1000)]
HEADER = ShaderHeader(
    recipe={"threads": "4x4", "seed": 3},
    module={"name": "t.slang", "text": "struct Task {}\n", "values": {"b": 2}, "pictures": {}},
    picture=None,
    training={"steps": 1000, "seconds": 100.0, "curve": CURVE},
    quality={"loss": 0.25},
)
MEMBERS = {"zero": np.float32(1.5).reshape(()), "map": np.ones((2, 3, 4), np.float32),
           "a_matrix": np.arange(6, dtype=np.float32).reshape(2, 3)}  # fmt: skip


def test_what_is_saved_is_loaded(tmp_path):
    path = tmp_path / "x.nsh"
    size = save_shader_asset(path, HEADER, MEMBERS)
    for asset in (load_shader_asset(path), load_asset(path)):
        assert isinstance(asset, ShaderAsset)
        assert (
            (asset.byte_count, asset.path) == (size, str(path)) == (path.stat().st_size, str(path))
        )
        assert asset.tensors.keys() == MEMBERS.keys()
        for name, array in MEMBERS.items():
            np.testing.assert_array_equal(asset.tensors[name], array)
            assert asset.tensors[name].shape == array.shape
        for name in ("recipe", "module", "picture", "quality"):
            assert getattr(asset.header, name) == getattr(HEADER, name)
        curve = asset.header.training["curve"]
        assert len(curve) <= CURVE_POINTS and curve[-1][0] == 999


def test_a_header_that_is_not_whole_is_refused(tmp_path):
    path = tmp_path / "x.nsh"
    write_asset_file(path, AssetFile({"kind": KIND, "recipe": {}}, MEMBERS))
    with pytest.raises(AssetError) as caught:
        load_shader_asset(path)
    assert str(caught.value) == (
        f"{path}: got no 'module' in the header, need a whole asset. Fit it again."
    )
