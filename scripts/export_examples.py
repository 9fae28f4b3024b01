"""Write examples/export/ENGINE: what an export to each engine looks like, of small assets.

python scripts/export_examples.py [ENGINE ...]

Pages that show an export are written by hand and stay. The bricks were made by

    python examples/bricks_maps.py bricks --size 256
    neuralshade fit textures bricks --bpp 1 --hidden-width 32 --steps 4000 --seed 1
"""

import io
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

import neuralshade

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples/export"
PACKED = re.compile(rb"(?<=const PACKED = ')[^']*")
LIMIT = 60_000  # bytes of all files of an example, if it sets no other


@dataclass(frozen=True)
class Example:
    """An export that is kept beside its engine's documentation."""

    engine: str
    asset: str  # in the repository, so that everybody has it
    name: str
    by_hand: tuple[str, ...] = ()  # files that no export writes
    limit: int = LIMIT


EXAMPLES = (
    Example("unity", "tests/data/textures.nsh", "rock"),
    Example("mitsuba", "tests/data/textures.nsh", "rock"),
    Example("threejs", "examples/export/bricks.nsh", "bricks", ("index.html",), 82_000),
)


def main(engines: list[str]) -> None:
    """Write the examples of these engines, or of all."""
    for example in EXAMPLES:
        if not engines or example.engine in engines:
            files = contents(example)
            folder = FOLDER / example.engine
            files |= {name: (folder / name).read_bytes() for name in example.by_hand}
            shutil.rmtree(folder, ignore_errors=True)
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            print(f"{folder.relative_to(ROOT)}: {sum(map(len, files.values())):,} bytes")


def contents(example: Example) -> dict[str, bytes]:
    """Return the files of an example, by path."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "out"
        asset = ROOT / example.asset
        neuralshade.export(asset, example.engine, folder, name=example.name)
        files = {path.relative_to(folder).as_posix(): path.read_bytes()
                 for path in sorted(folder.rglob("*")) if path.is_file()}  # fmt: skip
    size = sum(map(len, files.values()))
    if size > example.limit:
        raise SystemExit(f"{example.engine}: {size:,} bytes, need {example.limit:,} at most")
    return files


def stale(example: Example) -> list[str]:
    """Return the files of an example that the export would not write now."""
    folder, files = FOLDER / example.engine, contents(example)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    there -= set(example.by_hand)
    changed = [name for name in there & set(files)
               if not _same(name, (folder / name).read_bytes(), files[name])]  # fmt: skip
    return sorted([*(there ^ set(files)), *changed])


def _same(name: str, old: bytes, new: bytes) -> bool:
    """Return whether files are equal but for what zlib packs, which differs by version."""
    if name.endswith(".png"):
        both = [np.asarray(Image.open(io.BytesIO(one))) for one in (old, new)]
        return np.array_equal(*both)
    if name.endswith(".js"):
        old, new = (PACKED.sub(b"", one) for one in (old, new))
    return old == new


if __name__ == "__main__":
    main(sys.argv[1:])
