"""What the examples of `fit shader` have in common: arguments, files, and pictures in a row."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import neuralshade

HERE = Path(__file__).parent
OUT = Path("out")
GAP_PX = 6


def arguments(about: str, name: str, steps: int) -> argparse.Namespace:
    """Return ``steps`` and ``picture`` of the command line; make the folders written to."""
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--picture", type=Path, default=OUT / f"{name}.png")
    found = parser.parse_args()
    for folder in (OUT, found.picture.parent):
        folder.mkdir(parents=True, exist_ok=True)
    return found


def written(values: dict[str, Any], name: str) -> dict[str, Any]:
    """Return a task's values with its pictures as files, which the asset then names.

    EXR holds their numbers as they are, whatever color space they are in.
    """
    paths = dict(values)
    for member, value in values.items():
        if isinstance(value, neuralshade.Picture):
            paths[member] = OUT / f"{name}_{member}.exr"
            neuralshade.save_picture(paths[member], value.as_float(), "linear")
    return paths


def save_row(path: Path, pictures: list[np.ndarray], zoom: int = 1) -> None:
    """Write pictures of one height, float [H, W, 3] sRGB, side by side on white."""
    gap = np.ones((pictures[0].shape[0] * zoom, GAP_PX, 3), np.float32)
    large = [picture.repeat(zoom, 0).repeat(zoom, 1) for picture in pictures]
    row = np.concatenate([part for picture in large for part in (gap, picture)][1:], axis=1)
    Image.fromarray(np.rint(row.clip(0, 1) * 255).astype(np.uint8)).save(
        path, optimize=True, quality=90
    )


def pixel_grid(width: int, height: int) -> tuple[np.ndarray, np.ndarray]:
    """Return u and v of the pixels' middles, float64 [height, width] each."""
    v, u = np.mgrid[0:height, 0:width] + 0.5
    return u / width, v / height
