"""Kind "written" of benchmarks of bakes: its fit does nothing but write a small asset."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from neuralshade.asset.file import AssetFile, write_asset_file
from neuralshade.baking.job import Job
from neuralshade.fitting.recipe import TrainingRecipe
from neuralshade.kinds.kind import Kind

BENCHMARKS = Path(__file__).parents[1]
HEADER = {"kind": "written", "recipe": {}, "training": {"steps": 1, "seconds": 0.0},
          "quality": {"psnr_db": 30.0}}  # fmt: skip


@dataclass(frozen=True)
class WrittenRecipe(TrainingRecipe):
    """No settings of its own."""


KIND = Kind(
    name="written",
    about="Write a small asset.",
    opens="shared.written_files:none",
    recipe=WrittenRecipe,
    fits="shared.written_files:fit_written",
)


def fit_written(picture, output, *, options, **settings):
    """Write an asset."""
    write_asset_file(output, AssetFile(dict(HEADER), {"value": np.zeros(16, np.float32)}))


def install(folder: Path) -> None:
    """Let processes that this one starts find the kind, by metadata in ``folder``."""
    metadata = folder / "shade_written-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: shade-written\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[neuralshade.kinds]\nwritten = shared.written_files:KIND\n"
    )
    path = [str(BENCHMARKS), str(folder), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, path))


def written_jobs(count: int, folder: Path) -> list[Job]:
    """Return jobs of one input that write as many assets."""
    source = folder / "input"
    source.write_bytes(b"nothing")
    return [Job(f"{n // 1000}/{n}", "written", (str(source),), f"{n // 1000}/{n}.nsh",
                digest=f"{n:064x}") for n in range(count)]  # fmt: skip
