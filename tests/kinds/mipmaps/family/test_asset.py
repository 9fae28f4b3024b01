"""kinds/mipmaps/family: what was saved is read again, and nothing else is."""

import dataclasses

import numpy as np
import pytest
import torch

import neuralshade
from neuralshade.asset.asset import Header, asset_file, save_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.family.footprints import INVARIANTS, VECTORS
from neuralshade.kinds.mipmaps.family.opened import OpenedFamily
from neuralshade.model.mip_correction import MipCorrection

HEADER = Header(
    {"diffuse": "lambert"},
    {"steps": 10, "seconds": 0.5},
    {"left": {"bark": 0.25}},
    own={
        "family": {
            "sets": [{"name": "bark", "width": 8, "height": 4}],
            "network": {"hidden_width": 8, "hidden_layers": 0, "batch": 64},
        }
    },
)


def network():
    """Return one of no hidden layer."""
    rng = torch.Generator().manual_seed(0)
    return MipCorrection(INVARIANTS, VECTORS, 0, 8, rng=rng)


def test_saved_is_read_again(tmp_path):
    tensors = {name: values.numpy() for name, values in network().state_dict().items()}
    size = save_asset(tmp_path / "f.nsh", "mip_family", HEADER, tensors)
    for asset in (OpenedFamily.read(tmp_path / "f.nsh"), neuralshade.load(tmp_path / "f.nsh")):
        assert (asset.header, asset.byte_count) == (HEADER, size)
        assert asset.header.picture is None and list(asset.tensors) == sorted(tensors)
        for name, values in tensors.items():
            np.testing.assert_array_equal(asset.tensors[name], values)


def test_other_files_are_refused(tmp_path):
    write_asset_file(tmp_path / "i.nsh", asset_file("image", HEADER, {}))
    without = dataclasses.replace(HEADER, own={})
    write_asset_file(tmp_path / "h.nsh", asset_file("mip_family", without, {}))
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


@pytest.mark.parametrize("change, got", [
    ({"left": {"bark": 0.25, "moss": None}}, "None for quality.left.moss in the header, need a "
     "finite number, 0 to 1e+30. Fit it again."),
    ({"left": {"moss": 0.25}}, "no quality.left of 'bark', need that of every set. Train the "
     "family again."),
    ({}, "no 'quality.left' in the header, need a whole asset. Fit it again."),
])  # fmt: skip
def test_shares_that_are_none(tmp_path, change, got):
    tensors = {name: values.numpy() for name, values in network().state_dict().items()}
    save_asset(tmp_path / "f.nsh", "mip_family", dataclasses.replace(HEADER, quality=change),
               tensors)  # fmt: skip
    with pytest.raises(AssetError) as caught:
        neuralshade.load(tmp_path / "f.nsh")
    assert str(caught.value) == f"{tmp_path / 'f.nsh'}: got {got}"
