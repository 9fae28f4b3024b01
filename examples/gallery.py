"""Write the gallery of docs/: what each kind makes of a small source, drawn beside that source.

    python examples/gallery.py

Writes docs/images/gallery/*.jpg and docs/gallery.md, with what was reached here: each preset of
`fit image`, Gaussians, a texture set, its mip levels and materials. About ten minutes of two busy
CPU cores; each fit ends after so many steps.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image

import neuralshade
from neuralshade.kinds.image.presets import PRESETS
from neuralshade.verbs.sample.sample import write_sample

EXAMPLES = Path(__file__).parent

DOCS = EXAMPLES.parent / "docs"
IMAGES = DOCS / "images/gallery"
SIZE_PX = (240, 160)
MAPS_PX = 256
SPHERE_PX, PLANE_PX = 240, (320, 180)
SPLATS_BPP = (0.33, 1.0, 2.0)
TEXTURES_BPP = (2.5, 5.0)
MATERIALS = ("celadon", "car_paint")
MATERIAL_TEXELS = 128
STEPS = {"image": 1000, "splats": 2000, "textures": 1200, "material": 600}
REST = """
## Your own functions

![A learned mip level](images/learned_mip.png)

*`fit shader`: a mip level, [shader.md](shader.md).*

![A tone curve](images/tone_curve.jpg)

*`fit shader`: a tone curve.*

![Spherical harmonics](images/spherical_harmonics.png)

*`fit shader`: spherical harmonics of an environment.*
"""


def main() -> None:
    """Fit each, and write the page."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_sample("bricks", place / "bricks_maps")
        tables = [list(rows(place)) for rows in (pictures, textures, mipmaps, materials)]
    (DOCS / "gallery.md").write_text(page(tables))


def pictures(place: Path) -> Iterator[str]:
    """Yield a row for each preset of `fit image`, and for Gaussians of each size."""
    photo = np.asarray(Image.fromarray(skimage.data.coffee()).resize(SIZE_PX))
    Image.fromarray(photo).save(IMAGES / "given.jpg", quality=92, optimize=True)
    yield row("as given", "given", "")
    given, asset = neuralshade.picture_from_array(photo), place / "picture.nsh"
    fits = [(f"fit image --preset {name}", name, neuralshade.fit_image, {"preset": name})
            for name in PRESETS]  # fmt: skip
    fits += [(f"fit splats --bpp {bpp:g}", f"splats_{bpp:g}", neuralshade.fit_splats,
              {"bpp": bpp}) for bpp in SPLATS_BPP]  # fmt: skip
    for command, name, fit, settings in fits:
        result = fit(given, asset, steps=STEPS[command.split()[1]], **settings)
        neuralshade.render(asset, IMAGES / f"{name}.jpg")
        size = f"{result.asset_bytes:,} bytes, {result.bits_per_pixel:.2f} bits per pixel"
        yield row(f"`{command}`", name, f"{result.psnr_db:.1f} dB", size)


def textures(place: Path) -> Iterator[str]:
    """Yield rows of a lit sphere with the maps as given, and as they are decoded."""
    maps, asset = place / "bricks_maps", place / "bricks.nsh"
    for bpp in TEXTURES_BPP:
        result = neuralshade.fit_textures(maps, asset, bpp=bpp, steps=STEPS["textures"])
        if bpp == TEXTURES_BPP[0]:
            draw(asset, "textures_given", show="given:lit", reference=maps, size=SPHERE_PX)
            yield row("as given", "textures_given", "")
        draw(asset, f"textures_{bpp:g}", show="lit", size=SPHERE_PX)
        size = f"{result.asset_bytes:,} bytes, {result.bits_per_texel:.2f} bits per texel"
        reached = f"{result.psnr_db:.1f} dB, mean of the maps"
        yield row(f"`fit textures bricks_maps --bpp {bpp:g}`", f"textures_{bpp:g}", reached, size)


def mipmaps(place: Path) -> Iterator[str]:
    """Yield rows of the lit plane as it is, of a box filter's levels, and of the fitted ones."""
    result = neuralshade.fit_mipmaps(place / "bricks_maps", place / "mips", formats=("png",))
    errors = result.errors["mirror"]
    for command, pane, method in (
        ("every texel shaded, then averaged", "reference", None),
        ("box filter", "box", "stored_box"),
        ("`fit mipmaps bricks_maps`", "result", "kept"),
    ):
        draw(result.asset, f"mipmaps_{pane}", show=pane, size=PLANE_PX, exposure="auto")
        reached = f"error {np.mean(errors[method][:5]):.3f}" if method else ""
        yield row(
            command, f"mipmaps_{pane}", reached, "mirror lights, levels 1 to 5" * bool(method)
        )


def materials(place: Path) -> Iterator[str]:
    """Yield rows of spheres of materials, and of the networks that were fitted to them."""
    asset = place / "material.nsh"
    for name in MATERIALS:
        source = EXAMPLES / f"material/{name}.toml"
        result = neuralshade.fit_material(
            source, asset, steps=STEPS["material"], size=MATERIAL_TEXELS
        )
        for command, pane, reached, size in (
            (f"`{name}.toml`", "given:sphere", "", ""),
            (f"`fit material {name}.toml`", "sphere", f"{result.psnr_db:.1f} dB",
             f"{result.asset_bytes:,} bytes"),
        ):  # fmt: skip
            shown = f"{name}_{pane.partition(':')[0]}"
            draw(asset, shown, show=pane, reference=source, size=SPHERE_PX)
            yield row(command, shown, reached, size)


def draw(asset: Path | str, name: str, **settings: object) -> None:
    """Draw a pane of an asset into a file of the gallery."""
    neuralshade.render(asset, IMAGES / f"{name}.jpg", **settings)


def row(what: str, name: str, reached: str, size: str = "") -> str:
    """Return a row of a table, and tell what it says."""
    print(what, reached, size, flush=True)
    shown = f"![{what.strip('`')}](images/gallery/{name}.jpg)"
    return f"| {what} | {shown} | {reached} | {size} |"


def page(tables: list[list[str]]) -> str:
    """Return the page in Markdown."""
    titles = {
        f"A picture of {SIZE_PX[0]} x {SIZE_PX[1]} pixels":
            f"{STEPS['image']:,} steps each on a CPU; Gaussians {STEPS['splats']:,} on software "
            "Vulkan.",
        f"A texture set of {MAPS_PX} x {MAPS_PX} texels":
            f"Five maps and their mips, lit: {STEPS['textures']:,} steps each "
            "([textures.md](textures.md)). The bricks are drawn by "
            "[examples/bricks_maps.py](../examples/bricks_maps.py).",
        "Its mip levels":
            "The same bricks on a plane, at the steps that are usual "
            "([mipmaps.md](mipmaps.md)).",
        "Layered materials":
            f"{MATERIAL_TEXELS} x {MATERIAL_TEXELS} texels, {STEPS['material']:,} steps each "
            "([material.md](material.md)): too few texels for the flakes of the paint, and for "
            "cracks so fine.",
    }  # fmt: skip
    lines = [
        "# Gallery", "",
        "Written by [examples/gallery.py](../examples/gallery.py) on two busy CPU cores, without a "
        "GPU: small sources and short fits,",
        "so no measure of what is possible. That is [benchmarks.md](benchmarks.md).",
    ]  # fmt: skip
    for (title, told), rows in zip(titles.items(), tables, strict=True):
        lines += ["", f"## {title}", "", told, "", "| | drawn | reached | size |",
                  "|---|---|---|---|", *rows]  # fmt: skip
    return "\n".join(lines) + "\n" + REST


if __name__ == "__main__":
    main()
