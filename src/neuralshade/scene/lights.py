"""Lights besides the environment, packed for a device. Device half: lights.slang."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.gpu.gpu import Gpu
from neuralshade.scene.entries import LIGHTS, LightEntry

LIGHT = np.dtype([("place", "3f4"), ("sort", "i4"), ("across", "3f4"), ("area", "f4"),
                  ("up", "4f4"), ("radiance", "4f4")])  # fmt: skip


def bind_lights(gpu: Gpu, lights: Sequence[LightEntry]) -> dict[str, Any]:
    """Return the bindings of the device half's Lights."""
    return {"all": gpu.buffer(packed_lights(lights)), "count": len(lights)}


def packed_lights(lights: Sequence[LightEntry]) -> npt.NDArray[Any]:
    """Return lights as the device reads them, at least one row."""
    found = np.zeros(max(1, len(lights)), LIGHT)
    for row, light in zip(found, lights, strict=False):
        directional = light.type == LIGHTS[0]
        vector = np.array(light.direction if directional else light.position, np.float64)
        row["place"] = vector / np.linalg.norm(vector) if directional else vector
        row["sort"], row["radiance"][:3] = LIGHTS.index(light.type), light.radiance
        row["across"], row["up"][:3] = light.across, light.up
        row["area"] = np.linalg.norm(np.cross(light.across, light.up))
    return found
