"""PyTorch module of a fitted material."""

from __future__ import annotations

import copy
from typing import Any

import torch

from neuralshade.errors import ConfigError, ShapeError
from neuralshade.kinds.material.field import encoding_of
from neuralshade.kinds.material.levels import level_latents
from neuralshade.kinds.material.opened import OpenedMaterial
from neuralshade.kinds.material.query_checks import UNIT
from neuralshade.kinds.position_rows import check_finite, float_rows, in_shape


class MaterialField(torch.nn.Module):
    """BSDF of a fitted material, for renderers and fits in PyTorch.

    Its parameters are float32 copies. It works with torch.compile. ``state_dict`` holds everything
    but the values of varied inputs, which are those that the asset was opened with.
    """

    shares: torch.Tensor  # float32 [V], position of each varied input in its range

    def __init__(self, opened: OpenedMaterial):
        super().__init__()
        self.field = copy.deepcopy(opened.field)
        self.register_buffer("shares", torch.tensor(opened.shares), persistent=False)

    def forward(
        self, uv: torch.Tensor, wi: torch.Tensor, wo: torch.Tensor, level: torch.Tensor | float = 0
    ) -> torch.Tensor:
        """Return f * cos of wi in linear light: float32 [..., 3].

        Gradients reach all arguments and the parameters; other float types are converted to
        float32.

        Args:
            uv: floats [..., 2], in [0, 1], the origin at the upper left, beyond that repeated or
                clamped as it was fitted; or [..., 2 + V] with a share in [0, 1] of each varied
                input.
            wi: floats [..., 3], to the light, of length 1: x along u, y against v, z up; or [3],
                the same for all.
            wo: the same to the eye. If either lies below the surface, the result is 0.
            level: of the feature map: floats [...], or one for all; see ``OpenedMaterial.eval``.

        Raises: ShapeError for another shape, for other types, and for NaN and infinity;
            ConfigError for another length. Compiled code does not check numbers.
        """
        rows, before = self._places(uv), uv.shape[:-1]
        to_light, to_eye = (_directions(name, vectors, before)
                            for name, vectors in (("wi", wi), ("wo", wo)))  # fmt: skip
        levels = _levels(level, before, rows)
        above = ((to_light[:, 2] > 0) & (to_eye[:, 2] > 0))[:, None]
        up = to_light.new_tensor([0, 0, 1])
        to_light, to_eye = torch.where(above, to_light, up), torch.where(above, to_eye, up)
        encoding = encoding_of(self.field)
        latents = level_latents(encoding, rows[:, :2], levels)
        read = encoding.columns(latents, to_light.t(), to_eye.t(), rows[:, 2:])
        light = self.field.network.on_columns(read, torch.float32).t()
        return in_shape(torch.where(above, light, 0.0), before)

    def _places(self, uv: torch.Tensor) -> torch.Tensor:
        """Return positions with a share of each varied input behind them: [N, 2 + V]."""
        rows, count = float_rows("uv", uv), len(self.shares)
        form = "[..., 2]" + (f" or, with shares of inputs, [..., {2 + count}]" if count else "")
        if uv.dim() < 2 or uv.shape[-1] not in (2, 2 + count):
            raise ShapeError(f"uv: got shape {list(uv.shape)}, need {form}. Put each place into a "
                             "row of its own.")  # fmt: skip
        if rows.shape[1] == 2 + count:
            return rows
        return torch.cat([rows, self.shares.to(rows.device).expand(len(rows), -1)], dim=1)


def _directions(name: str, vectors: Any, before: torch.Size) -> torch.Tensor:
    """Return directions of length 1, one for each place: float32 [N, 3]."""
    if not isinstance(vectors, torch.Tensor):
        vectors = torch.as_tensor(vectors).float()
    if tuple(vectors.shape) not in ((3,), (*before, 3)):
        shape = list(vectors.shape)
        raise ShapeError(f"{name}: got shape {shape}, need {[*before, 3]}, a direction "
                         "for each place of uv, or [3]. Expand it.")  # fmt: skip
    rows = float_rows(name, vectors.expand(*before, 3))
    if not torch.compiler.is_compiling():
        off = (rows.detach().norm(dim=1) - 1).abs()
        if off.numel() and off.max() > UNIT:
            raise ConfigError(f"{name}: got a direction whose length is {off.max():.4g} off 1, "
                              "need length 1. Divide each by its length.")  # fmt: skip
    return rows


def _levels(level: Any, before: torch.Size, rows: torch.Tensor) -> torch.Tensor:
    """Return the level of each place: float32 [N]."""
    found = torch.as_tensor(level, dtype=torch.float32, device=rows.device)
    if tuple(found.shape) not in ((), tuple(before)):
        raise ShapeError(f"level: got shape {list(found.shape)}, need one number or "
                         f"{list(before)}, as many as places. Change it.")  # fmt: skip
    check_finite("level", found)
    return found.expand(before).reshape(-1)
