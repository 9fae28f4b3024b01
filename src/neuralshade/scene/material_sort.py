"""Counting sort of a frame's points by material. Device half: material_sort.cs.slang."""

from __future__ import annotations

from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.gpu.gpu import Buffer, Dispatch, Gpu

LANES, THREADS, EACH = 64, 256, 16  # as in material_sort.cs.slang
AT_ONCE = 4  # materials in a group that evaluates 256 points
MOST_MATERIALS = 1024
NOBODY = 0xFFFFFFFF  # in the order, pads a group of LANES after the last point of its material
BINS = "static const uint BINS = {materials}u;\n"
CONSTANTS = """
static const uint POINTS = {points}u;
static const uint CAPACITY = {capacity}u;
"""
SIZES = """
StructuredBuffer<uint> sizes;
#define POINTS sizes[0]
#define CAPACITY sizes[1]
"""
SORT = '#include "neuralshade/scene/material_sort.cs.slang"\n'


class MaterialSort:
    """Sorts the points of a frame by material on a device.

    ``order``: uint32 [LANES * groups], every point once, material by material; each material
    begins at a multiple of LANES, padded with NOBODY, so a group of LANES has one material.
    ``groups`` is a multiple of AT_ONCE. ``places``: uint32 [points], index of each in ``order``.
    """

    def __init__(self, gpu: Gpu, point_materials: Buffer, points: int, materials: int,
                 sizes: Buffer | None = None):  # fmt: skip
        """Compile the sorting kernels.

        Args:
            point_materials: uint32 [points], each below ``materials``; read at every sort.
            points: their number, or the maximum where there are ``sizes``.
            materials: their number.
            sizes: uint32, the number of points to sort, then its ``places_for``; None sorts all
                points.

        Raises: ConfigError for no points or a number of materials outside 1 to MOST_MATERIALS;
            KernelError.
        """
        if points < 1 or not 1 <= materials <= MOST_MATERIALS:
            raise ConfigError(f"frame: got {points} points of {materials} materials, need a point "
                              f"and 1 to {MOST_MATERIALS} materials. Draw what is left in a frame "
                              "of its own.")  # fmt: skip
        self.materials = materials
        capacity = self.places_for(points)
        self.groups = capacity // LANES
        self.order = gpu.buffer(size=4 * capacity)
        self.places = gpu.buffer(size=4 * points)
        bound: dict[str, Any] = {"point_materials": point_materials, "order": self.order,
                                 "places": self.places,
                                 "counts": gpu.buffer(size=4 * materials),
                                 "cursors": gpu.buffer(size=4 * materials)}  # fmt: skip
        if sizes is not None:
            bound["sizes"] = sizes
        all_points = CONSTANTS.format(points=points, capacity=capacity)
        text = BINS.format(materials=materials) + (all_points if sizes is None else SIZES) + SORT
        self._kernels = [gpu.kernel(text, name, bound)
                         for name in ("count_points", "place_bins", "place_points")]  # fmt: skip
        self.dispatches = self.dispatches_for(points)

    def places_for(self, points: int) -> int:
        """Return the largest length of ``order`` for that many points."""
        groups = -(-points // LANES) + self.materials
        return LANES * AT_ONCE * -(-groups // AT_ONCE)

    def dispatches_for(self, points: int) -> list[Dispatch]:
        """Return the dispatches that sort the first ``points`` points."""
        groups = -(-points // (THREADS * EACH))
        return list(zip(self._kernels, (groups, 1, groups), strict=True))
