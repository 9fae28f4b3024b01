"""Fit a photograph that scikit-image carries; print the numbers and where things are.

python examples/demo.py [--seconds 20]
"""

import argparse
from pathlib import Path

import numpy as np
import skimage.data

import neuralshade
from neuralshade.cli.terminal import watch

OUT = Path("out")


def main() -> None:
    """Fit, draw, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds = parser.parse_args().seconds

    OUT.mkdir(exist_ok=True)
    photo, asset, page = OUT / "coffee.png", OUT / "coffee.nsh", OUT / "coffee.html"
    pixels = skimage.data.coffee().astype(np.float32) / 255
    neuralshade.save_picture(photo, pixels, "srgb")

    with watch(quiet=False) as observer:
        result = neuralshade.fit_image(
            photo,
            asset,
            seconds=seconds,
            observer=observer,
            options=neuralshade.FitOptions(report=page),
        )
    neuralshade.render(asset, OUT / "coffee_4x.png", size=(2400, 1600))
    neuralshade.evaluate(asset, photo).print()
    print()
    result.print()
    print(page)
    print(OUT / "coffee_4x.png")


if __name__ == "__main__":
    main()
