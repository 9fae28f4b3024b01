"""Make the picture at the top of docs/recipes.md: a fit on its way, and what is inside it.

    python examples/readme_picture.py [--seconds 20]

Writes docs/coffee.jpg: six moments of training above, then the photograph, the asset drawn,
the error around grey, and the learned grids.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image

import neuralshade
from neuralshade.fitting.snapshots import load_snapshots
from neuralshade.measure.display import error_picture, feature_pages

OUT = Path(__file__).parent.parent / "docs/coffee.jpg"
WIDTH_PX, GAP_PX = 1500, 6
MOMENTS = 6


def main() -> None:
    """Fit, then lay the pictures out in two rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds
    photo = skimage.data.coffee()
    with tempfile.TemporaryDirectory() as folder:
        asset, snapshots = Path(folder) / "coffee.nsh", Path(folder) / "snapshots"
        result = neuralshade.fit_image(
            neuralshade.picture_from_array(photo),
            asset,
            seconds=seconds,
            options=neuralshade.FitOptions(snapshots=snapshots),
        )
        drawn = neuralshade.render(asset)
        grids = [grid for _, grid in neuralshade.load(asset).grids()]
        moments = [picture for step, picture in load_snapshots(snapshots) if step >= 16]
    target = photo.astype(np.float32) / 255
    picked = [moments[i] for i in np.linspace(0, len(moments) - 1, MOMENTS).round().astype(int)]
    pages = [feature_pages(grid)[0][1] for grid in grids]
    rows = [row(picked), row([target, drawn, error_picture(target, drawn, 4.0), *pages[::-1]])]
    Image.fromarray(np.concatenate(rows)).save(OUT, quality=88, optimize=True)
    print(f"{OUT}: {result.psnr_db:.2f} dB, {result.asset_bytes:,} bytes")


def row(pictures: list[np.ndarray]) -> np.ndarray:
    """Return pictures side by side on white, all of one height, WIDTH_PX wide."""
    cell = (WIDTH_PX - GAP_PX * (len(pictures) - 1)) // len(pictures)
    height = cell * pictures[0].shape[0] // pictures[0].shape[1]
    strip = np.full((height + GAP_PX, WIDTH_PX, 3), 255, np.uint8)
    for index, picture in enumerate(pictures):
        rgb = Image.fromarray(np.rint(picture.clip(0, 1) * 255).astype(np.uint8)).convert("RGB")
        left = index * (cell + GAP_PX)
        strip[:height, left : left + cell] = np.asarray(rgb.resize((cell, height)))
    return strip


if __name__ == "__main__":
    main()
