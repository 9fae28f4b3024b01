"""Inference in two dispatches: a hash grid level by level, then the network.

Device halves: levels.encode.cs.slang, wgmma.infer.cs.slang.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neuralshade.engine.kernels.infer.infer_text import InferPlan, grid_text, infer_text
from neuralshade.engine.kernels.levels.levels import LISTED, LevelKernels
from neuralshade.engine.kernels.levels.planes import planes_type
from neuralshade.engine.layout import NetworkLayout
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu, KernelText
from neuralshade.model.field import Field

LEVEL_POSITIONS = 2**21  # encoded at once, as their columns take memory


@dataclass(frozen=True)
class BufferPart:
    """Bytes of a buffer of CUDA."""

    whole: Any
    first: int
    size: int

    @property
    def pointer(self) -> int:
        """Return their address."""
        return int(self.whole.pointer) + self.first


class LevelInference:
    """Kernels and buffers that evaluate ``count`` listed positions.

    ``bound``: buffers of the field's numbers, by their names in the kernels.
    """

    def __init__(self, gpu: Gpu, field: Field, layout: NetworkLayout, plan: InferPlan,
                 bound: dict[str, Any], count: int):  # fmt: skip
        self.count, self.most = count, min(count, LEVEL_POSITIONS)
        self.row_bytes = 4 * field.network.members[-1].weight.shape[0]
        self.levels = LevelKernels(gpu, field.encoding, self.most)
        self.bound = {**bound, **self.levels.buffers()}
        self._encode = KernelText(grid_text(field) + self.levels.common + LISTED,
                                  "encode_levels", True)  # fmt: skip
        text = infer_text(field, layout, True, None, plan, encoding=planes_type(self.levels.planes))
        self._draw = KernelText(text, "draw_positions", True)

    def dispatches(
        self, positions: Buffer, drawn: Buffer,
        draw: Callable[[KernelText, dict[str, Any], int], Dispatch],
    ) -> list[Dispatch]:  # fmt: skip
        """Return the dispatches, as many positions after the others as columns have memory for.

        ``draw``: returns the network's dispatch of a kernel, its variables and a count.
        """
        found: list[Dispatch] = []
        for first in range(0, self.count, self.most):
            some = min(self.most, self.count - first)
            bound = {
                **self.bound,
                "positions": BufferPart(positions, 8 * first, 8 * some),
                "drawn": BufferPart(drawn, self.row_bytes * first, self.row_bytes * some),
            }
            found += [self.levels.encode(self._encode, bound, some),
                      draw(self._draw, bound, some)]  # fmt: skip
        return found
