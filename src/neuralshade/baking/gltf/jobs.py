"""Jobs of a glTF model: one ``fit textures`` for each set of its images."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralshade.baking.gltf.container import GlbDocument
from neuralshade.baking.gltf.model import Model, read_model
from neuralshade.baking.gltf.prepared import prepare_set
from neuralshade.baking.gltf.sets import MapSet, by_digest, map_sets
from neuralshade.baking.job import Job
from neuralshade.errors import ConfigError, OutputError

KIND = "textures"
PREPARED = Path(".bake") / "models"  # below the output folder


@dataclass(frozen=True, eq=False)
class ModelJobs:
    """A model, the sets of its images, and the job of each, in the same order."""

    model: Model
    output: Path
    sets: tuple[MapSet, ...]
    jobs: tuple[Job, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences for users on what stays as it is."""
        return tuple(f"{self.model.path}: {note}" for note in self.model.notes)

    @property
    def glb(self) -> Path:
        """Return the model that comes out."""
        return self.output / f"{self.model.name}.glb"

    @property
    def page(self) -> Path:
        """Return the page that shows it; bake.html is the table of the bake."""
        own = self.model.name.lower() == "bake"
        return self.output / f"{self.model.name}{'_model' * own}.html"


def model_jobs(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    settings: Mapping[str, Any] | None = None,
    scratch: Path | None = None,
) -> ModelJobs:
    """Return the jobs of a .gltf or .glb file.

    Its images are written as files of maps below ``output``/.bake, from which they are fitted.

    Args:
        path: the model.
        output: a local folder, for the assets and, by ``finish_model``, the model and its page.
        settings: of every job, as ``fit textures`` takes them; ``wrap`` is that of the model's
            samplers unless it is among them.
        scratch: folder for the files of maps, in place of ``output``: of a plan.

    Raises: ConfigError for an invalid model, and one without images to fit; OutputError for a
        folder in which the result would replace the model; PictureError for a damaged image.
    """
    model, folder = read_model(path), Path(output)
    sets = tuple(map_sets(model))
    if not sets:
        why = f" {model.notes[0]}" if model.notes else ""
        raise ConfigError(f"{model.path}: got no images to fit, need a material with a texture in "
                          f"PNG, JPEG or WebP.{why} Choose another model.")  # fmt: skip
    found = ModelJobs(model, folder, sets, ())
    if os.path.exists(found.glb) and os.path.samefile(found.glb, model.path):
        raise OutputError(f"{found.glb}: got the model itself as an output, need another folder. "
                          "Choose one with -o.")  # fmt: skip
    GlbDocument(model.file).check()
    images, below = by_digest(model), PREPARED / model.name
    jobs = tuple(
        Job(
            name=one.name, kind=KIND, output=f"{one.name}.nsh",
            subject=prepare_set(one, images, scratch or folder, below / one.name),
            settings={"wrap": one.wrap, **(settings or {})},
            place=f"{model.path}: materials[{one.users[0][0]}]",
        )
        for one in sets
    )  # fmt: skip
    return ModelJobs(model, folder, sets, jobs)
