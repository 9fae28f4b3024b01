"""Encodings of the encoder's input and of a decoder behind it. Device half: encoded.slang."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt
import torch

from neuralshade.kinds.material.field import NUMBERS_TEXT
from neuralshade.model.encoding import Encoding
from neuralshade.model.lobes import LobeInputs
from neuralshade.model.parameters import SlangType

MODULES = frozenset({"neuralshade.kinds.material.encoded", "neuralshade.kinds.material.field",
                     "neuralshade.model.encoding", "neuralshade.model.parameters"})  # fmt: skip
DIRECTIONS = 6  # numbers of wi and wo


class GraphValues(Encoding):
    """Encoding of a graph's values [N, P]: (value - mean) / spread, both [P]."""

    def __init__(self, mean: torch.Tensor, spread: torch.Tensor):
        super().__init__()
        self.width = self.dimensions = len(mean)
        self.mean, self.spread = mean, spread

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        return (at - self.mean) / self.spread

    def slang(self, name: str) -> SlangType:
        position = "float2" if self.dimensions == 2 else f"Coordinates<{self.dimensions}>"
        kind = f"GraphValues<{position}, {name}Given>"
        return SlangType(kind, MODULES, NUMBERS_TEXT.format(name=name))

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        return {f"{name}_given": torch.cat([self.mean, 1 / self.spread]).numpy()}


class EncodedLobes(Encoding):
    """Encoding of (latents, wi, wo, shares of ``varied`` inputs) as input of the decoder.

    Equals ``MaterialEncoding`` on a texel's numbers. On a device the lobes' read-out is an input,
    see ``lobes.freeze_read_out``; read_out.py trains it there.
    """

    def __init__(self, lobes: LobeInputs, varied: int = 0):
        super().__init__()
        self.lobes, self.width = lobes, lobes.width + varied
        self.dimensions = lobes.features + DIRECTIONS + varied

    def forward(self, at: torch.Tensor) -> torch.Tensor:
        features, columns = self.lobes.features, at.t()
        wi, wo = columns[features : features + 3], columns[features + 3 : features + DIRECTIONS]
        read: torch.Tensor = self.lobes(columns[:features], wi, wo)
        return torch.cat([read, 2 * columns[features + DIRECTIONS :] - 1]).t()

    def slang(self, name: str) -> SlangType:
        lobes = self.lobes.slang(name)
        kind = f"EncodedLobes<{name}Lobes, {name}Given, {self.dimensions}>"
        return SlangType(kind, MODULES | lobes.modules,
                         lobes.declarations + NUMBERS_TEXT.format(name=name))  # fmt: skip

    def fixed_buffers(self, name: str) -> Mapping[str, npt.NDArray[Any]]:
        return {f"{name}_given": self.lobes.read_numbers()}
