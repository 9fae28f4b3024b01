"""Train a small network in place of a BRDF's formulas. Device half: brdf_network.slang.

python examples/shader/brdf_network.py [--steps 1500]
"""

from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import HERE, OUT, arguments, save_row

import neuralshade
from neuralshade.measure.quality import psnr_db

TASK = HERE / "brdf_network.slang"
SIZE_PX = (720, 360)
HELD_OUT = 12345  # seed of angles that no fit has seen


def main() -> None:
    """Fit, print the errors, and show balls by the formulas above those by the network."""
    wanted = arguments(__doc__, "brdf_network", 1500)
    asset = OUT / "brdf_network.nsh"
    result = fit(asset, wanted.steps)
    error = held_out(result.members, OUT / "held_out.nsh")
    balls = neuralshade.render(asset, size=SIZE_PX)
    print(f"held-out angles: RMS error {error:.4f} of log(1 + lobe)")
    print(f"balls: {balls_db(balls):.2f} dB")
    print(f"{result.steps / result.seconds:.0f} steps/s on {result.device}")
    save_row(wanted.picture, [balls])


def fit(asset: Path, steps: int, threads: int = 4096) -> neuralshade.ShaderResult:
    """Return the network as member ``network``."""
    return neuralshade.fit_shader(TASK, asset, threads=str(threads), steps=steps)


def held_out(members: dict[str, Any], asset: Path) -> float:
    """Return the RMS error over lobes and angles: one step tells, at rate 0."""
    result = neuralshade.fit_shader(
        TASK, asset, values=members, threads="65536", steps=1, rate=0, seed=HELD_OUT
    )
    return float(np.sqrt(result.loss / 3))


def balls_db(balls: np.ndarray) -> float:
    """Return the PSNR of the lower half of what the task renders, by its upper half."""
    above, below = np.split(balls, 2)
    return psnr_db(above, below)


if __name__ == "__main__":
    main()
