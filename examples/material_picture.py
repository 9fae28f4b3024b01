"""Make the picture of a material that the README shows: the graph, its network, their difference.

    python examples/material_picture.py examples/material/antique_copper.toml [--asset copper.nsh]

Fits the material, unless an asset of it is given, and writes docs/images/tray.jpg: spheres of the
material itself and of the asset under the same light, a detail of each below, and their
difference, four times as large, around grey.
"""

import argparse
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import neuralshade

OUT = Path(__file__).parent.parent / "docs/images/tray.jpg"
PANE_PX, TEXT_PX, DETAIL_PX = 426, 72, 216
DRAWN_PX = 3 * PANE_PX  # shown at a third of it; the detail at its own pixels
DETAIL = (0.28, 0.3)  # of the sphere's square: its left and its top


def main() -> None:
    """Fit, draw, and lay the pictures out in three columns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("material", type=Path)
    parser.add_argument("--asset", type=Path, help="fitted to it already")
    parser.add_argument("--seconds", type=float, default=180.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        asset = asked.asset
        if asset is None:
            asset = Path(place) / "material.nsh"
            neuralshade.fit_material(asked.material, asset, seconds=asked.seconds, size=512)
        write_picture(asked.material, asset, Path(place))


def write_picture(material: Path, asset: Path, place: Path) -> None:
    """Draw three spheres, and write them beside each other with what they are."""
    facts = neuralshade.info(asset)
    psnr_db = facts["quality"]["psnr_db"]
    picture = Image.new("RGB", (3 * PANE_PX + 2, TEXT_PX + PANE_PX + 4 + DETAIL_PX), (18, 18, 20))
    for column, (show, title, line) in enumerate((
        ("given:sphere", "The material", material.name),
        ("sphere", "neuralshade", f"{facts['bytes'] / 1e6:.2f} MB   {psnr_db:.1f} dB"),
        ("difference", "Difference", "times 4, around grey"),
    )):  # fmt: skip
        drawn = place / f"{column}.png"
        neuralshade.render(asset, drawn, show=show, reference=material, size=DRAWN_PX)
        left = column * (PANE_PX + 1)
        put(picture, Image.open(drawn), left)
        draw = ImageDraw.Draw(picture)
        draw.text((left + 12, 8), title, "white", ImageFont.load_default(24))
        draw.text((left + 12, 40), line, (190, 190, 190), ImageFont.load_default(19))
    picture.save(OUT, quality=80, optimize=True)


def put(picture: Image.Image, drawn: Image.Image, left: int) -> None:
    """Put a sphere into its column, and a part of it below."""
    whole = drawn.resize((PANE_PX, PANE_PX), Image.Resampling.BOX)
    picture.paste(whole, (left, TEXT_PX))
    x, y = (round(share * drawn.width) for share in DETAIL)
    part = drawn.crop((x, y, x + PANE_PX, y + DETAIL_PX))
    picture.paste(part, (left, TEXT_PX + PANE_PX + 4))


if __name__ == "__main__":
    main()
