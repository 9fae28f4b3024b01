"""kinds/image/weights/state_dict: Sequential networks and grids of PyTorch."""

from itertools import pairwise

import numpy as np
import pytest
import safetensors.torch
import torch

import neuralshade
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.image.recipe import ImageRecipe

RECIPE = {"encoding": "frequency:octaves=4", "activation": "silu", "output_activation": "sigmoid"}
TOML = "\n".join(f'{name} = "{value}"' for name, value in RECIPE.items())
GRIDS = "dense_grid:levels=2,features=2,coarsest=3,width=6,height=5 + identity"


class Waves(torch.nn.Module):
    def forward(self, uv):
        angles = uv[:, :, None] * torch.pi * 2.0 ** torch.arange(4)
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def network(inputs, layers=12, bias=True):
    sizes = [inputs, *[16] * layers]
    hidden = [m for i, o in pairwise(sizes)
              for m in (torch.nn.Linear(i, o, bias), torch.nn.SiLU())]  # fmt: skip
    return torch.nn.Sequential(*hidden, torch.nn.Linear(16, 3, bias), torch.nn.Sigmoid())


def saved(folder, tensors, name="mlp.safetensors"):
    safetensors.torch.save_file({n: t.contiguous() for n, t in tensors.items()}, folder / name)
    return folder / name


@pytest.mark.parametrize("layers", [1, 2, 7])  # 7: names with two digits, which sort otherwise
@pytest.mark.parametrize("bias", [True, False])
def test_a_sequential_network(tmp_path, noise, layers, bias):
    torch.manual_seed(1)
    mlp = network(16, layers, bias)
    (tmp_path / "mlp.toml").write_text(TOML)
    file = saved(tmp_path, mlp.state_dict())
    asset = neuralshade.import_asset(file, tmp_path / "a.nsh", recipe=tmp_path / "mlp.toml")
    at = noise.random((200, 2), np.float32)
    with torch.no_grad():
        wanted = mlp(Waves()(torch.from_numpy(at))).numpy()
    np.testing.assert_allclose(asset.at(at), wanted, atol=2e-5)
    assert asset.recipe.bias == bias
    assert asset.header.own["source"] == "imported from mlp.safetensors (PyTorch)"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_floats(tmp_path, dtype):
    mlp = network(16, 1)
    file = saved(tmp_path, {n: t.to(dtype) for n, t in mlp.state_dict().items()})
    asset = neuralshade.import_asset(file, tmp_path / "a.nsh", recipe=RECIPE)
    weight = mlp[0].weight.detach().to(dtype).float().numpy()
    np.testing.assert_array_equal(asset.tensors["network.layers.0.weight"], weight)
    assert asset.recipe.network_bits == (16 if dtype == torch.float16 else 32)


def test_grids_by_their_names_and_a_prefix_before_layers(tmp_path, noise):
    from neuralshade.kinds.image.field import build_field

    recipe = ImageRecipe(encoding=GRIDS, hidden_width=8, hidden_layers=1)
    field = build_field(recipe, 3, torch.Generator().manual_seed(2))
    tensors = {name.replace("network.layers", "decoder.net"): values.detach()
               for name, values in field.named_parameters()}  # fmt: skip
    asset = neuralshade.import_asset(saved(tmp_path, tensors), tmp_path / "a.nsh", recipe=recipe)
    at = noise.random((100, 2), np.float32)
    with torch.no_grad():
        field.store_as(32, 32)
        wanted = field(torch.from_numpy(at)).numpy()
    np.testing.assert_allclose(asset.at(at), wanted, atol=1e-6)


def test_a_finished_asset_comes_back(tmp_path, noise):
    """The names are those of an asset's own tensors."""
    first = saved(tmp_path, network(16, 2).state_dict())
    asset = neuralshade.import_asset(first, tmp_path / "a.nsh", recipe=RECIPE)
    again = saved(tmp_path, {n: torch.from_numpy(v) for n, v in asset.tensors.items()}, "b.pt")
    again.rename(tmp_path / "b.safetensors")
    copy = neuralshade.import_asset(tmp_path / "b.safetensors", tmp_path / "b.nsh", recipe=RECIPE)
    assert all(np.array_equal(copy.tensors[n], v) for n, v in asset.tensors.items())


def linear(outputs, inputs):
    return torch.full((outputs, inputs), 0.1)


@pytest.mark.parametrize(
    "recipe, tensors, message",
    [
        (RECIPE, {"0.weight": linear(8, 15), "2.weight": linear(3, 8)},
         "got 15 inputs, need 16 of encoding frequency:octaves=4. Name the one that it was "
         "trained with in --recipe."),
        (RECIPE, {"0.weight": linear(8, 16), "2.weight": linear(3, 9)},
         "got layers [outputs, inputs] of [[8, 16], [3, 9]], need hidden layers of one width, each "
         "reading the one before. Train such a network."),
        (RECIPE, {"0.weight": linear(8, 16), "2.weight": linear(9, 8), "4.weight": linear(3, 9)},
         "got layers [outputs, inputs] of [[8, 16], [9, 8], [3, 9]], need hidden layers of one "
         "width, each reading the one before. Train such a network."),
        (RECIPE, {"0.weight": linear(8, 16), "2.weight": linear(5, 8)},
         "got 5 outputs, need 1 to 4: the channels of a picture. Train a network for a picture."),
        (RECIPE, {"0.weight": linear(8, 16), "0.bias": torch.zeros(8), "2.weight": linear(3, 8)},
         "got no '2.bias', need it, [3], as other layers have one. Save a zero one."),
        (RECIPE, {"0.weight": linear(8, 16), "norm.scale": torch.zeros(8)},
         "got tensors 'norm.scale' [8], need NAME.weight and NAME.bias of linear layers alone. "
         "Save the network by itself."),
        (RECIPE, {"conv.weight": torch.zeros(8, 16, 3, 3)},
         "got tensors 'conv.weight' [8, 16, 3, 3], need a linear layer: [outputs, inputs] and "
         "[outputs]. Save such layers."),
        (RECIPE | {"encoding": GRIDS}, {"0.weight": linear(3, 6),
                                        "encoding.parts.0.texels.0": torch.zeros(2, 3, 3)},
         "got tensors '0.weight' [3, 6], 'encoding.parts.0.texels.0' [2, 3, 3], need "
         "'encoding.parts.0.texels.0' [2, 2, 3], 'encoding.parts.0.texels.1' [2, 5, 6] of the "
         "recipe's encoding. Rename or reshape them."),
        (RECIPE, {}, "got tensors none, need NAME.weight and NAME.bias of linear layers alone. "
                     "Save the network by itself."),
        (RECIPE, {"0.weight": linear(3, 16) * torch.nan},
         "got NaN or infinity in tensor '0.weight', need finite numbers. Train it again."),
    ],
)  # fmt: skip
def test_tensors_that_do_not_fit_are_listed(tmp_path, refusal, recipe, tensors, message):
    file = saved(tmp_path, tensors)
    got = refusal(AssetError, neuralshade.import_asset, file, tmp_path / "a.nsh", recipe=recipe)
    assert got == f"{file}: {message}"
    assert not (tmp_path / "a.nsh").exists()


@pytest.mark.parametrize(
    "recipe, message",
    [
        ({"encoding": "auto"}, "recipe: got no encoding, need the one that it was trained with. "
         'Write encoding = "frequency:octaves=6".'),
        (RECIPE | {"seconds": 3}, "recipe: got seconds, need one of encoding, activation, "
         "output_activation, hidden_layers, hidden_width, bias: the settings that an import reads. "
         "Leave it out."),
        (RECIPE | {"hidden_width": 32}, "recipe: got hidden_width=32 where {file} has 16, need the "
         "same. Leave it out."),
        (RECIPE | {"bias": False}, "recipe: got bias=False where {file} has True, need the same. "
         "Leave it out."),
        (3, "recipe: got 3, need a TOML file or settings by name. "
         'Write {{"encoding": "frequency:octaves=6"}}.'),
    ],
)  # fmt: skip
def test_recipes_that_do_not_fit_are_refused(tmp_path, refusal, recipe, message):
    file = saved(tmp_path, network(16, 1).state_dict())
    got = refusal(ConfigError, neuralshade.import_asset, file, tmp_path / "a.nsh", recipe=recipe)
    assert got == message.format(file=file)
