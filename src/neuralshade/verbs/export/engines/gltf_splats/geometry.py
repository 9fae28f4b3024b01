"""Flat splats of a picture's Gaussians: kernel, background, depth and a camera.

Units are the picture's longer side; x to the right, y up, z to the viewer. Renderers of splats
sort them by their distance from the camera, so that an order can only be said by depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.model.gaussian import GaussianPicture

Doubles = npt.NDArray[np.float64]

REACH = 3.0  # standard deviations, where renderers cut a Gaussian off
DEPTH = 0.1  # of all layers
DISTANCE = 100.0  # of the camera: far, so that distance is depth, and layers do not shift
BACKGROUND_CELLS = 24  # along the longer side, each with a splat
BACKGROUND_SIZE = 0.85  # standard deviation, in cells: gaps pass less than 0.2 %
BACKGROUND_OPACITY = 0.99  # the most that the first renderers take
LAYER_CELLS = 256  # along the longer side, in which splats are stacked
APART = 6  # cells: background splats that are so far from each other do not meet
MOST_OPACITY = 1 - 1e-6  # its logit is finite


@dataclass(frozen=True)
class FlatSplats:
    """Splats in the picture's plane, the first in front; the last ones are its background."""

    centers: Doubles  # [N, 2], pixels, y down
    roots: Doubles  # [N, 2, 2]; a covariance is root root^T
    opacities: Doubles  # [N]
    backgrounds: int  # how many are the background
    width: int
    height: int

    @property
    def unit_px(self) -> int:
        return max(self.width, self.height)

    @property
    def covariances(self) -> Doubles:
        """Return them in pixels: [N, 2, 2]."""
        found: Doubles = self.roots @ self.roots.transpose(0, 2, 1)
        return found

    @cached_property
    def layers(self) -> npt.NDArray[np.int64]:
        """Return the layer of each, 0 in front: as few as keep the order of those that meet."""
        cell = self.unit_px / LAYER_CELLS
        reach = REACH * np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))
        most = [-(-self.width // cell), -(-self.height // cell)]
        low, high = (np.clip(np.floor(side / cell), -1, most).astype(int)
                     for side in (self.centers - reach, self.centers + reach))  # fmt: skip
        next_layers = np.zeros((int(most[1]) + 2, int(most[0]) + 2), np.int64)
        found = np.zeros(len(self.centers), np.int64)
        for i in range(len(found)):
            over = next_layers[low[i, 1] + 1 : high[i, 1] + 2, low[i, 0] + 1 : high[i, 0] + 2]
            found[i] = over.max()
            over[:] = found[i] + 1
        return found

    @property
    def depths(self) -> Doubles:
        """Return z of each: 0 in front, below 0 behind."""
        return -DEPTH * self.layers / max(1, self.layers.max())

    @property
    def growth(self) -> Doubles:
        """Return the factor by which each is larger, as it is farther from the camera."""
        return 1 - self.depths / DISTANCE

    @property
    def positions(self) -> Doubles:
        """Return centers in space: [N, 3]."""
        middle = np.array([self.width, self.height]) / 2
        flat = (self.centers - middle) / self.unit_px * [1, -1] * self.growth[:, None]
        return np.concatenate([flat, self.depths[:, None]], axis=1)

    @property
    def axes(self) -> tuple[Doubles, Doubles]:
        """Return standard deviations along two axes [N, 2], and the angle of the first [N].

        Angles are in radians, counterclockwise.
        """
        covariances = self.covariances / self.unit_px**2 * [[1, -1], [-1, 1]]
        squares, vectors = np.linalg.eigh(covariances)
        scales = np.sqrt(np.maximum(squares[:, ::-1], 0)) * self.growth[:, None]
        return scales, np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1])


def flat_splats(picture: GaussianPicture) -> FlatSplats:
    """Return the splats of a picture whose Gaussians cover each other."""
    assert picture.opacities is not None
    size, height = closest_kernel(picture.compositing.cutoff)
    centers, root = _background(picture)
    behind = len(centers)
    opacities = np.minimum(picture.opacities * height, MOST_OPACITY)
    return FlatSplats(
        np.concatenate([picture.centers, centers]),
        np.concatenate([picture.roots * size, np.broadcast_to(root, (behind, 2, 2))]),
        np.concatenate([opacities, np.full(behind, BACKGROUND_OPACITY)]),
        behind, picture.width, picture.height,
    )  # fmt: skip


def closest_kernel(cutoff: float) -> tuple[float, float]:
    """Return size and height of the Gaussian, cut off at REACH, that is closest to ours.

    Ours falls to 0 at the cutoff; closest in squares over the plane.
    """
    radius = (np.arange(2_400) + 0.5) / 300
    least = np.exp(-0.5 * cutoff**2)
    ours = np.maximum(np.exp(-0.5 * radius**2) - least, 0) / (1 - least)
    sizes = np.linspace(0.3, 1.1, 401)[:, None]
    theirs = np.exp(-0.5 * (radius / sizes) ** 2) * (radius < REACH * sizes)
    heights = (theirs * ours * radius).sum(1) / (theirs**2 * radius).sum(1)
    off = ((ours - heights[:, None] * theirs) ** 2 * radius).sum(1)
    best = int(off.argmin())
    return float(sizes[best, 0]), float(heights[best])


def _background(picture: GaussianPicture) -> tuple[Doubles, npt.NDArray[Any]]:
    """Return centers and the root of splats that cover the picture, edges too.

    Those that do not meet follow each other, so that a layer takes many.
    """
    cell = max(picture.width, picture.height) / BACKGROUND_CELLS
    along = [np.linspace(0, side, int(np.ceil(side / cell)) + 1)
             for side in (picture.width, picture.height)]  # fmt: skip
    row, col = (index.ravel() for index in np.indices((len(along[1]), len(along[0]))))
    order = np.lexsort([col % APART, row % APART])
    centers = np.stack([along[0][col], along[1][row]], 1)[order]
    return centers, np.eye(2) * BACKGROUND_SIZE * cell
