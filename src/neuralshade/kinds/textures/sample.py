"""PyTorch sampler of a fitted set at any position. Shader functions: shader.py."""

from __future__ import annotations

from typing import Literal

import torch

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError, ShapeError
from neuralshade.kinds.kind import AssetLike
from neuralshade.kinds.position_rows import float_rows, in_shape
from neuralshade.kinds.textures.asset import stored_field
from neuralshade.kinds.textures.channels import MASK_MARGIN, MapCoding
from neuralshade.kinds.textures.opened import OpenedTextures
from neuralshade.model.border import within

Filter = Literal["nearest", "bilinear", "stochastic", "latents"]
FILTERS = ("nearest", "bilinear", "stochastic", "latents")
BLOCK_SAMPLES = 2**17  # decoded at once: 64 neurons a layer take 34 MB


class TextureSetField(torch.nn.Module):
    """A fitted set that is sampled like a texture, for renderers in PyTorch.

    For inference: nothing is differentiable, and positions that require a gradient are refused.
    Move it with ``to(device)``. Each filter runs the decoder, about 7,000 multiply-adds, this
    often per sample:

    nearest: once; the texel at the position.
    bilinear: four times; the four texels around it, mixed as they are stored, as sampling
        hardware mixes those of a UNORM texture.
    stochastic: once; one of these four, each with the probability of its weight. The mean over
        many calls equals bilinear, but each has noise, as large as the differences of neighboring
        texels: for renderers that average over many samples of a pixel anyway.
    latents: once; the mixed latents instead of mixed results, as sampling hardware filters a set
        fitted with latents=bc1, and only for such a set.

    Args:
        asset: path of an asset of ``fit textures``, or what ``load`` returned.

    Raises: AssetError.
    """

    def __init__(self, asset: AssetLike):
        super().__init__()
        opened = OpenedTextures.read(asset)
        self.codings, self.sizes = opened.codings, opened.sizes
        self.wraps = opened.recipe.wrap == "repeat"
        self.filtered = opened.recipe.latents == "bc1"
        self.field = stored_field(opened.recipe, opened.size_of_set, opened.channels,
                                  opened.tensors)  # fmt: skip
        self.field.requires_grad_(False)
        self._sizes = torch.tensor(self.sizes)

    @property
    def names(self) -> list[str]:
        """Return the names of the maps."""
        return [coding.name for coding in self.codings]

    def forward(
        self,
        uv: torch.Tensor,
        level: torch.Tensor | int = 0,
        filter: Filter = "bilinear",
        random: torch.Tensor | None = None,
    ) -> dict[str, torch.Tensor]:
        """Return every map at positions: float32 [..., channels], in its original form.

        Colors of integer files in sRGB [0, 1], of float files linear; normals of length 1 before
        mixing shortens them, OpenGL; all others as stored.

        Args:
            uv: floats [..., 2], u to the right and v down, [0, 1] is the set; beyond, it is
                repeated or clamped as in the fit.
            level: integers [...], clamped to the existing levels; or one for all.
            filter: nearest, bilinear, stochastic or latents.
            random: floats [..., 2] in [0, 1) for stochastic, instead of PyTorch's own generator.

        Raises: ShapeError, also for NaN and infinity; ConfigError for an unknown filter.
        """
        rows = self._rows(uv, level, filter, random)
        return {coding.name: in_shape(values_of(coding, rows), uv.shape[:-1])
                for coding in self.codings}  # fmt: skip

    def channels(
        self,
        uv: torch.Tensor,
        level: torch.Tensor | int = 0,
        filter: Filter = "bilinear",
        random: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the trained channels of all maps, float32 [..., C] in [0, 1]; see ``forward``."""
        return in_shape(self._rows(uv, level, filter, random), uv.shape[:-1])

    @torch.no_grad()
    def _rows(
        self, uv: torch.Tensor, level: torch.Tensor | int, filter: Filter,
        random: torch.Tensor | None,
    ) -> torch.Tensor:  # fmt: skip
        """Return the trained channels at all positions as rows: float32 [N, C]."""
        mip = self._checked(uv, level, filter, random)
        uv = float_rows("TextureSetField.uv", uv)
        random = None if random is None else float_rows("TextureSetField.random", random)
        size = self._sizes.to(uv.device)[mip]
        inside = uv - uv.floor() if self.wraps else uv.clamp(0, 1)
        if filter == "latents":
            return self._decoded(torch.cat([inside, mip[:, None]], dim=1))
        if filter == "nearest":
            return self._texels((inside * size).floor().long(), mip, size)
        place = inside * size - 0.5
        first, share = place.floor().long(), place - place.floor()
        if filter == "stochastic":
            drawn = torch.rand_like(share) if random is None else random
            return self._texels(first + (drawn < share), mip, size)
        mixed = torch.zeros(len(uv), self._channel_count, device=uv.device)
        for step in torch.tensor([(0, 0), (1, 0), (0, 1), (1, 1)], device=uv.device):
            weight = torch.where(step == 1, share, 1 - share).prod(1, keepdim=True)
            mixed += weight * self._texels(first + step, mip, size)
        return mixed

    @property
    def _channel_count(self) -> int:
        return sum(coding.count for coding in self.codings)

    def _texels(self, at: torch.Tensor, mip: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
        """Return the channels of texels (column, row) [N, 2], which may lie beyond the border."""
        inside = within(at, size, self.wraps)
        return self._decoded(torch.cat([(inside + 0.5) / size, mip[:, None]], dim=1))

    def _decoded(self, positions: torch.Tensor) -> torch.Tensor:
        decoded = [
            self.field.on_samples(block, torch.float32).t()
            for block in positions.split(BLOCK_SAMPLES)
        ]
        return torch.cat(decoded).clamp(0, 1)

    def _checked(
        self, uv: torch.Tensor, level: torch.Tensor | int, filter: str, random: torch.Tensor | None
    ) -> torch.Tensor:
        """Return the level of each sample, int64 [N], of positions of any shape."""
        if filter not in FILTERS:
            raise ConfigError(f"filter: got {shown(filter)}, need one of {list(FILTERS)}."
                              f"{did_you_mean(str(filter), FILTERS)}")  # fmt: skip
        if filter == "latents" and not self.filtered:
            raise ConfigError("filter: got latents for a set of plain latents, need one of fit "
                              "textures --latents bc1. Use bilinear.")  # fmt: skip
        for name, value in (("uv", uv), ("random", random)):
            whole = value is None or (
                uv.dim() > 1 and value.shape == (*uv.shape[:-1], 2) and value.is_floating_point()
            )
            if value is not None and not whole:
                raise ShapeError(f"TextureSetField.{name}: got {value.dtype} {list(value.shape)}, "
                                 "need floats [N, 2]. Put the two numbers of one position into "
                                 "one row.")  # fmt: skip
        if uv.requires_grad:
            raise ShapeError("TextureSetField.uv: got positions that want a gradient, need some "
                             "that do not: texels have none. Pass uv.detach().")  # fmt: skip
        mip = torch.as_tensor(level, device=uv.device)
        if mip.is_floating_point() or mip.shape not in ((), uv.shape[:-1]):
            raise ShapeError(f"TextureSetField.level: got {mip.dtype} {list(mip.shape)}, need "
                             "integers [N], or one. Round it.")  # fmt: skip
        if isinstance(level, int) and not 0 <= level < len(self.sizes):
            raise ConfigError(f"level: got {shown(level)}, need 0 to {len(self.sizes) - 1}. 0 is "
                              "the finest.")  # fmt: skip
        return mip.long().clamp(0, len(self.sizes) - 1).expand(uv.shape[:-1]).reshape(-1)


def values_of(coding: MapCoding, channels: torch.Tensor) -> torch.Tensor:
    """Return a map from trained channels [N, C] in [0, 1], see ``MapCoding.decoded``."""
    if coding.constant is not None:
        return torch.tensor(coding.constant, device=channels.device).expand(len(channels), -1)
    own = channels[:, coding.first : coding.first + coding.count]
    if coding.curve == "mask":
        return ((own - MASK_MARGIN) / (1 - 2 * MASK_MARGIN)).clamp(0, 1)
    values = own * (coding.high - coding.low) + coding.low
    if coding.meaning == "normal":
        z = (1 - values.square().sum(1, keepdim=True)).clamp(min=0).sqrt()
        return torch.cat([values, z], dim=1)
    if coding.curve == "srgb":
        return torch.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return values.expm1() if coding.curve == "log" else values
