"""PyTorch counterparts of the networks and encodings in a user's task."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.errors import ConfigError
from neuralshade.model.activation import ACTIVATIONS, slang_name
from neuralshade.model.dense_grid import DenseGrid
from neuralshade.model.grid import Grid
from neuralshade.model.hash_grid import HashGrid
from neuralshade.model.mlp import MLP
from neuralshade.model.registry import LIMITS

Floats = npt.NDArray[np.float32]
GENERIC = re.compile(r"(Network|GridEncoding|HashEncoding)<(.*)>")
ENCODINGS: dict[str, tuple[Callable[..., Grid], Sequence[str]]] = {
    "GridEncoding": (DenseGrid, ("levels", "features", "coarsest", "width", "height")),
    "HashEncoding": (HashGrid, ("levels", "features", "log2_entries", "coarsest", "finest")),
}  # by Slang type: class, and the parameters of its generic arguments in order


@dataclass(frozen=True)
class TorchCounterpart:
    """Counterpart of a member, of ``kind`` network or encoding.

    ``levels``: across, down and first entry of each level of an encoding's grid.
    """

    kind: str
    module: MLP | Grid
    size: int  # numbers
    levels: tuple[tuple[int, int, int], ...] = ()

    def numbers(self) -> Floats:
        """Return the module's numbers in the device half's order: float32 [size]."""
        parameters = list(self.module.parameters())
        if isinstance(self.module, Grid):
            return self.module.flatten(parameters).numpy()
        flat = torch.nn.utils.parameters_to_vector(parameters)
        return flat.detach().numpy().astype(np.float32)


def counterpart_of(
    of_type: str, rng: torch.Generator | None, where: str
) -> TorchCounterpart | None:
    """Return the counterpart of a Slang type; None where it is neither network nor encoding.

    Args:
        rng: generator for its numbers; None for shapes alone.
        where: the member, for errors.

    Raises: ConfigError for an unknown activation, or a size that a grid cannot have.
    """
    found = GENERIC.fullmatch(of_type)
    if not found:
        return None
    arguments = [argument.strip() for argument in found[2].split(",")]
    # shapes alone take no memory, whatever the size
    with torch.device("cpu" if rng is not None else "meta"):
        if found[1] == "Network":
            network = _network(arguments, rng, where)
            return TorchCounterpart(
                "network", network, sum(p.numel() for p in network.parameters())
            )
        grid = _grid(found[1], arguments, rng, where)
    firsts = [table.first // table.features for table in grid.tables()]
    levels = [(*size, first) for size, first in zip(grid.sizes(), firsts, strict=True)]
    return TorchCounterpart("encoding", grid, grid.number_count(), tuple(levels))


def _network(arguments: Sequence[str], rng: torch.Generator | None, where: str) -> MLP:
    inputs, outputs, layers, width = map(int, arguments[:4])
    hidden, output = (_activation(name, where) for name in arguments[4:])
    return MLP(inputs, outputs, layers, width, hidden, output, rng=rng)


def _activation(name: str, where: str) -> str:
    known = {slang_name(kind): kind for kind in ACTIVATIONS}
    if name not in known:
        raise ConfigError(
            f"{where}: got activation {name}, need one of {', '.join(known)}."
            f"{did_you_mean(name, known)}"
        )
    return known[name]


def _grid(kind: str, arguments: Sequence[str], rng: torch.Generator | None, where: str) -> Grid:
    build, names = ENCODINGS[kind]
    settings: dict[str, Any] = dict(zip(names, map(int, arguments), strict=True))
    for name, value in settings.items():
        low, high = LIMITS[name]
        if not low <= value <= high:
            raise ConfigError(f"{where}: got {value} for {name} of {kind}<{', '.join(names)}>, "
                              f"need {low} to {high}. Change it.")  # fmt: skip
    finest = settings.get("finest", settings["coarsest"])
    if settings["levels"] > 1 and settings["coarsest"] > finest:
        raise ConfigError(f"{where}: got {settings['coarsest']} for coarsest of {kind}<"
                          f"{', '.join(names)}>, need at most finest, which is {finest}. "
                          "Lower coarsest.")  # fmt: skip
    return build(**settings, rng=rng)
