"""kinds/material/references/texture_set: a folder of maps shades as in ``fit mipmaps``."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from fixtures.small_material import upper_pairs

import neuralshade
from neuralshade.errors import ConfigError
from neuralshade.kinds.material.judging.evaluate import reference_of
from neuralshade.kinds.material.recipe import MaterialRecipe
from neuralshade.kinds.material.references.reference_bsdf import ReferenceKernels
from neuralshade.kinds.material.references.sources import load_reference, reference_digest
from neuralshade.model.microfacet import Surface, shade
from neuralshade.source.texture_set import load_texture_set


def test_texels_are_those_of_the_shading_model(gpu, tmp_path, noise):
    normal = np.full((3, 4, 3), 0.5, np.float32)
    normal[..., :2] += 0.2 * noise.random((3, 4, 2), np.float32)
    normal[..., 2] = 0.9
    for name, values in (("albedo", noise.random((3, 4, 3), np.float32)), ("normal", normal),
                         ("roughness", 0.3 + 0.5 * noise.random((3, 4, 1), np.float32)),
                         ("metallic", noise.random((3, 4, 1), np.float32))):  # fmt: skip
        neuralshade.save_picture(tmp_path / f"{name}.png", values, "srgb")
    maps = load_texture_set(tmp_path, normal_convention="opengl")
    reference = load_reference(tmp_path)
    _, wi, wo = upper_pairs(300)
    row, col = np.arange(300) % 3, np.arange(300) % 4
    uv = np.stack([(col + 0.5) / 4, (row + 0.5) / 3], 1).astype(np.float32)
    kernels = ReferenceKernels(gpu, reference)
    read = kernels.parameters(uv)
    np.testing.assert_allclose(read[:, :3], maps.albedo[row, col], atol=1e-5)
    surface = Surface(*(torch.from_numpy(values) for values in (
        read[:, :3], read[:, 4:7], read[:, 3], maps.metallic[row, col])))  # fmt: skip
    wanted = shade(surface, torch.from_numpy(wi), torch.from_numpy(wo)).numpy()
    np.testing.assert_allclose(kernels.eval(uv, wi, wo), wanted, rtol=5e-3, atol=1e-5)


def test_a_folder_without_maps_and_an_element_of_one_are_refused(tmp_path, refusal):
    refusal(ConfigError, load_reference, tmp_path)
    said = refusal(ConfigError, load_reference, tmp_path, "Gold")
    assert said.startswith("element: got 'Gold' for a set of maps")
    with pytest.raises(ConfigError, match="for a stack of layers"):
        load_reference(tmp_path / "x.toml", "Gold")


@pytest.mark.parametrize("wrap, edge", [("repeat", 0.5), ("clamp", 0.2)])
def test_the_border_is_that_of_the_fit(gpu, tmp_path, wrap, edge):
    """For look-ups, and for the smaller maps that are enlarged before."""
    rough = np.float32([[[0.2], [0.2], [0.8], [0.8]]] * 4)
    for name, values in (("albedo", np.full((8, 8, 3), 0.5, np.float32)), ("roughness", rough)):
        neuralshade.save_picture(tmp_path / f"{name}.png", values, "srgb")
    read = ReferenceKernels(gpu, load_reference(tmp_path, wrap=wrap)).parameters(
        np.float32([[0, 0.5], [0.5, 0.5]])
    )
    np.testing.assert_allclose(read[:, 3], [edge, 0.5], atol=3e-3)


def test_one_udim_tile_is_a_material(tmp_path):
    for tile, value in ((1001, 0.2), (1002, 0.7)):
        for name in ("albedo", "roughness"):
            values = np.full((2, 2, 3), value, np.float32)
            neuralshade.save_picture(tmp_path / f"wood_{name}.{tile}.png", values, "srgb")
    references = [load_reference(tmp_path / f"wood.{tile}") for tile in (1001, 1002)]
    assert [one.name for one in references] == ["wood.1001", "wood.1002"]
    assert len({reference_digest(one) for one in references}) == 2


def test_the_reference_of_an_asset_has_the_border_of_its_fit(tmp_path):
    for name in ("albedo", "roughness"):
        neuralshade.save_picture(
            tmp_path / f"{name}.png", np.full((2, 2, 3), 0.5, np.float32), "srgb"
        )
    for wrap in ("repeat", "clamp"):
        reference = load_reference(tmp_path, wrap=wrap)
        opened = SimpleNamespace(path="x.nsh", material={"name": reference.name},
                                 recipe=MaterialRecipe(wrap=wrap), trusted=False)  # fmt: skip
        assert reference_digest(reference_of(opened, tmp_path)) == reference_digest(reference)
