"""Picture in textures that a GPU samples: how close each comes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.base.cores import map_on_cores
from neuralshade.base.sandbox.wire import Array
from neuralshade.measure.astc import ASTC_SQUARES
from neuralshade.measure.block_baselines import BlockCodec, block_codecs
from neuralshade.measure.quality import psnr_db


def picture_rivals(facts: Mapping[str, Any], arrays: Sequence[Array]) -> dict[str, float | None]:
    """Return the PSNR in dB of textures by name, None where one cannot be encoded here.

    ``facts``: "names"; ``arrays``: a picture, float32 [H, W, 3], sRGB in [0, 1].
    """
    (values,) = arrays
    codecs = {each.name: each for each in block_codecs(values.shape[2], ASTC_SQUARES)}

    def psnr(codec: BlockCodec) -> float | None:
        return None if codec.obstacle else psnr_db(values, codec.round_trip(values))

    names = facts["names"]
    found = map_on_cores(psnr, [codecs[name] for name in names])
    return dict(zip(names, found, strict=True))
