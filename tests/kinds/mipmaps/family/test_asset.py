"""kinds/mipmaps/family: what was saved is read again, and nothing else is."""

import numpy as np
import pytest

import neuralshade
from neuralshade.asset.asset import Header, asset_file, save_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.family.opened import OpenedFamily

HEADER = Header(
    {"diffuse": "lambert"},
    {"steps": 10, "seconds": 0.5},
    {"left": {"bark": 0.25}},
    own={
        "family": {
            "sets": [{"name": "bark", "width": 8, "height": 4}],
            "network": {"hidden_width": 32},
        }
    },
)


def test_saved_is_read_again(tmp_path):
    tensors = {"network.layers.0.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
               "mean": np.float32([1, 2])}  # fmt: skip
    size = save_asset(tmp_path / "f.nsh", "mip_family", HEADER, tensors)
    for asset in (OpenedFamily.read(tmp_path / "f.nsh"), neuralshade.load(tmp_path / "f.nsh")):
        assert (asset.header, asset.byte_count) == (HEADER, size)
        assert asset.header.picture is None and list(asset.tensors) == sorted(tensors)
        for name, values in tensors.items():
            np.testing.assert_array_equal(asset.tensors[name], values)


def test_other_files_are_refused(tmp_path):
    write_asset_file(tmp_path / "i.nsh", asset_file("image", HEADER, {}))
    write_asset_file(tmp_path / "h.nsh", asset_file("mip_family", Header({}, {}, {}), {}))
    messages = {
        "none.nsh": "got no such file, need a readable asset file. Check the path.",
        "i.nsh": "got an asset of kind 'image', need 'mip_family'. Use one that fit mipmaps "
                 "--share made.",
        "h.nsh": "got no 'family' in the header, need a whole asset. Fit it again.",
    }  # fmt: skip
    for name, message in messages.items():
        with pytest.raises(AssetError) as caught:
            OpenedFamily.read(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: {message}"
