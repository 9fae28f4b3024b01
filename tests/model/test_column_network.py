"""model/column_network: what a network makes of columns, again and again in the same memory."""

import pytest
import torch

from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.column_network import ColumnNetwork
from neuralshade.model.mlp import MLP


@pytest.mark.parametrize("kind", ACTIVATIONS)
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("layers, bias", [(0, True), (1, False), (3, True)])
def test_it_is_what_the_network_makes_of_columns(kind, bits, layers, bias, rng):
    mlp = MLP(5, 3, layers, 8, kind, kind, bias, rng=rng)
    for layer in mlp.members:
        layer.bits = bits
        layer.weight.data.mul_(0.1)  # exp of exp of exp multiplies what rounding leaves
        if layer.bias is not None:
            torch.nn.init.normal_(layer.bias, std=0.1, generator=rng)
    network = ColumnNetwork(mlp)
    room = network.room(7)
    for _ in range(2):  # what was made before is overwritten
        x = torch.randn(5, 7, generator=rng)
        room[0][:-1] = x
        wanted = mlp.on_columns(x, torch.float32)
        torch.testing.assert_close(network(room), wanted, rtol=1e-5, atol=1e-5)
