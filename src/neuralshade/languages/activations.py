"""Activations in the dialect of shader forms. Their values: model/activation.py."""

from __future__ import annotations

from neuralshade.errors import ConfigError
from neuralshade.model.activation import LEAK

FARTHEST = 80.0  # e to that is far from infinity in float32
ACTIVATIONS = {  # {x} is a float4
    "none": "{x}",
    "relu": "max({x}, float4(0.0))",
    "leaky_relu": f"max({{x}}, {LEAK} * {{x}})",
    "tanh": "tanh(clamp({x}, float4(-10.0), float4(10.0)))",  # beyond, some divide infinities
    "sigmoid": f"1.0 / (1.0 + exp(min(-{{x}}, float4({FARTHEST}))))",
    "exp": "exp({x})",
    "softplus": "max({x}, float4(0.0)) + log(1.0 + exp(-abs({x})))",
    "silu": f"{{x}} / (1.0 + exp(min(-{{x}}, float4({FARTHEST}))))",
    "hard_gelu": "{x} * clamp({x} / 3.0 + 0.5, float4(0.0), float4(1.0))",
    "elu": "max({x}, float4(0.0)) + (exp(min({x}, float4(0.0))) - 1.0)",
    # whole turns taken off in two parts of 2 pi, of which the first has few bits
    "sine": "sin(({x} - 6.28125 * floor({x} * 0.15915494 + 0.5)) "
            "- 0.0019353072 * floor({x} * 0.15915494 + 0.5))",
}  # fmt: skip


def activated(name: str, x: str) -> str:
    """Return the activation of a float4 variable.

    Raises: ConfigError for an activation of another package.
    """
    if name not in ACTIVATIONS:
        raise ConfigError(f"export: got activation {name!r}, need one of this package: "
                          f"{', '.join(ACTIVATIONS)}. Write its shader text yourself, or fit with "
                          "one of these.")  # fmt: skip
    return ACTIVATIONS[name].format(x=x)


def repeats(name: str) -> bool:
    """Return whether the text of an activation reads its argument more than once."""
    return activated(name, "{x}").count("{x}") > 1
