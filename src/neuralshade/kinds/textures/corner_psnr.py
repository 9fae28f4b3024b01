"""PSNR at texel corners: quality of filtered latents, half a texel off the centres."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

from neuralshade.kinds.textures.channels import trained_levels
from neuralshade.kinds.textures.engine import BLOCK_TEXELS
from neuralshade.kinds.textures.reference import TexturesAsset, varying
from neuralshade.measure.baselines import to_uint8
from neuralshade.measure.map_psnr import map_psnr_db
from neuralshade.source.material_set import MaterialSet

Floats = npt.NDArray[np.float32]


def corner_psnr(opened: TexturesAsset, textures: MaterialSet) -> dict[str, float]:
    """Return the PSNR in dB of each varying map, where four texels of mip 0 meet.

    The decoder's output for filtered latents is compared with the mean of the four texels.
    """
    wraps = opened.recipe.wrap == "repeat"
    reference = corner_means(trained_levels(textures, opened.codings, 1)[0], wraps)
    decoded = corner_channels(opened).reshape(reference.shape)
    return {
        coding.name: map_psnr_db(to_uint8(coding.shown(reference)), to_uint8(coding.shown(decoded)))
        for coding in varying(opened.codings)
    }


def corner_means(level: Floats, wraps: bool) -> Floats:
    """Return the means of the four texels around each one's lower right corner: [h, w, C]."""
    wide = np.pad(level, ((0, 1), (0, 1), (0, 0)), mode="wrap" if wraps else "edge")
    four = wide[:-1, :-1] + wide[:-1, 1:] + wide[1:, :-1] + wide[1:, 1:]
    return four / np.float32(4)


@torch.no_grad()
def corner_channels(opened: TexturesAsset) -> Floats:
    """Return trained channels at each texel's lower right corner, mip 0: float32 [h * w, C]."""
    width, height = opened.sizes[0]
    found = []
    for index in torch.arange(width * height).split(BLOCK_TEXELS):
        u, v = (index % width + 1) / width, (index // width + 1) / height
        at = torch.stack([u, v, torch.zeros_like(u)], dim=1)
        found.append(opened.field.on_samples(at, torch.float32).t())
    channels: Floats = torch.cat(found).numpy()
    return channels
