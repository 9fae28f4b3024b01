"""Make the picture of docs/mipmaps.md: a lit plane by box filter, by fitted levels, and as it is.

    python examples/mipmaps_picture.py FOLDER

Fits mip levels to the set of FOLDER and writes docs/images/mipmaps.jpg: the plane that recedes, as
levels of a box filter have it, as the fitted ones have it, and as their own texels do, shaded and
then averaged; below each its difference from that, four times around grey.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import neuralshade
from neuralshade.measure.display import exposure_stops
from neuralshade.source.color import linear_to_srgb

OUT = Path(__file__).parent.parent / "docs/images/mipmaps.jpg"
PANE_PX = (426, 240)
TEXT_PX = 36
SCALE = 4  # of the differences
PANES = {"Box filter": "box", "Fitted levels": "result", "Shaded, then averaged": "reference"}


def main() -> None:
    """Fit, draw, and lay the pictures out in three columns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    with tempfile.TemporaryDirectory() as place:
        neuralshade.fit_mipmaps(parser.parse_args().folder, place, formats=("png",))
        (asset,) = Path(place).glob("*.nsh")
        drawn = {
            title: neuralshade.render(asset, size=PANE_PX, show=pane)
            for title, pane in PANES.items()
        }
    stops = exposure_stops(drawn["Shaded, then averaged"])
    lit = {title: linear_to_srgb(np.minimum(each * 2**stops, 1)) for title, each in drawn.items()}
    width, height = PANE_PX
    size = (len(lit) * (width + 1) - 1, TEXT_PX + 2 * height + 1)
    picture = Image.new("RGB", size, (18, 18, 20))
    draw = ImageDraw.Draw(picture)
    for column, (title, each) in enumerate(lit.items()):
        left = column * (width + 1)
        draw.text((left + 10, 6), title, (255, 255, 255), ImageFont.load_default(20))
        error = 0.5 + SCALE * (each - lit["Shaded, then averaged"])
        for row, shown in enumerate((each, error)):
            pixels = np.rint(shown.clip(0, 1) * 255).astype(np.uint8)
            picture.paste(Image.fromarray(pixels), (left, TEXT_PX + row * (height + 1)))
        print(f"{title}: mean difference {np.abs(error - 0.5).mean() / SCALE:.4f} in sRGB")
    picture.save(OUT, quality=80, optimize=True)


if __name__ == "__main__":
    main()
