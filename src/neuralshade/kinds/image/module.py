"""A fitted picture as a module of PyTorch."""

from __future__ import annotations

import copy

import torch

from neuralshade.kinds.image.opened import OpenedImage


class ImageField(torch.nn.Module):
    """A fitted picture as a function of (u, v), for renderers and fits in PyTorch.

    Its parameters are its own, float32, and rounded in every ``forward`` as the asset's bits will
    hold them. It compiles with torch.compile, and ``state_dict`` holds all of it.
    """

    def __init__(self, opened: OpenedImage):
        super().__init__()
        self.field = copy.deepcopy(opened.field)

    def forward(self, uv: torch.Tensor) -> torch.Tensor:
        """Return the channels at positions: float32 [N, 2] in [0, 1] -> float32 [N, C].

        In the picture's color space, not clamped; [N, D] for a field over D numbers. Gradients
        reach ``uv`` and the parameters. Raises: ShapeError for another shape.
        """
        self.field.check_positions("positions", uv.shape)
        channels: torch.Tensor = self.field(uv)
        return channels
