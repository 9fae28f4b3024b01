"""A fit that begins with the numbers of a finished asset, in place of a checkpoint's."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from neuralshade.asset.file import is_asset_file, read_asset_file
from neuralshade.errors import ConfigError
from neuralshade.fitting.recipe import from_dict, to_dict
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.presets import preset_recipe
from neuralshade.kinds.image.recipe import ImageRecipe

if TYPE_CHECKING:
    from neuralshade.fitting.picture_result import FitResult
    from neuralshade.kinds.image.opened import OpenedImage
    from neuralshade.source.picture import Picture

log = logging.getLogger("neuralshade")

OF_TRAINING = ("steps", "seconds", "target_psnr", "until", "plateau_db", "loss", "sampling",
               "batch", "rate", "grid_rate", "grid_optimizer", "l2_penalty", "warmup", "average",
               "precision", "loss_scale", "schedule", "rate_final", "beta1", "beta2", "epsilon",
               "seed")  # fmt: skip


def is_finished(place: str | os.PathLike[str]) -> bool:
    """Return whether a file is an asset that ``fit image`` made, not a checkpoint."""
    try:
        return is_asset_file(place) and read_asset_file(place).header["kind"] == KIND.name
    except OSError:  # who reads it next says why
        return False


def begun_recipe(
    asset: dict[str, Any], place: Any, preset: str | None, settings: dict[str, Any]
) -> ImageRecipe:
    """Return the recipe of an asset with ``settings`` in place of its own: how it is trained.

    Its ends are those of a new fit. Raises ConfigError for a preset, and for settings of what is
    trained, which is there.
    """
    kept = to_dict(from_dict(ImageRecipe, asset))
    for name, value in settings.items():
        if name not in OF_TRAINING and name in kept and value != kept[name]:
            raise ConfigError(f"{place}: got {name}={value!r}, need {kept[name]!r} as the asset "
                              f"has it. Leave --{name.replace('_', '-')} out.")  # fmt: skip
    if preset is not None:
        raise ConfigError(f"{place}: got preset={preset!r}, need none, as an asset has its "
                          "recipe. Leave --preset out.")  # fmt: skip
    usual = {name: kept[name] for name in kept if name not in OF_TRAINING[:5]}
    return preset_recipe(KIND.presets[0], usual | settings)


def tell_worse(begun: OpenedImage, source: Picture, result: FitResult) -> None:
    """Warn where a fit has come to less than the asset that it went on from.

    Of another picture the asset's PSNR says nothing.
    """
    before = begun.header.quality.get("psnr_db")
    if begun.picture["digest"] != source.digest or before is None or result.psnr_db >= before:
        return
    log.warning("fit: got %.2f dB, where %s, which it went on from, has %.2f. Keep that, or give "
                "it more --seconds.", result.psnr_db, begun.path, before)  # fmt: skip
