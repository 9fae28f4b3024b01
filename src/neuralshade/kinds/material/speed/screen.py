"""Screen of surface points, one for each pixel. Device half: screen.slang."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]

TILE = 8  # side in pixels of a thread group's tile
LOWEST_UP = 0.03  # cosine of a scattered direction
LIGHT, EYE = (-0.8, 0.9, 1.5), (0.3, -0.5, 2.0)
DEVICE_HALF = Path(__file__).with_suffix(".slang")
CONSTANTS = """
static const int SCREEN_ACROSS = {across};
static const int SCREEN_DOWN = {down};
static const int SCREEN_TILE = {tile};
static const int SCREEN_TEXELS = {texels};
static const bool SCREEN_SCATTERED = {scattered};
static const int SCREEN_LIGHTS = {lights};
static const float SCREEN_LOWEST = {lowest_up};
static const float3 SCREEN_LIGHT = float3{light};
static const float3 SCREEN_EYE = float3{eye};
"""


@dataclass(frozen=True)
class Screen:
    """``across`` x ``down`` pixels, multiples of TILE; one pixel is a texel of ``texels``.

    Each has ``lights``; a query of a field is one light of one pixel, a pixel's lights in a row.
    """

    across: int = 1920
    down: int = 1080
    texels: int = 1024
    scattered: bool = False
    lights: int = 1

    def __post_init__(self) -> None:
        assert self.across % TILE == 0 and self.down % TILE == 0, "tiles fill the screen"

    @property
    def count(self) -> int:
        """Return the number of pixels."""
        return self.across * self.down

    def text(self) -> str:
        """Return the device half, with its constants before it."""
        scattered = str(self.scattered).lower()
        head = CONSTANTS.format(across=self.across, down=self.down, tile=TILE, texels=self.texels,
                                scattered=scattered, lights=self.lights, lowest_up=LOWEST_UP,
                                light=LIGHT, eye=EYE)  # fmt: skip
        return head + DEVICE_HALF.read_text()

    @staticmethod
    def unpacked(halves: npt.NDArray[Any], count: int) -> Floats:
        """Return the kernels' ``screen_halves``: float32 [count, 3]."""
        return halves.view(np.float16)[: 4 * count].reshape(-1, 4)[:, :3].astype(np.float32)

    def pixels(self) -> npt.NDArray[np.int64]:
        """Return pixels tile by tile, x and y: [count, 2]."""
        index = np.arange(self.count)
        tile, inside = index // TILE**2, index % TILE**2
        corner = np.stack([tile % (self.across // TILE), tile // (self.across // TILE)], 1)
        return corner * TILE + np.stack([inside % TILE, inside // TILE], 1)

    def positions(self) -> Floats:
        """Return the centers of ``pixels`` in [0, 1], x + the light's number: [queries, 2]."""
        size = np.array([self.across, self.down])
        centres = np.repeat((self.pixels() + 0.5) / size, self.lights, axis=0)
        centres[:, 0] += np.tile(np.arange(self.lights), self.count)
        return centres.astype(np.float32)

    def points(self) -> tuple[Floats, Floats, Floats]:
        """Return uv [queries, 2], wi and wo [queries, 3] of ``positions``."""
        uv, wo, to_lights = self._scattered() if self.scattered else self._plane()
        wi = np.stack(to_lights, 1).reshape(-1, 3)
        return np.repeat(uv, self.lights, 0), wi, np.repeat(wo, self.lights, 0)

    def _plane(self) -> tuple[Floats, Floats, list[Floats]]:
        """Return uv and wo of pixels, and wi of each light."""
        centre = self.pixels() + 0.5
        at = centre / self.down * 2 - [self.across / self.down, 1]
        at = np.concatenate([at, np.zeros((self.count, 1))], 1)
        towards, (x, y, z) = [EYE - at], LIGHT
        for _ in range(self.lights):
            towards.append((x, y, z) - at)
            x, y = -y, x
        wo, *wi = ((d / np.linalg.norm(d, axis=1, keepdims=True)).astype(np.float32)
                   for d in towards)  # fmt: skip
        return (centre / self.texels % 1).astype(np.float32), wo, wi

    def _scattered(self) -> tuple[Floats, Floats, list[Floats]]:
        """Return the same for pixels at random points."""
        pixels = self.pixels()
        state = (pixels[:, 1] * self.across + pixels[:, 0] + 77).astype(np.uint32)
        drawn = []
        for _ in range(5 + 2 * self.lights):
            state = state * np.uint32(747796405) + np.uint32(2891336453)
            word = (state >> ((state >> np.uint32(28)) + np.uint32(4))) ^ state
            word = word * np.uint32(277803737)
            word = (word >> np.uint32(22)) ^ word
            drawn.append((word >> np.uint32(8)).astype(np.float32) / np.float32(2**24))
        _, u, v, *rest = drawn  # the first is dropped: it is alike in neighbors
        wo, *wi = (_upward(*pair) for pair in zip(rest[::2], rest[1::2], strict=True))
        return np.stack([u, v], 1), wo, wi


def _upward(height: Floats, turn: Floats) -> Floats:
    z = height * (1 - LOWEST_UP) + LOWEST_UP
    angle, radius = 2 * math.pi * turn, np.sqrt(1 - z * z)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), z], 1).astype(np.float32)
