"""Summary lines of a material's asset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.kinds.material.schema import METHODS, TRAINED
from neuralshade.kinds.material.varied import Varied

DIGITS = 16  # shown of a digest


def noise_summary(quality: Mapping[str, float]) -> dict[str, str]:
    """Return a line of the sampler's noise; empty if it was not measured."""
    by = {name: quality.get(f"noise_{name}") for name in METHODS}
    if None in by.values():
        return {}
    return {"sampler": f"noise of one direction {by['sampler']:.2f}, by lobes {by['lobes']:.2f}, "
                       f"by the cosine {by['cosine']:.2f}"}  # fmt: skip


def levels_summary(levels: Sequence[Mapping[str, Any]] | None, coarse_bytes: int) -> str:
    """Return the number of levels, and the size of the coarse ones."""
    if levels is None:
        return "1: it was fitted by a version without mip levels"
    count = len(levels) - 1
    if count == 0:
        return "1: there is no coarser one"
    trained = sum(level["kept"] == TRAINED for level in levels[1:])
    counts = {"trained": trained, "box-filtered": count - trained}
    parts = " and ".join(f"{found} {name}" for name, found in counts.items() if found)
    return f"{len(levels)}: the finest, and {parts} below it in {coarse_bytes:,} bytes"


def inputs_summary(varied: Sequence[Varied]) -> dict[str, str]:
    """Return a line of the inputs that can be set; empty if there are none."""
    parts = [f"{v.name} from {v.low:g} to {v.high:g}, usually {v.default:g}" for v in varied]
    return {"inputs": "; ".join(parts)} if parts else {}


def shared_summary(shared: Mapping[str, Any] | None) -> dict[str, str]:
    """Return a line of the decoder's shared part; empty for earlier versions."""
    if shared is None:
        return {}
    layers = "layer" if shared["layers"] == 1 else f"{shared['layers']} layers"
    return {"shared": f"the decoder's first {layers}, digest {shared['digest'][:DIGITS]}: the same "
                      "in all assets that share it"}  # fmt: skip
