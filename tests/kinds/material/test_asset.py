"""kinds/material/asset: what no fit writes is refused, though its checksum is right."""

import dataclasses
import pathlib

import pytest
import torch

import neuralshade
from neuralshade.asset.asset import read_asset, save_asset
from neuralshade.errors import AssetError
from neuralshade.kinds.material.asset import parameters_of, sampler_parameters
from neuralshade.kinds.material.field import build_field
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.schema import half_shapes
from neuralshade.model.lobe_sampler import LobeSampler

WHOLE = pathlib.Path(__file__).parents[2] / "data" / "material.nsh"


@pytest.mark.parametrize("settings", [
    {}, {"features": 4, "lobes": 1, "lobe_inputs": 3, "hidden_layers": 1},
    {"lobes": 2, "lobe_inputs": 5, "vary": "wetness=0..1,age=0..2", "hidden_layers": 3},
])  # fmt: skip
def test_shapes_are_known_without_modules(settings):
    recipe = MaterialRecipe(hidden_width=16, **settings)
    with torch.device("meta"):
        field = build_field(recipe, 8, None)
        sampler = LobeSampler(recipe.features, recipe.lobes, recipe.varied_count, rng=None)
    made = {**parameters_of(field), **sampler_parameters(sampler)}
    assert list(half_shapes(recipe).items()) == [(n, tuple(p.shape)) for n, p in made.items()]


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
