"""Train a mip level to look like what it stands for. Device half: learned_mip.slang.

    python examples/shader/learned_mip.py [--steps 600]

The surface is made here: bumps, the high ones worn bright and smooth.
"""

from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import HERE, OUT, arguments, pixel_grid, save_row, written

import neuralshade

TASK = HERE / "learned_mip.slang"
SIDE_PX, FOOTPRINT = 256, 4
HELD_OUT = 12345  # seed of directions that no fit has seen
WAVES = 60


def main() -> None:
    """Fit, print the error of both mip levels, and show them beside the surface."""
    wanted = arguments(__doc__, "learned_mip", 600)
    values = written(given(*surface(SIDE_PX)), "learned_mip")
    box, asset = OUT / "box_mip.nsh", OUT / "learned_mip.nsh"
    boxed = held_out(values, box)
    result = fit(values, asset, wanted.steps)
    learned = held_out({**values, **result.members}, OUT / "held_out.nsh")
    print(f"relative error: box {boxed:.4f}, learned {learned:.4f}, {learned / boxed:.2f} of it")
    print(f"{result.steps / result.seconds:.0f} steps/s on {result.device}")
    full, right = (0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0)
    size = (SIDE_PX // FOOTPRINT, SIDE_PX // FOOTPRINT)
    shown = [
        neuralshade.render(path, size=size, crop=crop)
        for path, crop in ((box, full), (box, right), (asset, right))
    ]
    save_row(wanted.picture, shown, zoom=4)


def surface(side_px: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return albedo [.., 3] (linear), unit normals [.., 3] and roughness [..]; they tile."""
    rng = np.random.default_rng(0)
    u, v = pixel_grid(side_px, side_px)
    height = np.zeros((side_px, side_px))
    for _ in range(WAVES):
        frequency, turn = rng.uniform(0.1, 0.3) * side_px, 2 * np.pi * rng.random()
        x, y = round(frequency * np.cos(turn)), round(frequency * np.sin(turn))
        phase = 2 * np.pi * (x * u + y * v + rng.random())
        height += np.sin(phase) / np.hypot(x, y)
    slopes = [(np.roll(height, -1, a) - np.roll(height, 1, a)) * side_px * 0.008 for a in (1, 0)]
    normal = np.stack([-slopes[0], slopes[1], np.ones_like(height)], axis=-1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    worn = (0.5 * height / height.std()).clip(-1, 1)
    albedo = np.array([0.6, 0.38, 0.24]) + worn[..., None] * np.array([0.3, 0.27, 0.21])
    return np.float32(albedo), np.float32(normal), np.float32(0.4 - 0.15 * worn)


def given(albedo: np.ndarray, normal: np.ndarray, roughness: np.ndarray) -> dict[str, Any]:
    """Return the task's pictures, and the box filter's mip level as where it begins."""
    side = albedo.shape[0] // FOOTPRINT
    mean = box(normal)
    pixels = {"albedo": albedo, "normal": 0.5 * normal + 0.5, "roughness": roughness}
    starts = {
        "mip_albedo": box(albedo),
        "mip_slope": mean[..., :2] / mean[..., 2:],
        "mip_roughness": box(roughness),
    }
    return {
        **{name: neuralshade.picture_from_array(p, "linear") for name, p in pixels.items()},
        **starts,
        **{f"{name}.size": (side, side) for name in starts},
    }


def box(pixels: np.ndarray) -> np.ndarray:
    """Return the means over footprints: [H, W] or [H, W, C] to [H / 4, W / 4, C]."""
    side = pixels.shape[0] // FOOTPRINT
    return pixels.reshape(side, FOOTPRINT, side, FOOTPRINT, -1).mean(axis=(1, 3))


def fit(values: dict[str, Any], asset: Path, steps: int) -> neuralshade.ShaderResult:
    """Return the level as members; four pairs of directions a texel and step."""
    side = values["mip_slope"].shape[0]
    threads = f"{side}x{side}x4"
    return neuralshade.fit_shader(TASK, asset, values=values, threads=threads, steps=steps)


def held_out(values: dict[str, Any], asset: Path) -> float:
    """Return the RMS relative error of the level that ``values`` begin with.

    One step tells: at rate 0 it changes nothing.
    """
    side = values["mip_slope"].shape[0]
    result = neuralshade.fit_shader(
        TASK, asset, values=values, threads=f"{side}x{side}x64", steps=1, rate=0, seed=HELD_OUT
    )
    return float(np.sqrt(result.loss))


if __name__ == "__main__":
    main()
