"""Find three discs in a picture of them: nine numbers. Device half: nine_parameters.slang.

    python examples/shader/nine_parameters.py [--steps 500]

NumPy draws the picture, from numbers that the fit is not told.
"""

from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import HERE, OUT, arguments, pixel_grid, save_row, written

import neuralshade

TASK = HERE / "nine_parameters.slang"
DISCS = np.array([[0.36, 0.34, 0.25], [0.66, 0.40, 0.21], [0.47, 0.68, 0.17]])  # x, y, radius
INKS = np.array([[0.1, 0.7, 0.9], [0.9, 0.2, 0.6], [1.0, 0.9, 0.2]])
EDGE = 0.02
SIDE_PX = 192


def main() -> None:
    """Fit, print both sets of numbers, and show both pictures."""
    wanted = arguments(__doc__, "nine_parameters", 500)
    target = drawn(DISCS, SIDE_PX)
    values = written(given(target), "nine_parameters")
    started, asset = OUT / "nine_parameters_started.nsh", OUT / "nine_parameters.nsh"
    fit(values, started, 1)
    result = fit(values, asset, wanted.steps)
    for label, numbers in (("drawn with", DISCS), ("found", result.members["discs"])):
        print(f"{label:10}", *(f"{number:.4f}" for number in numbers.reshape(-1)))
    print(f"{result.steps / result.seconds:.0f} steps/s on {result.device}")
    shown = [neuralshade.render(path, size=(SIDE_PX, SIDE_PX)) for path in (started, asset)]
    save_row(wanted.picture, [target, *shown])


def drawn(discs: np.ndarray, side_px: int) -> np.ndarray:
    """Return discs of ink on white paper: float32 [side_px, side_px, 3], sRGB."""
    u, v = pixel_grid(side_px, side_px)
    paper = np.ones((side_px, side_px, 3))
    for (x, y, radius), ink in zip(discs, INKS, strict=True):
        covered = 1 / (1 + np.exp((np.hypot(u - x, v - y) - radius) / EDGE))
        paper *= 1 - covered[..., None] * (1 - ink)
    return np.float32(paper)


def given(target: np.ndarray) -> dict[str, Any]:
    """Return what the task is given."""
    return {"target": neuralshade.picture_from_array(target)}


def fit(values: dict[str, Any], asset: Path, steps: int) -> neuralshade.ShaderResult:
    """Return the discs found in a picture, as member ``discs`` [3, 3]."""
    return neuralshade.fit_shader(TASK, asset, values=values, threads="64x64", steps=steps)


if __name__ == "__main__":
    main()
