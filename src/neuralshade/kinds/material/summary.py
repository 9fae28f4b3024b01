"""Lines for people of what an asset of a material holds and is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.kinds.material.judging.mip_judge import TRAINED
from neuralshade.kinds.material.noise import WAYS
from neuralshade.kinds.material.varied import Varied

DIGITS = 16  # of a digest that tell it from others


def noise_summary(quality: Mapping[str, float]) -> dict[str, str]:
    """Return a line of what the sampler is worth; none where that was not measured."""
    by = {way: quality.get(f"noise_{way}") for way in WAYS}
    if None in by.values():
        return {}
    return {"sampler": f"noise of one direction {by['sampler']:.2f}, by lobes {by['lobes']:.2f}, "
                       f"by the cosine {by['cosine']:.2f}"}  # fmt: skip


def levels_summary(told: Sequence[Mapping[str, Any]] | None, coarse_bytes: int) -> str:
    """Return how many levels there are, and what the coarse ones take."""
    if told is None:
        return "1: it was fitted by a version without mip levels"
    count = len(told) - 1
    if count == 0:
        return "1: there is no coarser one"
    trained = sum(level["kept"] == TRAINED for level in told[1:])
    counts = {"trained": trained, "box-filtered": count - trained}
    ways = " and ".join(f"{found} {way}" for way, found in counts.items() if found)
    return f"{len(told)}: the finest, and {ways} below it in {coarse_bytes:,} bytes"


def inputs_summary(varied: Sequence[Varied]) -> dict[str, str]:
    """Return a line of the inputs that may be given; none where there are none."""
    told = [f"{v.name} from {v.low:g} to {v.high:g}, usually {v.default:g}" for v in varied]
    return {"inputs": "; ".join(told)} if told else {}


def shared_summary(shared: Mapping[str, Any] | None) -> dict[str, str]:
    """Return a line of the part of the decoder that others may share; none of earlier versions."""
    if shared is None:
        return {}
    layers = "layer" if shared["layers"] == 1 else f"{shared['layers']} layers"
    return {"shared": f"the decoder's first {layers}, digest {shared['digest'][:DIGITS]}: the same "
                      "in all assets that share it"}  # fmt: skip
