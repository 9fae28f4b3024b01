"""PyTorch module of a fitted picture."""

from __future__ import annotations

import copy

import torch

from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.kinds.position_rows import float_rows, in_shape


class ImageField(torch.nn.Module):
    """A fitted picture as a function of (u, v), for renderers and fits in PyTorch.

    It owns its parameters, float32, and rounds them in every ``forward`` to the asset's bits. It
    works with torch.compile, and ``state_dict`` holds all of it.
    """

    def __init__(self, opened: OpenedImage):
        super().__init__()
        self.field = copy.deepcopy(opened.field)

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        """Return the channels at positions: float [..., 2] in [0, 1] -> float32 [..., C].

        In the picture's color space, not clamped; [..., D] for a field with D inputs. Floats of
        other widths are converted to float32. Gradients reach ``uv`` and the parameters.

        Raises: ShapeError for another shape, for a dtype that is no float and, unless compiled,
            for NaN and infinity.
        """
        rows = float_rows("positions", uv)
        if uv.dim() < 2 or uv.shape[-1] != self.field.dimensions:
            self.field.check_positions("positions", uv.shape)
        return in_shape(self.field(rows), uv.shape[:-1])
