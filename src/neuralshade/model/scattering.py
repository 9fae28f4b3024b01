"""How a fitted material is given to a path tracer. Device half: scattering.slang."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Scattering:
    """A Slang type that implements ``IScattering``, and the numbers that it reads.

    Materials of one ``type`` share one piece of machine code, however many a scene has.
    """

    module: str  # that declares the type, as Slang imports it
    type: str
    numbers: npt.NDArray[np.float32]  # [any]
    words: npt.NDArray[np.uint32]  # [any]


def lobe_density(
    half: npt.NDArray[Any], normal: npt.NDArray[Any], tangent: npt.NDArray[Any],
    width: npt.NDArray[Any],
) -> npt.NDArray[np.float64]:  # fmt: skip
    """Return the density per solid angle of half vectors [n, 3] about one lobe, as ``Lobe``.

    Args:
        normal: of length 1 [3].
        tangent: of length 1 [3], at a right angle to it.
        width: along the tangent and across, > 0 [2].
    """
    up = half @ normal
    over = np.stack([half @ tangent, half @ np.cross(normal, tangent)], 1) / width
    below = np.square(over).sum(1) + up**2
    found = np.maximum(up, 0) / (np.pi * width[0] * width[1] * below**2)
    return np.asarray(found, np.float64)
