"""Lines for people of what an asset of a material holds and is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neuralshade.kinds.material.judging.mip_judge import TRAINED
from neuralshade.kinds.material.noise import WAYS
from neuralshade.kinds.material.varied import Varied


def told_noise(quality: Mapping[str, float]) -> dict[str, str]:
    """Return a line of what the sampler is worth; none where that was not measured."""
    by = {way: quality.get(f"noise_{way}") for way in WAYS}
    if None in by.values():
        return {}
    return {"sampler": f"noise of one direction {by['sampler']:.2f}, by lobes {by['lobes']:.2f}, "
                       f"by the cosine {by['cosine']:.2f}"}  # fmt: skip


def told_map_levels(told: Sequence[Mapping[str, Any]] | None, coarse_bytes: int) -> str:
    """Return how many levels there are, and what the coarse ones take."""
    if told is None:
        return "1: it was fitted by a version without mip levels"
    trained = sum(level["kept"] == TRAINED for level in told[1:])
    return (f"{len(told)}, of the {len(told) - 1} coarse ones {trained} trained and the others "
            f"box-filtered, in {coarse_bytes:,} bytes")  # fmt: skip


def told_varied(varied: Sequence[Varied]) -> dict[str, str]:
    """Return a line of the inputs that may be given; none where there are none."""
    told = [f"{v.name} from {v.low:g} to {v.high:g}, usually {v.default:g}" for v in varied]
    return {"inputs": "; ".join(told)} if told else {}
