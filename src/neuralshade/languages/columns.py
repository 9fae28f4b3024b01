"""Columns of an encoding's output: lines of a body, and an expression for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from neuralshade.model.shader_form import Function, Layer


@dataclass
class Columns:
    """Columns of an encoding's output: lines of a body, and an expression for each column.

    A column's value is ``scale`` times its expression plus ``shift``; ``folded`` moves these into
    the next layer.
    """

    name: str  # of the asset
    lines: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    shift: list[float] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    parts: int = 0

    def add(self, floats: Sequence[str], scale: Sequence[float] | None = None,
            shift: Sequence[float] | None = None) -> None:  # fmt: skip
        """Add columns."""
        self.floats += floats
        self.scale += [1.0] * len(floats) if scale is None else scale
        self.shift += [0.0] * len(floats) if shift is None else shift

    def folded(self, layer: Layer) -> Layer:
        """Return the first layer of a network for the plain expressions."""
        scale, shift = np.array(self.scale), np.array(self.shift)
        return Layer(layer.weight * scale, layer.bias + layer.weight @ shift, layer.activation)
