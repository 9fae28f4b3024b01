"""Activations, each with the backward that keeps the fewest numbers.

Device half: activation.slang.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from neuralshade.model.parameters import registered_name

aten = torch.ops.aten
LEAK = 0.01  # slope of leaky_relu below zero


@dataclass(frozen=True)
class Activation:
    """An elementwise function and its derivative.

    ``backward(d_y, kept)`` returns the gradient by the input; ``kept`` is the output where
    ``keeps_output``, else the input. Keeping the output lets ``forward_`` work in place.
    """

    forward_: Callable[[torch.Tensor], torch.Tensor]  # may overwrite its argument
    backward: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    keeps_output: bool = True
    gain: float = 1.0  # of the initial weights, so that the signal keeps its variance


ACTIVATIONS: dict[str, Activation] = {
    "none": Activation(lambda x: x, lambda d, y: d),
    "relu": Activation(torch.relu_, lambda d, y: aten.threshold_backward(d, y, 0), gain=2**0.5),
    "leaky_relu": Activation(
        lambda x: torch.nn.functional.leaky_relu_(x, LEAK),
        lambda d, y: aten.leaky_relu_backward(d, y, LEAK, True),
        gain=2**0.5,
    ),
    "tanh": Activation(torch.tanh_, lambda d, y: aten.tanh_backward(d, y), gain=5 / 3),
    "sigmoid": Activation(torch.sigmoid_, lambda d, y: aten.sigmoid_backward(d, y), gain=4.0),
    "exp": Activation(torch.exp_, lambda d, y: d * y),
    "softplus": Activation(
        lambda x: torch.nn.functional.softplus(x),
        lambda d, y: d * -torch.expm1(-y),  # 1 - exp(-y) = sigmoid(x), exact near y = 0
        gain=2.0,
    ),
    "silu": Activation(
        lambda x: torch.nn.functional.silu(x),
        lambda d, x: aten.silu_backward(d, x),
        keeps_output=False,
        gain=1.7,
    ),
    "hard_gelu": Activation(
        lambda x: torch.nn.functional.hardswish(2 * x, inplace=True).mul_(0.5),
        lambda d, x: aten.hardswish_backward(d, 2 * x),
        keeps_output=False,
        gain=1.5,
    ),
    "elu": Activation(
        lambda x: torch.nn.functional.elu_(x),
        lambda d, y: aten.elu_backward(d, 1.0, 1.0, 1.0, True, y),
        gain=1.3,
    ),
    "sine": Activation(lambda x: torch.sin(x), lambda d, x: d * torch.cos(x), keeps_output=False),
}


def slang_name(kind: str) -> str:
    """Return the Slang name of activation ``kind``: leaky_relu is LeakyRelu.

    Raises: ConfigError for a kind that is not registered.
    """
    return registered_name("activation", kind, ACTIVATIONS)


def activate(kind: str, x: torch.Tensor) -> torch.Tensor:
    """Return activation ``kind`` of ``x``: any shape, float; gradient reaches ``x``.

    none x; relu max(x, 0); leaky_relu x or 0.01 x; tanh; sigmoid; exp; softplus
    log(1 + e^x); silu x sigmoid(x); hard_gelu x (x / 3 + 1/2), the latter within 0 and 1; elu x or
    e^x - 1; sine sin(x).
    """
    return _Activate.apply(x, ACTIVATIONS[kind])


class _Activate(torch.autograd.Function):
    """The table above under autograd, so that the reference tests what the engine runs."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, activation: Activation) -> torch.Tensor:
        y = activation.forward_(x.clone())
        ctx.activation = activation
        ctx.save_for_backward(y if activation.keeps_output else x)
        return y

    @staticmethod
    def backward(ctx: Any, d_y: torch.Tensor) -> tuple[torch.Tensor, None]:
        return ctx.activation.backward(d_y, *ctx.saved_tensors), None
