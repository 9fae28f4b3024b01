"""The graphs that the benchmark of materials fits."""

from pathlib import Path

from neuralshade.errors import ConfigError
from neuralshade.kinds.material.teachers.sources import load_teacher

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
            load_teacher(path)
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
