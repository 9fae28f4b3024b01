"""Find the light around a dull ball by its picture. Device half: spherical_harmonics.slang.

    python examples/shader/spherical_harmonics.py [--steps 1000]

NumPy renders the ball, by 2,000 lights all around it: a sky, the ground and two lamps.
"""

from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import HERE, OUT, arguments, pixel_grid, save_row, written

import neuralshade
from neuralshade.measure.quality import psnr_db
from neuralshade.source.color import linear_to_srgb

TASK = HERE / "spherical_harmonics.slang"
SIDE_PX, SHOWN_PX = 32, 160
LIGHTS, ALBEDO = 2000, 0.5


def main() -> None:
    """Fit, print how near the ball comes and how near it could, and show both."""
    wanted = arguments(__doc__, "spherical_harmonics", 1000)
    target, asset = ball(SIDE_PX), OUT / "spherical_harmonics.nsh"
    result = fit(written(given(target), "spherical_harmonics"), asset, wanted.steps)
    found, best = result.members["light"], least_squares(target)
    for label, light in (("fit", found), ("least squares", best)):
        print(f"{label}: {quality_db(target, light):.2f} dB")
    print(f"{result.steps / result.seconds:.0f} steps/s on {result.device}")
    shown = [ball(SHOWN_PX), neuralshade.render(asset, size=(SHOWN_PX, SHOWN_PX))]
    error = np.abs(shown[1] - shown[0])
    save_row(wanted.picture, [linear_to_srgb(picture) for picture in shown] + [error * 10])


def radiance(toward: np.ndarray) -> np.ndarray:
    """Return the light that comes from directions [N, 3], y up: [N, 3], linear."""
    height = toward[:, 1:2]
    sky = np.array([0.12, 0.25, 0.45]) * (0.4 + 0.6 * height)
    ground = np.array([0.2, 0.11, 0.05]) * (0.6 + 0.4 * height)
    light = np.where(height > 0, sky, ground)
    for place, color, narrow in (
        ((0.6, 0.7, 0.4), (16.0, 12.0, 7.5), 20),
        ((-0.8, -0.2, 0.3), (0.8, 1.5, 4.0), 12),
    ):
        cosine = toward @ (np.array(place) / np.linalg.norm(place))
        light = light + np.exp(narrow * (cosine - 1))[:, None] * np.array(color)
    return light


def normals(side_px: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a ball's normals [side_px, side_px, 3], and which pixels see it."""
    u, v = pixel_grid(side_px, side_px)
    x, y = 2 * u - 1, 1 - 2 * v
    rest = 1 - x * x - y * y
    return np.stack([x, y, np.sqrt(rest.clip(0))], axis=-1), rest > 0


def ball(side_px: int) -> np.ndarray:
    """Return a dull ball in that light: float32 [side_px, side_px, 3], linear."""
    index = np.arange(LIGHTS) + 0.5
    height, turn = 1 - 2 * index / LIGHTS, np.pi * (1 + 5**0.5) * index
    radius = np.sqrt(1 - height**2)
    toward = np.stack([radius * np.cos(turn), height, radius * np.sin(turn)], axis=1)
    normal, seen = normals(side_px)
    received = (normal @ toward.T).clip(0) @ radiance(toward) * (4 * np.pi / LIGHTS)
    return np.float32(np.where(seen[..., None], received * ALBEDO / np.pi, 0))


def given(target: np.ndarray) -> dict[str, Any]:
    """Return what the task is given."""
    return {"ball": neuralshade.picture_from_array(target, "linear")}


def fit(values: dict[str, Any], asset: Path, steps: int) -> neuralshade.ShaderResult:
    """Return the light as member ``light`` [9, 3]; a thread for each pixel."""
    return neuralshade.fit_shader(
        TASK, asset, values=values, threads=f"{SIDE_PX}x{SIDE_PX}", steps=steps,
        color_space="linear",
    )  # fmt: skip


def basis(side_px: int) -> np.ndarray:
    """Return the nine functions at the pixels that see the ball: [pixels, 9]."""
    normal, seen = normals(side_px)
    x, y, z = normal[seen].T
    return np.stack(
        [0.282095 + 0 * x, 0.488603 * y, 0.488603 * z, 0.488603 * x, 1.092548 * x * y,
         1.092548 * y * z, 0.315392 * (3 * z * z - 1), 1.092548 * x * z,
         0.546274 * (x * x - y * y)], axis=1
    )  # fmt: skip


def least_squares(target: np.ndarray) -> np.ndarray:
    """Return the nine colors that come nearest to a ball's picture: [9, 3]."""
    _, seen = normals(target.shape[0])
    return np.linalg.lstsq(basis(target.shape[0]), target[seen], rcond=None)[0]


def quality_db(target: np.ndarray, light: np.ndarray) -> float:
    """Return the PSNR of the ball in ``light`` [9, 3], its brightest number as peak."""
    _, seen = normals(target.shape[0])
    wanted = target[seen][None]
    return psnr_db(wanted, np.float32(basis(target.shape[0]) @ light)[None], float(wanted.max()))


if __name__ == "__main__":
    main()
