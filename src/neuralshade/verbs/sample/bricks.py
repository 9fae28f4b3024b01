"""Procedural brick texture: five tileable maps, deterministic."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

ROWS, COLUMNS = 8, 4  # of bricks
JOINT = 0.07  # of a brick's height: half the width of the mortar
CLAY, PALE, MORTAR = (0.47, 0.19, 0.12), (0.66, 0.40, 0.28), (0.55, 0.53, 0.49)  # sRGB
BUMP = 5.0  # of the normals: rise over run of a height of 1 in a brick's height


def brick_maps(size: int) -> dict[str, Floats]:
    """Return each map, [size, size] or [size, size, 3], in [0, 1]."""
    draw = np.random.default_rng(7)
    inside, tint, worn = bricks(size, draw)
    rough, grain = noise(size, 0.012, draw), noise(size, 0.003, draw)
    face = smooth(inside, 0.0, 0.16)  # 1 on a brick, 0 in the mortar
    height = face * (0.75 + 0.08 * worn + 0.10 * rough) + 0.06 * grain
    chips = smooth(noise(size, 0.02, draw), 0.9, 1.6) * face
    height -= 0.2 * chips
    color = np.asarray(CLAY) + (np.asarray(PALE) - CLAY) * tint[..., None]
    color = color * (1 + 0.10 * rough + 0.12 * grain - 0.25 * chips)[..., None]
    mortar = np.asarray(MORTAR) * (1 + 0.10 * grain)[..., None]
    hollow = (height - blurred(height, 1 / 60)).clip(max=0)
    return {
        "albedo": mortar + (color - mortar) * face[..., None],
        "normal": normals(height, size),
        "roughness": 0.9 - face * (0.22 + 0.16 * worn - 0.05 * grain) + 0.1 * chips,
        "ao": 1 + 1.3 * hollow,
        "displacement": 0.1 + 0.9 * height,
    }


def bricks(size: int, draw: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Return how far inside its brick a texel is, in brick heights, and two numbers a brick."""
    v, u = (np.mgrid[:size, :size] + 0.5) / size
    warp = noise(size, 0.04, draw) * 0.035
    row = v * ROWS + warp
    col = u * COLUMNS + 0.5 * (np.floor(row) % 2) + warp.T * 0.5
    across, along = row % 1, col % 1
    edge = np.minimum(np.minimum(across, 1 - across), np.minimum(along, 1 - along) * ROWS / COLUMNS)
    which = np.floor(row).astype(int) % ROWS, np.floor(col).astype(int) % COLUMNS
    return edge - JOINT, draw.random((ROWS, COLUMNS))[which], draw.random((ROWS, COLUMNS))[which]


def noise(size: int, radius: float, draw: np.random.Generator) -> Floats:
    """Return noise that tiles, of mean 0 and deviation 1; ``radius`` is a share of the side."""
    found = blurred(draw.standard_normal((size, size)), radius)
    return (found - found.mean()) / found.std()


def blurred(values: Floats, radius: float) -> Floats:
    """Return a Gaussian blur with wrapping borders; ``radius`` is a share of the side."""
    frequency = np.fft.fftfreq(len(values), 1 / len(values))
    kept = np.exp(-2 * (np.pi * radius * frequency) ** 2)
    return np.fft.ifft2(np.fft.fft2(values) * kept[:, None] * kept).real


def smooth(values: Floats, low: float, high: float) -> Floats:
    """Return 0 up to ``low``, 1 from ``high`` on, and a smooth step between."""
    x = ((values - low) / (high - low)).clip(0, 1)
    return x * x * (3 - 2 * x)


def normals(height: Floats, size: int) -> Floats:
    """Return the normals of a height map, OpenGL convention: green points up."""
    run = 2 * ROWS / size  # in heights of a brick, between the texels to both sides
    right = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) / run
    down = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) / run
    slopes = np.stack([-right, down, np.full_like(height, BUMP)], axis=2)
    return slopes / np.linalg.norm(slopes, axis=2, keepdims=True) / 2 + 0.5
