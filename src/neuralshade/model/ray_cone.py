"""Ray cone: a pixel's footprint in texture coordinates. Device half: ray_cone.slang."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LEAST_SLANT = 0.01  # cosine; what is seen along the surface would cover no end of it


def cone_footprint(
    width: npt.ArrayLike, uv_per_area: npt.ArrayLike, slant: npt.ArrayLike
) -> npt.NDArray[Any]:
    """Return the side of the square in uv that a cone covers on a surface.

    It is the longer side of the footprint at a slant: a single look-up is
    rather too soft there than too sharp.

    Args:
        width: of the cone, in units of the surface's world, >= 0.
        uv_per_area: area in uv of a piece of surface over its area in the world, >= 0.
        slant: cosine between the cone's axis and the surface's normal; its sign does not matter.

    Source: Akenine-Moeller et al. 2019, Texture Level of Detail Strategies for Real-Time Ray
        Tracing, section 20.3.4, ray cones.
    """
    across = np.maximum(np.abs(slant), LEAST_SLANT)
    return np.asarray(width) * np.sqrt(uv_per_area) / across
