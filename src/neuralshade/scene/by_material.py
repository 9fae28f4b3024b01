"""Points of a frame in the order of their materials. Device half: by_material.cs.slang."""

from __future__ import annotations

from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu

LANES, THREADS, EACH = 64, 256, 16  # as in by_material.cs.slang
AT_ONCE = 4  # materials of a group that evaluates 256 points
MOST_MATERIALS = 1024
NOBODY = 0xFFFFFFFF  # in the order, where a group of LANES has no further point of its material
CONSTANTS = """
static const uint POINTS = {points}u;
static const uint BINS = {materials}u;
static const uint CAPACITY = {capacity}u;
"""
SORT = '#include "neuralshade/scene/by_material.cs.slang"\n'


class MaterialOrder:
    """Sorts the points of a frame by material on a device.

    ``order``: uint32 [LANES * groups], every point once, material by material; each begins at a
    multiple of LANES, and NOBODY fills up. What evaluates a group of LANES sees one material;
    ``groups`` is a multiple of AT_ONCE. ``places``: uint32 [points], where in ``order`` each is.
    """

    def __init__(self, gpu: Gpu, point_materials: Buffer, points: int, materials: int):
        """``point_materials``: uint32 [points], each below ``materials``; read at every sort.

        Raises: ConfigError for no point or another number of materials than 1 to MOST_MATERIALS;
            KernelError.
        """
        if points < 1 or not 1 <= materials <= MOST_MATERIALS:
            raise ConfigError(f"frame: got {points} points of {materials} materials, need a point "
                              f"and 1 to {MOST_MATERIALS} materials. Draw what is left in a frame "
                              "of its own.")  # fmt: skip
        groups = -(-points // LANES) + materials  # that the points fill at most
        self.groups = -(-groups // AT_ONCE) * AT_ONCE
        self.order = gpu.buffer(size=4 * LANES * self.groups)
        self.places = gpu.buffer(size=4 * points)
        constants = {"points": points, "materials": materials, "capacity": LANES * self.groups}
        bound: dict[str, Any] = {"point_materials": point_materials, "order": self.order,
                                 "places": self.places,
                                 "counts": gpu.buffer(size=4 * materials),
                                 "cursors": gpu.buffer(size=4 * materials)}  # fmt: skip
        text = CONSTANTS.format(**constants) + SORT
        groups = -(-points // (THREADS * EACH))
        self.dispatches: list[Dispatch] = [
            (gpu.kernel(text, name, bound), count)
            for name, count in (
                ("count_points", groups),
                ("place_bins", 1),
                ("place_points", groups),
            )
        ]
