"""Make the pictures of docs/watching.md and docs/command-line.md: snapshots, and a terminal.

    python examples/watching_pictures.py

Fits a photograph in a folder of its own by the commands of SAID, and writes what --snapshots left
as docs/images/snapshots.jpg and what the commands print as docs/images/terminal.png. The terminal
is drawn by a browser: Chromium, through playwright.
"""

import html
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import skimage.data
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import sync_playwright

from neuralshade.fitting.snapshots import load_snapshots

IMAGES = Path(__file__).parent.parent / "docs/images"
SAID = (
    "fit image photo.png --bpp 4 --steps 1000 --snapshots snaps",
    "evaluate photo.nsh photo.png",
)
MOMENTS, TILE_PX, GAP_PX, TEXT_PX = 6, 240, 4, 26
FIRST_STEP = 16  # before it there is next to nothing to see
TERMINAL = """<style>body { margin: 0; background: #15171a; }
pre { margin: 0; padding: 14px 18px; display: inline-block; color: #d8dce1;
  width: 122ch; white-space: pre-wrap;
  font: 13px/1.45 "DejaVu Sans Mono", monospace; }
b { color: #7fd18b; font-weight: normal; }</style><pre>"""


def main() -> None:
    """Run the commands, and draw what they left."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        Image.fromarray(skimage.data.coffee()).save(place / "photo.png")
        said = [(line, run(line, place)) for line in SAID]
        snapshots = [each for each in load_snapshots(place / "snaps") if each[0] >= FIRST_STEP]
    strip(snapshots).save(IMAGES / "snapshots.jpg", quality=88, optimize=True)
    photograph(said, IMAGES / "terminal.png")


def run(line: str, place: Path) -> str:
    """Return what a command prints; how far it is, which a terminal draws over, is left out."""
    command = [sys.executable, "-m", "neuralshade", *line.split()]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True,
                          env=os.environ | {"COLUMNS": "120"})  # fmt: skip
    return done.stdout


def strip(snapshots: list[tuple[int, np.ndarray]]) -> Image.Image:
    """Return moments of the fit, evenly many snapshots apart, each below its step."""
    picked = np.linspace(0, len(snapshots) - 1, MOMENTS).round().astype(int)
    height, width = snapshots[0][1].shape[:2]
    tile = TILE_PX, TILE_PX * height // width
    picture = Image.new("RGB", (MOMENTS * (tile[0] + GAP_PX) - GAP_PX, TEXT_PX + tile[1]), "white")
    draw = ImageDraw.Draw(picture)
    for column, index in enumerate(picked):
        step, values = snapshots[index]
        left = column * (tile[0] + GAP_PX)
        pixels = np.rint(values.clip(0, 1) * 255).astype(np.uint8)
        picture.paste(Image.fromarray(pixels).resize(tile, Image.Resampling.BOX), (left, TEXT_PX))
        draw.text((left + 2, 3), f"step {step:,}", "#1b1d20", ImageFont.load_default(17))
    return picture


def photograph(said: list[tuple[str, str]], path: Path) -> None:
    """Write a picture of a terminal in which these commands were typed."""
    text = "\n".join(
        f"<b>$ neuralshade {html.escape(line)}</b>\n{html.escape(answer)}" for line, answer in said
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"),
                                         args=["--no-sandbox"])  # fmt: skip
        page = browser.new_page(device_scale_factor=1.5)
        page.set_content(TERMINAL + text)
        page.locator("pre").screenshot(path=path)
        browser.close()
    Image.open(path).quantize(32).save(path, optimize=True)


if __name__ == "__main__":
    main()
