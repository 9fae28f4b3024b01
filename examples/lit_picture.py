"""Make the pictures of a texture set in README and docs/textures.md: ours beside BC7's.

    python examples/lit_picture.py FOLDER [--seconds 70]

Fits the set of FOLDER and writes docs/images/lit.jpg: a lit sphere with the maps as given, as
the asset decodes them, and as BC7, BC5 and BC4 of half size keep them; below each a detail. And
docs/images/textures.jpg: a part of three maps, kept in the same three ways.
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
from neuralshade.measure.texture_rivals import TextureRival
from neuralshade.source.color import srgb_to_linear

IMAGES = Path(__file__).parent.parent / "docs/images"
WIDTH_PX, HEIGHT_PX, TEXT_PX = 1280, 720, 72
PANE_PX = 426
DETAIL = (0.52, 0.60, 0.64, 0.66)  # of the sphere's square: u0, v0, u1, v1
BPP = 5.0
MAPS = ("albedo", "roughness", "metallic")
CROP = (0.36, 0.42, 106, 56)  # of a map: left and top as shares of it, texels wide and high
ENLARGED = 4
HEAD_PX, NAME_PX = 44, 34  # above the columns, and above each row


def main() -> None:
    """Fit, compare, and lay both pictures out in three columns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=70.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        asset = Path(place) / "set.nsh"
        neuralshade.fit_textures(asked.folder, asset, bpp=BPP, seconds=asked.seconds)
        found = compare(neuralshade.load(asset), asked.folder)
    lit_spheres(found).save(IMAGES / "lit.jpg", quality=75, optimize=True)
    map_details(found).save(IMAGES / "textures.jpg", quality=88, optimize=True)


def lit_spheres(found: Comparison) -> Image.Image:
    """Return a sphere of each way to keep the maps, a detail below it."""
    picture = Image.new("RGB", (WIDTH_PX, HEIGHT_PX), (18, 18, 20))
    for column, (title, each) in enumerate(ways(found)):
        left, line = column * (PANE_PX + 1), "plain texels, 8 bits"
        if each is not None:
            line = f"maps {each.mean_psnr_db:.1f} dB   FLIP {found.flip_of(each.name):.3f}"
        line = f"{memory(found, each) / 1e6:.2f} MB   {line}"
        write(picture, left, title, line)
        for top, region, height in (
            (TEXT_PX, (0.0, 0.0, 1.0, 1.0), PANE_PX),
            (TEXT_PX + PANE_PX + 4, DETAIL, HEIGHT_PX - TEXT_PX - PANE_PX - 4),
        ):
            picture.paste(lit(maps_of(found, each), region, PANE_PX, height), (left, top))
        print(f"{title}: {line}")
    return picture


def map_details(found: Comparison) -> Image.Image:
    """Return a part of three maps, a row each, in each way to keep them."""
    width, height = CROP[2] * ENLARGED, CROP[3] * ENLARGED
    size = (3 * width + 2, HEAD_PX + len(MAPS) * (NAME_PX + height))
    picture = Image.new("RGB", size, (18, 18, 20))
    draw, small = ImageDraw.Draw(picture), ImageFont.load_default(19)
    for column, (title, each) in enumerate(ways(found)):
        left, top = column * (width + 1), HEAD_PX
        draw.text((left + 12, 8), title, "white", ImageFont.load_default(25))
        for name in MAPS:
            line = name if each is None else f"{name}   {each.psnr_db[name]:.1f} dB"
            draw.text((left + 12, top + 6), line, (200, 200, 205), small)
            detail = crop(maps_of(found, each)[name]).resize((width, height), Image.NEAREST)
            picture.paste(detail, (left, top + NAME_PX))
            top += NAME_PX + height
    return picture


def ways(found: Comparison) -> list[tuple[str, TextureRival | None]]:
    """Return what is shown, by title: the reference, ours, blocks of half size."""
    _, half = (each for each in found.rivals if each.name.startswith("BC7"))
    return [("Reference", None), ("neuralshade", found.ours), ("BC7 + BC5 + BC4, half size", half)]


def maps_of(found: Comparison, each: TextureRival | None) -> dict[str, np.ndarray]:
    """Return mip 0 by map, as that way has it; as given for None."""
    if each is not None:
        return dict(each.maps)
    return {name: levels[0] for name, levels in found.target.levels.items()}


def memory(found: Comparison, each: TextureRival | None) -> int:
    """Return the bytes in a GPU, with all mips; for None those of plain texels."""
    if each is not None:
        return each.memory_bytes
    return next(rival.memory_bytes for rival in found.rivals if rival.name == "JPEG")


def crop(texels: np.ndarray) -> Image.Image:
    """Return the part that is shown of a map."""
    rows, cols = texels.shape[:2]
    left, top = round(CROP[0] * cols), round(CROP[1] * rows)
    part = texels[top : top + CROP[3], left : left + CROP[2]]
    return Image.fromarray(np.repeat(part, 3, axis=2) if part.shape[2] == 1 else part)


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
