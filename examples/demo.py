"""Fit a photograph that scikit-image carries; print the numbers and where things are.

python examples/demo.py [--seconds 20]

Without --seconds the fit ends where more steps gain little, or after 20 s and 640 steps.
"""

import argparse
from pathlib import Path

import neuralshade
from neuralshade.cli.terminal import show_notes, watch
from neuralshade.verbs.sample.sample import write_photo

OUT = Path("out")


def main() -> None:
    """Fit, draw, compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float)
    ends = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}

    OUT.mkdir(exist_ok=True)
    photo, asset, page = OUT / "cat.png", OUT / "cat.nsh", OUT / "cat.html"
    write_photo(photo)
    show_notes(quiet=False)
    with watch(quiet=False) as observer:
        result = neuralshade.fit_image(
            photo, asset, observer=observer, options=neuralshade.FitOptions(report=page), **ends
        )
    neuralshade.render(asset, OUT / "cat_4x.png", scale=4)
    neuralshade.evaluate(asset, photo).print()
    print()
    result.print()
    print(page)
    print(OUT / "cat_4x.png")


if __name__ == "__main__":
    main()
