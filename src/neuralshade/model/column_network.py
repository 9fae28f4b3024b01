"""Network for repeated evaluation of equally many samples, in preallocated memory."""

from __future__ import annotations

import torch

from neuralshade.model.activation import ACTIVATIONS
from neuralshade.model.mlp import MLP

HARD_GELU = "hard_gelu"  # hardswish(2 x) / 2: the powers of 2 go into weights, exactly


class ColumnNetwork:
    """Numbers of a network for ``__call__``, ``MLP.on_columns`` in float32 without a copy.

    A bias is one more column of the weights, behind which samples have a row of ones, so that a
    product adds it. Not differentiable: what the network holds now is what is evaluated.
    """

    def __init__(self, network: MLP):
        self.kinds = network.kinds
        self.weights: list[torch.Tensor] = []
        scale = 1.0
        for layer, kind in zip(network.members, network.kinds, strict=True):
            weight, bias = layer.stored()
            if bias is None:
                bias = torch.zeros(len(weight), device=weight.device)
            doubled = 2.0 if kind == HARD_GELU else 1.0
            self.weights.append((torch.cat([weight * scale, bias[:, None]], 1) * doubled).detach())
            scale = 0.5 if kind == HARD_GELU else 1.0
        self.last_scale = scale

    def room(self, samples: int) -> list[torch.Tensor]:
        """Return memory for so many: the inputs [inputs + 1, N], then what each layer makes.

        Callers fill all rows of the first but the last, which is 1.
        """
        rows = [self.weights[0].shape[1], *(len(weight) + 1 for weight in self.weights)]
        return [torch.ones(count, samples, device=self.weights[0].device) for count in rows]

    def __call__(self, room: list[torch.Tensor]) -> torch.Tensor:
        """Return the outputs [outputs, N] of the samples in ``room``; the next call reuses them."""
        x = room[0]
        for weight, kind, made in zip(self.weights, self.kinds, room[1:], strict=True):
            y = torch.mm(weight, x, out=made[:-1])
            if kind == HARD_GELU:
                torch.nn.functional.hardswish(y, inplace=True)
            elif (activated := ACTIVATIONS[kind].forward_(y)) is not y:
                y.copy_(activated)
            x = made
        return y if self.last_scale == 1.0 else y.mul_(self.last_scale)
