"""The graphs that the benchmark of materials fits, and what texels hold of them."""

from itertools import product
from pathlib import Path

import numpy as np

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.judging.lit_surfaces import Floats, Shade
from neuralshade.kinds.material.references.sources import load_reference

ROOT = Path(__file__).parent.parent.parent
TRAY = ROOT / "examples/material/antique_copper.toml"
FOLDERS = (TRAY.parent, ROOT / "benchmarks/materials")
VARNISH = ("roughness = 0.2\n", "roughness = 0.141421356\n")  # what alpha is the square of
SHARP = "sharp_varnish.toml"


def default_graphs(folder: Path) -> list[Path]:
    """Return the graphs of FOLDERS that can be loaded here, and the tray under a sharp varnish.

    The latter is written into ``folder``. What cannot be loaded is told.
    """
    found = []
    places = [path for place in FOLDERS for path in sorted(place.glob("*.*"))]
    for path in [*places, sharp_tray(folder)]:
        try:
            load_reference(path)
            found.append(path)
        except ConfigError as error:
            print(f"left out: {error}")
    return found


def sharp_tray(folder: Path) -> Path:
    """Write the copper tray with a varnish of alpha 0.02; return the file."""
    text = TRAY.read_text()
    assert text.count(VARNISH[0]) == 1, "one layer of the tray is so rough"
    path = folder / SHARP
    path.write_text(text.replace(*VARNISH))
    return path


def texel_shade(shade: Shade, side: int) -> Shade:
    """Return the light of the four texels around a point, interpolated: what they hold of a graph.

    Of ``side`` texels along the unit square, which repeats. No fit is in it, and none is bound by
    it: numbers that are trained may make up for a part of what lies between texels.
    """

    def between(uv: Floats, wi: Floats, wo: Floats) -> Floats:
        first = np.floor(uv[:, :2] * side - 0.5)
        share = uv[:, :2] * side - 0.5 - first
        total = np.zeros((len(uv), 3), np.float32)
        for corner in product((0, 1), repeat=2):
            at = ((first + corner + 0.5) / side % 1.0).astype(np.float32)
            weight = np.where(corner, share, 1 - share).prod(axis=1, keepdims=True)
            total += weight * shade(np.concatenate([at, uv[:, 2:]], axis=1), wi, wo)
        return total

    return between
