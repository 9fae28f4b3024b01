"""Write the gallery of docs/: each preset of `fit image` and `fit splats`, fitted to one picture.

    python examples/gallery.py [--seconds 8]

Writes docs/images/gallery/*.jpg and docs/gallery.md, with what was reached here. Of the other kinds
it shows pictures of their own pages.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image

import neuralshade
from neuralshade.kinds.image.presets import PRESETS

DOCS = Path(__file__).parent.parent / "docs"
SIZE_PX = (240, 160)
SPLATS_BPP = (0.33, 1.0, 2.0)
REST = """
## The other kinds

![A page of fit textures](images/textures.jpg)

*`fit textures`: maps and mips of a set, [textures.md](textures.md).*

![A layered material and its network](images/material.jpg)

*`fit material`: [material.md](material.md).*

![A lit plane by box filter, by fitted levels, and as it is](images/mipmaps.jpg)

*`fit mipmaps`: levels that shade as what they cover, [mipmaps.md](mipmaps.md).*

![A learned mip level](images/learned_mip.png)

*`fit shader`: a mip level, [shader.md](shader.md).*

![A tone curve](images/tone_curve.jpg)

*`fit shader`: a tone curve.*

![Spherical harmonics](images/spherical_harmonics.png)

*`fit shader`: spherical harmonics of an environment.*
"""


def main() -> None:
    """Fit each, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    seconds = parser.parse_args().seconds
    photo = np.asarray(Image.fromarray(skimage.data.coffee()).resize(SIZE_PX))
    save("given", photo.astype(np.float32) / 255)
    given = neuralshade.picture_from_array(photo)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        asset = Path(folder) / "small.nsh"
        for preset in PRESETS:
            result = neuralshade.fit_image(given, asset, preset=preset, seconds=seconds)
            rows.append(row(f"image --preset {preset}", preset, asset, result))
        for bpp in SPLATS_BPP:
            result = neuralshade.fit_splats(given, asset, bpp=bpp, seconds=seconds)
            rows.append(row(f"splats --bpp {bpp:g}", f"splats_{bpp:g}", asset, result))
    (DOCS / "gallery.md").write_text(page(rows, seconds))


def row(command: str, name: str, asset: Path, result: neuralshade.FitResult) -> str:
    """Draw an asset, and return its row of the table."""
    save(name, neuralshade.render(asset))
    facts = f"{result.psnr_db:.1f} dB | {result.asset_bytes:,} | {result.bits_per_pixel:.2f}"
    print(command, facts, flush=True)
    return f"| `fit {command}` | ![{command}](images/gallery/{name}.jpg) | {facts} |"


def save(name: str, picture: np.ndarray) -> None:
    """Write a picture with values in [0, 1]."""
    pixels = np.rint(picture[..., :3].clip(0, 1) * 255).astype(np.uint8)
    folder = DOCS / "images/gallery"
    folder.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(folder / f"{name}.jpg", quality=92, optimize=True)


def page(rows: list[str], seconds: float) -> str:
    """Return the page in Markdown."""
    lines = [
        "# Gallery", "",
        f"One picture of {SIZE_PX[0]} x {SIZE_PX[1]} pixels, {seconds:g} s for each fit on one "
        "thread of a busy CPU, software Vulkan for Gaussians. Written by",
        "[examples/gallery.py](../examples/gallery.py); small pictures and short fits, so no "
        "measure of what is possible: that is [benchmarks.md](benchmarks.md).", "",
        "| command | drawn | PSNR | bytes | bits per pixel |", "|---|---|---|---|---|",
        "| as given | ![as given](images/gallery/given.jpg) | | | |", *rows,
    ]  # fmt: skip
    return "\n".join(lines) + "\n" + REST


if __name__ == "__main__":
    main()
