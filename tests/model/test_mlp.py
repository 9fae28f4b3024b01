"""model/mlp, model/linear, model/field: both paths equal NumPy in value, each other in gradient."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from neuralshade.model.activation import ACTIVATIONS, activate
from neuralshade.model.field import Field
from neuralshade.model.linear import Linear
from neuralshade.model.mlp import MLP
from neuralshade.model.quantize import fake_quantize
from neuralshade.model.registry import build_encoding

NUMPY_ACTIVATIONS = {"relu": lambda x: np.maximum(x, 0), "tanh": np.tanh, "none": lambda x: x}
SIZES = [(1, 1, 8), (5, 3, 8), (33, 4, 12), (2, 7, 40)]  # inputs, outputs, hidden width


def with_biases(network: MLP, rng: torch.Generator) -> MLP:
    """Biases start at zero: fill them, or a wrong bias gradient could not be seen."""
    for layer in network.layers:
        if layer.bias is not None:
            torch.nn.init.uniform_(layer.bias, -0.5, 0.5, generator=rng)
    return network


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("hidden_layers", [0, 1, 2, 3])
@pytest.mark.parametrize("inputs, outputs, width", SIZES)
def test_forward_equals_numpy(inputs, outputs, width, hidden_layers, bias, rng):
    network = MLP(inputs, outputs, hidden_layers, width, "tanh", "relu", bias, rng=rng)
    with_biases(network, rng)
    x = torch.randn(17, inputs, generator=rng)
    wanted = x.double().numpy()
    kinds = ["tanh"] * hidden_layers + ["relu"]
    assert len(network.layers) == hidden_layers + 1
    for layer, kind in zip(network.layers, kinds, strict=True):
        wanted = wanted @ layer.weight.detach().double().numpy().T
        if bias:
            wanted = wanted + layer.bias.detach().double().numpy()
        wanted = NUMPY_ACTIVATIONS[kind](wanted)
    np.testing.assert_allclose(network(x).detach(), wanted, rtol=1e-5, atol=1e-5)
    widths = [inputs, *[width] * hidden_layers, outputs]
    weights = sum(a * b for a, b in pairwise(widths))
    assert sum(p.numel() for p in network.parameters()) == weights + bias * sum(widths[1:])


def gradients(network: MLP, x: torch.Tensor, y: torch.Tensor, d_y: torch.Tensor) -> list:
    return [y.detach(), *torch.autograd.grad(y, [x, *network.parameters()], d_y)]


def both_paths(network: MLP, x: torch.Tensor, compute: torch.dtype, rng: torch.Generator):
    """Return value and gradients (input, parameters) of ``forward`` and of ``on_columns``."""
    y = network(x)
    d_y = torch.randn(y.shape, generator=rng)
    rows = gradients(network, x, y, d_y)
    y = network.on_columns(x.t(), compute).t()
    return rows, gradients(network, x, y, d_y.to(y.dtype))


@pytest.mark.parametrize("bits", [32, 8])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("hidden_layers", [0, 1, 2, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_columns_equal_rows(activation, hidden_layers, bias, bits, rng):
    inputs, outputs, width = SIZES[hidden_layers]
    output_activation = activation if hidden_layers % 2 else "sigmoid"
    network = MLP(
        inputs, outputs, hidden_layers, width, activation, output_activation, bias, rng=rng
    )
    with_biases(network, rng)
    for layer in network.layers:
        layer.weight.data *= 0.3  # keeps exp within float32 over four layers
        layer.bits = bits
    x = (0.5 * torch.randn(29, inputs, generator=rng)).requires_grad_()
    rows, columns = both_paths(network, x, torch.float32, rng)
    for wanted, got in zip(rows, columns, strict=True):
        assert got.dtype == torch.float32
        scale = float(wanted.abs().max())
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5 * max(scale, 1e-3))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden_layers, bias", [(0, True), (2, True), (3, False)])
def test_jacobian_is_what_autograd_finds(activation, hidden_layers, bias, rng):
    network = with_biases(MLP(5, 3, hidden_layers, 8, activation, "sigmoid", bias, rng=rng), rng)
    x = 0.3 * torch.randn(5, 17, generator=rng)
    y, slopes = network.jacobian(x)
    asked = x.clone().requires_grad_(True)
    wanted = network(asked.t()).t()
    torch.testing.assert_close(y, wanted)
    for output in range(3):
        (d_x,) = torch.autograd.grad(wanted[output].sum(), asked, retain_graph=True)
        torch.testing.assert_close(slopes[:, output], d_x)


@pytest.mark.parametrize("compute", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("activation", ["relu", "sine", "softplus"])
def test_half_precision_is_close(activation, compute, rng):
    """Four layers of products with 8 bits (bfloat16) or 11 (float16) of significand.

    Rounding that moves a sum across relu's kink switches a whole gradient: 3 times the room.
    """
    network = MLP(9, 3, 3, 16, activation, "none", rng=rng)
    with_biases(network, rng)
    x = torch.randn(40, 9, generator=rng, requires_grad=True)
    rows, columns = both_paths(network, x, compute, rng)
    room = 3 if activation == "relu" else 1
    tolerance = room * 4 * 4 * 2.0 ** (-8 if compute == torch.bfloat16 else -11)
    assert columns[0].dtype == compute
    for wanted, got in zip(rows, columns, strict=True):
        error = torch.linalg.vector_norm(got.float() - wanted)
        assert error <= tolerance * torch.linalg.vector_norm(wanted)
    assert all(g.dtype == torch.float32 for g in columns[1:])


def test_columns_leave_their_input_alone_and_skip_its_gradient_if_unwanted(rng):
    network = MLP(4, 2, 2, 8, "relu", "none", rng=rng)
    x = torch.randn(4, 10, generator=rng)
    before = x.clone()
    network.on_columns(x, torch.float32).sum().backward()
    assert torch.equal(x, before)
    assert x.grad is None
    assert all(p.grad is not None for p in network.parameters())


def test_no_hidden_layer_makes_one_affine_map(rng):
    network = MLP(2, 3, 0, 32, "relu", "none", rng=rng)
    assert [tuple(p.shape) for p in network.parameters()] == [(3, 2), (3,)]


@pytest.mark.parametrize("inputs, gain", [(1, 1.0), (12, 2**0.5), (300, 0.5)])
def test_linear_starts_uniform_with_the_variance_of_he(inputs, gain, rng):
    layer = Linear(inputs, 4000 // inputs + 1, gain, True, rng=rng)
    bound = gain * (3 / inputs) ** 0.5
    assert layer.weight.abs().max() <= bound
    assert float(layer.weight.detach().std()) == pytest.approx(gain * inputs**-0.5, rel=0.05)
    assert torch.equal(layer.bias, torch.zeros_like(layer.bias))


def test_a_linear_layer_shows_what_the_asset_will_hold(rng):
    layer = Linear(6, 4, 1.0, True, rng=rng)
    torch.nn.init.uniform_(layer.bias, -0.5, 0.5, generator=rng)
    x = torch.randn(5, 6, generator=rng)
    layer.bits = 8
    weight, bias = fake_quantize(layer.weight, 8), layer.bias.half().float()
    assert not torch.equal(weight, layer.weight)
    torch.testing.assert_close(layer(x), x @ weight.t() + bias)


def test_equal_seeds_give_equal_bytes():
    first, second, other = (
        MLP(5, 3, 2, 16, rng=torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    vector = torch.nn.utils.parameters_to_vector
    assert torch.equal(vector(first.parameters()), vector(second.parameters()))
    assert not torch.equal(vector(first.parameters()), vector(other.parameters()))


@pytest.fixture
def small_field(rng):
    encoding = build_encoding(
        "dense_grid:features=2,width=5,height=3 + hash_grid:levels=2,log2_entries=5", rng
    )
    return Field(encoding, MLP(encoding.width, 3, 1, 8, "relu", "sigmoid", rng=rng))


def test_the_three_ways_through_a_field_agree(small_field, rng):
    u, v = torch.rand(4, generator=rng), torch.rand(6, generator=rng)
    uv = torch.stack(torch.meshgrid(v, u, indexing="ij")[::-1], dim=-1).reshape(-1, 2)
    wanted = activate("none", small_field(uv)).t()
    close = {"rtol": 1e-5, "atol": 1e-6}
    torch.testing.assert_close(small_field.on_samples(uv, torch.float32), wanted, **close)
    along = small_field.encoding.along
    lattice = small_field.combine(along(0, u), along(1, v), torch.float32)
    torch.testing.assert_close(lattice, wanted, **close)


def test_store_as_reaches_every_part(small_field):
    small_field.store_as(grid_bits=8, network_bits=16)
    dense, hashed = small_field.encoding.parts
    assert (dense.bits, hashed.bits) == (8, 8)
    assert [layer.bits for layer in small_field.network.layers] == [16, 16]
    untouched = build_encoding("dense_grid", None)
    assert untouched.parts[0].bits == 32  # of the instance, not of the class
