"""kinds/material/asset: what no fit writes is refused, though its checksum is right."""

import dataclasses
import pathlib

import pytest

import neuralshade
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError

WHOLE = pathlib.Path(__file__).parents[2] / "data" / "material.nsh"


@pytest.mark.parametrize("digest", ["", "00", "0" * 63 + "G", "0" * 128])
def test_a_digest_of_another_length_is_refused(tmp_path, digest):
    asset = read_asset(WHOLE)
    told = {**asset.header.own["material"], "digest": digest}
    header = dataclasses.replace(asset.header, own={**asset.header.own, "material": told})
    assert "for material.digest in the header, need 64 digits" in _refused(tmp_path, asset, header)


@pytest.mark.parametrize("way", ["cosine", "lobes", "sampler"])
def test_noise_below_none_is_refused(tmp_path, way):
    asset = read_asset(WHOLE)
    quality = {**asset.header.quality, f"noise_{way}": -5}
    header = dataclasses.replace(asset.header, quality=quality)
    said = f"got -5 for quality.noise_{way} in the header, need a finite number, 0 to 1e+06."
    assert said in _refused(tmp_path, asset, header)


def _refused(folder, asset, header):
    """Return what is said of an asset whose header is another."""
    save_asset(folder / "x.nsh", "material", header, asset.tensors)
    with pytest.raises(AssetError) as caught:
        neuralshade.load(folder / "x.nsh")
    return str(caught.value)
