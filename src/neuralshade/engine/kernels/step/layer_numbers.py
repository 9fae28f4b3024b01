"""A network's numbers on a device that are stepped along axes of its layers.

Device half: layer_numbers.slang. What is kept is optimizer/soap.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import torch

from neuralshade.engine.kernels.step.update import Floats, Numbers, Write
from neuralshade.engine.layout import Layer, NetworkLayout
from neuralshade.gpu.gpu import Buffer, Gpu
from neuralshade.optimizer.soap import AXES, NAMES, has_axes

ACROSS = 16  # threads of a group along a side of a matrix
STEP, KEPT = NAMES[0], NAMES[3:]  # what a device keeps of a matrix: how many gradients, squares


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
        self.layout, words = layout, []
        starts: list[Floats] = []
        for at in layout.layers:
            biases = at.rows if at.bias else 0
            turned, kept = has_axes((at.rows, at.cols)), sum(len(start) for start in starts)
            words.append((at.first, at.rows, at.cols, at.padded_cols, at.first_bias, biases, kept,
                          int(turned)))  # fmt: skip
            starts += [_start(at)] * turned
        self.layer_count = len(words) - frozen
        self.gradients: Buffer = gpu.buffer(size=values.nbytes)
        self.layers: Buffer = gpu.buffer(np.array(words[frozen:], np.uint32))
        self.kept: Buffer = gpu.buffer(np.concatenate(starts))

    def bound(self) -> dict[str, Buffer]:
        own = {"gradients": self.gradients, "layers": self.layers, "kept": self.kept}
        return super().bound() | own

    def axes(self) -> dict[str, torch.Tensor]:
        """Return what is kept of layers' axes, by the names of ``Soap.state``."""
        flat, found = torch.from_numpy(self.kept.read().view(np.float32).copy()), {}
        for name, shape in self._places():
            count = shape.numel()
            found[name], flat = flat[:count].view(shape), flat[count:]
        return found

    def write_axes(self, state: Mapping[str, torch.Tensor], write: Write) -> None:
        """Take over what ``axes`` or ``Soap.state`` returned once.

        The state of an Adam, which had none, says too little: they begin anew.
        """
        if any(name.endswith(AXES) for name in state):
            parts = [state[name].float().cpu().reshape(-1) for name, _ in self._places()]
            write(self.kept, torch.cat(parts).numpy())

    def _places(self) -> Iterator[tuple[str, torch.Size]]:
        """Yield name and shape of everything in ``kept``, in its order."""
        for index, at in self.layout.weights():
            if has_axes((at.rows, at.cols)):
                yield f"{index}.{STEP}", torch.Size(())
                for name, side in zip(KEPT, (at.rows, at.cols) * 2, strict=True):
                    yield f"{index}.{name}", torch.Size((side, side))


def _start(at: Layer) -> Floats:
    """Return what is kept of a layer before its first gradient."""
    sides = (at.rows, at.cols)
    squares = [np.zeros((side, side)) for side in sides] + [np.eye(side) for side in sides]
    return np.concatenate([np.zeros(1), *(square.ravel() for square in squares)]).astype(np.float32)
