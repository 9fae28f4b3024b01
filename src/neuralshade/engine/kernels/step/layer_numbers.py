"""Numbers of a network that SOAP steps along axes of its layers.

Device half: layer_numbers.slang. What is kept is optimizer/soap.py's.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch

from neuralshade.engine.kernels.step.update import Floats, Numbers, Write
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import Buffer, Gpu
from neuralshade.optimizer.soap import AXES, NAMES, beginning, has_axes

ACROSS = 16  # threads of a group along a side of a matrix
OF_AXES = (NAMES[0], *NAMES[3:])  # what is kept of a matrix besides Adam's moments


def turned_side(layout: NetworkLayout) -> int:
    """Return the longest side of layers that have axes, up to whole groups; 0 if none has."""
    sides = [max(at.rows, at.cols) for at in layout.layers if has_axes((at.rows, at.cols))]
    return -(-max(sides, default=0) // ACROSS) * ACROSS


class LayerNumbers(Numbers):
    """Numbers of a network whose layers have axes; the first ``frozen`` ones are not stepped."""

    def __init__(
        self, gpu: Gpu, values: Floats, halves: bool, layout: NetworkLayout, frozen: int = 0
    ):
        super().__init__(gpu, values, halves)
        words: list[tuple[int, ...]] = []
        begun: dict[str, torch.Tensor] = {}  # by the names of Soap.state, in the order of ``kept``
        for index, at in layout.weights():
            shape, biases = (at.rows, at.cols), at.rows if at.bias else 0
            first_kept = sum(value.numel() for value in begun.values())
            words.append((at.first, *shape, at.padded_cols, at.first_bias, biases, first_kept,
                          int(has_axes(shape))))  # fmt: skip
            if has_axes(shape):
                start = beginning(shape)
                begun |= {f"{index}.{name}": start[name] for name in OF_AXES}
        self.layer_count = len(words) - frozen
        self.gradients: Buffer = gpu.buffer(size=values.nbytes)
        self.layers: Buffer = gpu.buffer(np.array(words[frozen:], np.uint32))
        self._shapes = {name: value.shape for name, value in begun.items()}
        self.kept: Buffer = gpu.buffer(self._flat(begun))

    def bound(self) -> dict[str, Buffer]:
        own = {"gradients": self.gradients, "layers": self.layers, "kept": self.kept}
        return super().bound() | own

    def axes(self) -> dict[str, torch.Tensor]:
        """Return the state of the layers' axes, by the names of ``Soap.state``."""
        flat = torch.from_numpy(self.kept.read().view(np.float32).copy())
        sizes = [shape.numel() for shape in self._shapes.values()]
        parts = zip(self._shapes.items(), flat[: sum(sizes)].split(sizes), strict=True)
        return {name: part.view(shape) for (name, shape), part in parts}

    def write_axes(self, state: Mapping[str, torch.Tensor], write: Write) -> None:
        """Load the result of ``axes`` or ``Soap.state``.

        Adam's state has no axes: they start over.
        """
        if any(name.endswith(AXES) for name in state):
            write(self.kept, self._flat(state))

    def _flat(self, state: Mapping[str, torch.Tensor]) -> Floats:
        flat = torch.cat([state[name].float().cpu().reshape(-1) for name in self._shapes])
        return flat.numpy()
