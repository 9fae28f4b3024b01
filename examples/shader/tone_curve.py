"""Find the curves that a photograph was graded with. Device half: tone_curve.slang.

    python examples/shader/tone_curve.py [--steps 800]

The photograph is one that scikit-image carries; the grade has no part in the fit.
"""

from pathlib import Path
from typing import Any

import numpy as np
import skimage.data
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image
from side_by_side import HERE, OUT, arguments, save_row, written

import neuralshade
from neuralshade.measure.quality import psnr_db

TASK = HERE / "tone_curve.slang"
SIZE_PX = (240, 160)


def main() -> None:
    """Fit, print how near the graded photograph is, and show it with the curves."""
    wanted = arguments(__doc__, "tone_curve", 800)
    photo = np.asarray(Image.fromarray(skimage.data.coffee()).resize(SIZE_PX)) / np.float32(255)
    target, asset = graded(photo), OUT / "tone_curve.nsh"
    result = fit(written(pictures(photo, target), "tone_curve"), asset, wanted.steps)
    found = neuralshade.render(asset, size=SIZE_PX)
    print(f"{psnr_db(target, photo):.2f} dB before, {psnr_db(target, found):.2f} dB after")
    print(f"{result.steps / result.seconds:.0f} steps/s on {result.device}")
    save_row(wanted.picture, [photo, target, found, curves(result.members)])


def graded(color: np.ndarray) -> np.ndarray:
    """Return an old print: harder, warmer, its black washed out. float32, sRGB in and out."""
    harder = 0.45 * color + 0.55 * color**2 * (3 - 2 * color)
    warmer = np.array([1.0, 0.92, 0.78]) * harder ** np.array([0.9, 1.0, 1.12])
    black = np.array([0.02, 0.05, 0.11])
    return np.float32(black + (1 - black) * warmer)


def pictures(photo: np.ndarray, target: np.ndarray) -> dict[str, Any]:
    """Return what the task is given."""
    both = {"original": photo, "graded": target}
    return {name: neuralshade.picture_from_array(pixels) for name, pixels in both.items()}


def fit(values: dict[str, Any], asset: Path, steps: int) -> neuralshade.ShaderResult:
    """Return the curves as members ``black`` [3] and ``rise`` [8, 3]."""
    return neuralshade.fit_shader(TASK, asset, values=values, threads="64x64", steps=steps)


def curves(members: dict[str, np.ndarray]) -> np.ndarray:
    """Return a graph, the fit's points on the grade's lines: float [H, W, 3]."""
    figure = Figure(figsize=(SIZE_PX[1] / 100, SIZE_PX[1] / 100), dpi=100)
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.96), xticks=[], yticks=[])
    at = np.linspace(0, 1, 100)
    points = np.concatenate([members["black"][None], members["rise"]]).cumsum(axis=0)
    for channel, color in enumerate(("tab:red", "tab:green", "tab:blue")):
        axes.plot(at, graded(at[:, None].repeat(3, 1))[:, channel], color, linewidth=1)
        axes.plot(np.linspace(0, 1, len(points)), points[:, channel], "o", color=color, ms=3)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3] / 255


if __name__ == "__main__":
    main()
