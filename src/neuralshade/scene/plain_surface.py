"""Uniform surface for the scenery around a material. Device half: plain_surface.slang."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neuralshade.model.scattering import Scattering


def plain_scattering(
    diffuse: Sequence[float], specular: Sequence[float], roughness: float
) -> Scattering:
    """Return a diffuse surface below a rough mirror.

    Args:
        diffuse: albedo, linear [3], 0 to 1.
        specular: what the mirror reflects head-on, linear [3]; all 0 is none at all.
        roughness: perceptual, 0 to 1.
    """
    numbers = np.array([*diffuse, *specular, roughness], np.float32)
    return Scattering(
        "neuralshade.scene.plain_surface", "PlainSurface", numbers, np.zeros(0, np.uint32)
    )
