"""Float16 variant of a shader form: all layers of its networks but the last."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neuralshade.errors import ConfigError
from neuralshade.model.shader_form import Golden, Network, ShaderForm

LARGEST = float(np.finfo(np.float16).max)
FACT = "numbers", "hidden layers of networks in 16 bits, all else in 32"


def in_halves(form: ShaderForm) -> ShaderForm:
    """Return a form whose hidden layers have float16 weights and sums.

    The input of the first layer is float32, and so is the last layer: errors there are
    errors of the result. So is the first layer of a network that is ``steep``.

    Raises: ConfigError where no network has hidden layers, or one has numbers beyond float16.
    """
    functions = tuple(
        replace(one, body=tuple(_halved(line) if isinstance(line, Network) else line
                                for line in one.body))
        for one in form.functions
    )  # fmt: skip
    title, fact = FACT
    *about, last = form.about or ("",)
    halved = replace(
        form, functions=functions, about=(*about, f"{title}: {fact}", last),
        facts=form.facts | {title: fact}, make_golden=lambda: [*map(_allowing, form.golden)],
    )  # fmt: skip
    if not halved.halves:
        raise ConfigError("half: got an asset without a network of several layers, need one: only "
                          "networks are evaluated in 16 bits. Leave half out.")  # fmt: skip
    return halved


def _allowing(golden: Golden) -> Golden:
    """Return golden rows whose tolerance is that of float16."""
    allowed = golden.tolerance if golden.in_halves is None else golden.in_halves
    return replace(golden, tolerance=allowed)


def _halved(network: Network) -> Network:
    first = 1 if network.steep else 0
    exact, hidden, last = network.layers[:first], network.layers[first:-1], network.layers[-1:]
    for layer in hidden:
        largest = max(np.abs(layer.weight).max(initial=0), np.abs(layer.bias).max(initial=0))
        if largest > LARGEST:
            raise ConfigError(f"half: got a network with numbers up to {largest:.3g}, need at most "
                              f"{LARGEST:g} for float16. Leave half out.")  # fmt: skip
    if first >= len(network.layers):
        return network
    halves = (replace(layer, half=True) for layer in hidden)
    return replace(network, layers=(*exact, *halves, *last))
