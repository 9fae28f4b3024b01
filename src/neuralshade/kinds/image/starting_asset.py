"""Continued fit: one that starts from the numbers of a finished asset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from neuralshade.asset.file import is_asset_file, read_asset_file
from neuralshade.base.message_text import shown
from neuralshade.errors import ConfigError
from neuralshade.fitting.facts import Warnings, more_of_it
from neuralshade.fitting.recipe import stored_recipe, to_dict
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe

if TYPE_CHECKING:
    from neuralshade.kinds.image.opened import OpenedImage
    from neuralshade.source.picture import Picture

OF_TRAINING = ("steps", "seconds", "target_psnr", "until", "plateau_db", "loss", "sampling",
               "batch", "rate", "grid_rate", "grid_optimizer", "l2_penalty", "warmup", "average",
               "precision", "loss_scale", "schedule", "rate_final", "beta1", "beta2", "epsilon",
               "seed")  # fmt: skip


class ContinuedFit(Protocol):
    """The attributes of a fit that continues from an asset."""

    @property
    def source(self) -> Picture: ...
    @property
    def recipe(self) -> ImageRecipe: ...
    @property
    def loop(self) -> Any: ...

    starting_asset: OpenedImage | None
    warnings: Warnings

    def take_over(self, path: Path) -> None: ...


def is_finished(place: str | os.PathLike[str]) -> bool:
    """Return whether a file is an asset that ``fit image`` made, not a checkpoint."""
    try:
        return is_asset_file(place) and read_asset_file(place).header["kind"] == KIND.name
    except OSError:  # reported where the file is read next
        return False


def continued_recipe(
    asset: dict[str, Any], place: Any, preset: str | None, settings: dict[str, Any]
) -> ImageRecipe:
    """Return the recipe of an asset with ``settings`` in place of its own.

    Its ends are those of a new fit. Raises ConfigError for a preset, and for settings of the
    network, which exists already.
    """
    kept = to_dict(stored_recipe(ImageRecipe, asset))
    for name, value in settings.items():
        if name not in OF_TRAINING and name in kept and value != kept[name]:
            raise ConfigError(f"{place}: got {name}={value!r}, need {kept[name]!r} as the asset "
                              f"has it. Leave --{name.replace('_', '-')} out.")  # fmt: skip
    if preset is not None:
        raise ConfigError(f"{place}: got preset={preset!r}, need none, as an asset has its "
                          "recipe. Leave --preset out.")  # fmt: skip
    usual = {name: kept[name] for name in kept if name not in OF_TRAINING[:5]}
    return preset_recipe(KIND.presets[0], usual | settings)


def start_from(job: ContinuedFit, asset: OpenedImage) -> None:
    """Start a fit from the numbers of a finished asset, and warn of what that means.

    The picture may differ on purpose, a retouched one say; mostly a file was mixed up.
    """
    job.take_over(Path(asset.path))
    job.starting_asset = asset
    lines = [f"{asset.path}: a finished asset, not a checkpoint: its numbers are trained further "
             "with fresh moments."]  # fmt: skip
    start = f"the fit of {shown(job.source.name)} starts at {job.loop.measure():.2f} dB"
    if "psnr_db" not in asset.header.quality:
        lines.append(f"{asset.path}: {asset.header.own.get('source', 'of no known quality')}; "
                     f"{start}.")  # fmt: skip
    elif asset.picture.get("digest") != job.source.digest:
        lines.append(f"{asset.path}: an asset of another picture, {shown(asset.picture['name'])}: "
                     f"{start}; of its own picture the asset has "
                     f"{asset.header.quality['psnr_db']:.2f}.")  # fmt: skip
    job.warnings.add(*lines)


def below_start(asset: OpenedImage, job: ContinuedFit, psnr_db: float) -> str | None:
    """Return a warning where a fit ended below the PSNR of the asset it continued from.

    None for an asset of another picture, whose PSNR is not comparable.
    """
    before = asset.header.quality.get("psnr_db")
    same = asset.picture.get("digest") == job.source.digest
    if before is None or not same or psnr_db >= before:
        return None
    more = more_of_it(job.loop.progress, job.recipe)
    return (f"fit: got {psnr_db:.2f} dB, where {asset.path}, which it went on from, has "
            f"{before:.2f}. Keep that.{more}")  # fmt: skip
