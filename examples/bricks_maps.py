"""Draw a texture set of our own: bricks that tile, as five maps in a folder.

    python examples/bricks_maps.py bricks_maps [--size 512]

Writes albedo.png, normal.png, roughness.png, ao.png and displacement.png of 8 bits, the same every
time. What docs/textures.md and docs/mipmaps.md fit, where no set of yours is at hand.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

ROWS, COLUMNS = 8, 4  # of bricks
JOINT = 0.07  # of a brick's height: half the width of the mortar
CLAY, PALE, MORTAR = (0.47, 0.19, 0.12), (0.66, 0.40, 0.28), (0.55, 0.53, 0.49)  # sRGB
BUMP = 5.0  # of the normals: rise over run of a height of 1 in a brick's height


def main() -> None:
    """Draw the maps, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", type=int, default=512, help="pixels a side")
    asked = parser.parse_args()
    write_maps(asked.folder, asked.size)


def write_maps(folder: Path, size: int) -> None:
    """Write the set of ``size`` x ``size`` texels into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, values in maps(size).items():
        pixels = np.rint(values.clip(0, 1) * 255).astype(np.uint8)
        Image.fromarray(pixels).save(folder / f"{name}.png")


def maps(size: int) -> dict[str, np.ndarray]:
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


def bricks(size: int, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return how far inside its brick a texel is, in heights of one, and two numbers a brick."""
    v, u = (np.mgrid[:size, :size] + 0.5) / size
    warp = noise(size, 0.04, draw) * 0.035
    row = v * ROWS + warp
    col = u * COLUMNS + 0.5 * (np.floor(row) % 2) + warp.T * 0.5
    across, along = row % 1, col % 1
    edge = np.minimum(np.minimum(across, 1 - across), np.minimum(along, 1 - along) * ROWS / COLUMNS)
    which = np.floor(row).astype(int) % ROWS, np.floor(col).astype(int) % COLUMNS
    return edge - JOINT, draw.random((ROWS, COLUMNS))[which], draw.random((ROWS, COLUMNS))[which]


def noise(size: int, radius: float, draw: np.random.Generator) -> np.ndarray:
    """Return noise that tiles, of mean 0 and deviation 1; ``radius`` is a share of the side."""
    found = blurred(draw.standard_normal((size, size)), radius)
    return (found - found.mean()) / found.std()


def blurred(values: np.ndarray, radius: float) -> np.ndarray:
    """Return a Gaussian blur of what tiles; ``radius`` is a share of the side."""
    frequency = np.fft.fftfreq(len(values), 1 / len(values))
    kept = np.exp(-2 * (np.pi * radius * frequency) ** 2)
    return np.fft.ifft2(np.fft.fft2(values) * kept[:, None] * kept).real


def smooth(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return 0 up to ``low``, 1 from ``high`` on, and a smooth step between."""
    x = ((values - low) / (high - low)).clip(0, 1)
    return x * x * (3 - 2 * x)


def normals(height: np.ndarray, size: int) -> np.ndarray:
    """Return the normals of a height, for OpenGL: green points up."""
    run = 2 * ROWS / size  # in heights of a brick, between the texels to both sides
    right = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) / run
    down = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) / run
    slopes = np.stack([-right, down, np.full_like(height, BUMP)], axis=2)
    return slopes / np.linalg.norm(slopes, axis=2, keepdims=True) / 2 + 0.5


if __name__ == "__main__":
    main()
