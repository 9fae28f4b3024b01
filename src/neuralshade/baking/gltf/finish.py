"""What a model becomes when its jobs are done: the .glb for engines of today, and a page."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable
from pathlib import Path

from neuralshade.baking.gltf.jobs import ModelJobs
from neuralshade.baking.gltf.page import page_of_model
from neuralshade.baking.gltf.writer import digest_of, model_file
from neuralshade.baking.job import FAILED, Row
from neuralshade.base.atomic import whole_file
from neuralshade.base.version import VERSION
from neuralshade.errors import AssetError, ConfigError

log = logging.getLogger("neuralshade")


def finish_model(found: ModelJobs, rows: Iterable[Row]) -> list[Path]:
    """Write the model with decoded textures, and a page of it, beside its assets.

    Nothing is written where model and assets are those of the files that are there. Sets whose job
    failed keep their images, with a warning. A model that no page shows, such as one of compressed
    triangles, gets none, with a warning.

    Args:
        rows: what became of the jobs; those of others are ignored.

    Returns: the model and its page, also those that were there; empty without any asset.
    Raises: ConfigError for an invalid model, AssetError, OutputError.
    """
    states = {row.name: row.state for row in rows}
    assets = dict[str, Path]()
    for job in found.jobs:
        asset = found.output / job.output
        if states.get(job.name, FAILED) != FAILED and os.path.isfile(asset):
            assets[job.name] = asset
    missing = [job.name for job in found.jobs if job.name not in assets]
    if missing:
        log.warning("%s: keeps the images of %s, which have no asset.", found.glb,
                    ", ".join(missing))  # fmt: skip
    if not assets:
        return []
    digest, sets = _digest(found, assets), list(found.sets)
    if digest_of(found.glb) != digest:  # it comes last, so the page is there, too
        found.page.unlink(missing_ok=True)
        try:
            _write(found.page, page_of_model(found.model, assets, sets))
        except (ConfigError, AssetError) as error:
            log.warning("%s: left out. %s", found.page, error)
        _write(found.glb, model_file(found.model, assets, sets, digest))
    return [path for path in (found.glb, found.page) if os.path.isfile(path)]


def _write(path: Path, content: bytes) -> None:
    with whole_file(path) as partial:
        partial.write_bytes(content)


def _digest(found: ModelJobs, assets: dict[str, Path]) -> str:
    """Return the SHA-256 of the model's own file and of all assets, hex."""
    state = hashlib.sha256(f"neuralshade {VERSION}\n".encode())
    for path in (found.model.path, *(assets[name] for name in sorted(assets))):
        state.update(hashlib.sha256(path.read_bytes()).digest())
    return state.hexdigest()
