"""Make the picture at the top of the README: a lit sphere, ours beside BC7's, with their bytes.

    python examples/lit_picture.py FOLDER [--seconds 70]

Fits the set of FOLDER and writes docs/images/lit.jpg: the sphere with the maps as given, as
the asset decodes them, and as BC7, BC5 and BC4 of half size keep them; below each a detail.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import neuralshade
from neuralshade.kinds.textures.evaluate import Comparison, compare
from neuralshade.measure.pair import unit_float
from neuralshade.measure.plane.lit_sphere import LIT
from neuralshade.measure.plane.sphere_view import SphereView, usual_light
from neuralshade.source.color import srgb_to_linear

OUT = Path(__file__).parent.parent / "docs/images/lit.jpg"
WIDTH_PX, HEIGHT_PX, TEXT_PX = 1280, 720, 72
PANE_PX = 426
DETAIL = (0.52, 0.60, 0.64, 0.66)  # of the sphere's square: u0, v0, u1, v1
BPP = 5.0


def main() -> None:
    """Fit, compare, and lay the pictures out in three columns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=70.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        asset = Path(place) / "set.nsh"
        neuralshade.fit_textures(asked.folder, asset, bpp=BPP, seconds=asked.seconds)
        found = compare(neuralshade.load(asset), asked.folder)
    picture = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), (18, 18, 20))
    for column, (title, line, maps) in enumerate(columns(found)):
        left = column * (PANE_PX + 1)
        write(picture, left, title, line)
        for top, region, height in (
            (TEXT_PX, (0.0, 0.0, 1.0, 1.0), PANE_PX),
            (TEXT_PX + PANE_PX + 4, DETAIL, HEIGHT_PX - TEXT_PX - PANE_PX - 4),
        ):
            picture.paste(lit(maps, region, PANE_PX, height), (left, top))
        print(f"{title}: {line}")
    picture.save(OUT, quality=75, optimize=True)


def columns(found: Comparison):
    """Yield title, line and maps of what is shown: as given, ours, blocks of half size."""
    given = {name: levels[0] for name, levels in found.given.levels.items()}
    whole, half = (each for each in found.rivals if each.name.startswith("BC7"))
    yield "As given", f"BC7 + BC5 + BC4: {whole.memory_bytes / 1e6:.1f} MB", given
    for title, each in (("neuralshade", found.ours), ("BC7 + BC5 + BC4, half size", half)):
        size, flip = each.memory_bytes / 1e6, found.flip_of(each.name)
        yield title, f"{size:.2f} MB   {each.mean_psnr_db:.1f} dB   FLIP {flip:.3f}", each.maps


def lit(maps, region, width: int, height: int) -> Image.Image:
    """Return the sphere, lit by the usual light, or a part of it."""
    values = {name: unit_float(maps[name]) for name in LIT if name in maps}
    rows, cols = next(iter(values.values())).shape[:2]
    sphere = SphereView.of((cols, rows), region, width, height)
    texels = sphere.texels(cols, rows)
    if "albedo" in values:
        values["albedo"] = srgb_to_linear(values["albedo"])
    if "normal" in values:
        values["normal"] = values["normal"] * 2 - 1
    flat = {name: each.reshape(rows * cols, -1)[texels] for name, each in values.items()}
    return Image.fromarray(np.rint(sphere.lit(flat, usual_light()) * 255).astype(np.uint8))


def write(picture: Image.Image, left: int, title: str, line: str) -> None:
    """Write two lines above a column."""
    draw = ImageDraw.Draw(picture)
    draw.text((left + 14, 8), title, (255, 255, 255), ImageFont.load_default(26))
    draw.text((left + 14, 42), line, (200, 200, 205), ImageFont.load_default(20))


if __name__ == "__main__":
    main()
