"""Opening an asset for the verbs that look at one."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from neuralshade.asset.image import ImageAsset, load_image_asset
from neuralshade.errors import AssetError, ConfigError
from neuralshade.model.field import Field
from neuralshade.recipes.image import ImageRecipe
from neuralshade.recipes.recipe import from_dict
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture
from neuralshade.verbs.measuring import stored_field

AssetLike = str | os.PathLike[str] | ImageAsset
PictureLike = str | os.PathLike[str] | Picture
Notice = Callable[[str], None]


def ignore(notice: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Opened:
    """An asset with its recipe read and its field built on demand."""

    asset: ImageAsset
    recipe: ImageRecipe

    @cached_property
    def field(self) -> Field:
        """Return the field, parameters as stored, in float32."""
        channels = int(self.asset.header.picture["channels"])
        return stored_field(self.recipe, self.asset.tensors, channels, self.asset.path)

    @property
    def color_space(self) -> str:
        return str(self.asset.header.picture["color_space"])

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of what was fitted, after the transform."""
        facts = self.asset.header.picture
        if self.recipe.transform == "flip":
            return facts["height"], facts["width"]
        if self.recipe.transform == "zoom":
            return _zoomed(facts["width"]), _zoomed(facts["height"])
        return facts["width"], facts["height"]

    def target(self, picture: PictureLike, notice: Notice) -> Picture:
        """Return ``picture`` as this asset was asked to show it; AssetError if it can't be.

        A picture of another size can be: the field is continuous. ``notice`` is told.
        """
        loaded = picture if isinstance(picture, Picture) else load_picture(picture)
        channels = self.asset.header.picture["channels"]
        if (loaded.channels, loaded.color_space) != (channels, self.color_space):
            raise AssetError(f"{self.asset.path}: got a picture with {loaded.channels} channels, "
                             f"{loaded.color_space}, need {channels}, {self.color_space}. "
                             "Compare with the picture it was fitted to.")  # fmt: skip
        target = transform_picture(loaded, self.recipe.transform)
        if (target.width, target.height) != self.size:
            notice(f"{self.asset.path}: fitted at {self.size[0]} x {self.size[1]} pixels, "
                   f"compared with {loaded.name} at {target.width} x {target.height}. "
                   "Bits per pixel count the latter.")  # fmt: skip
        return target


def _zoomed(side: int) -> int:
    row = Picture(np.zeros((1, side, 1), np.uint8), "srgb", "row")
    return transform_picture(row, "zoom").width


def open_asset(asset: AssetLike) -> Opened:
    """Return the asset, ready to be drawn; AssetError says why a file is refused."""
    loaded = asset if isinstance(asset, ImageAsset) else load_image_asset(asset)
    try:
        recipe = from_dict(ImageRecipe, loaded.header.recipe)
    except ConfigError as error:
        raise AssetError(f"{loaded.path}: got a recipe that this version cannot read ({error}), "
                         "need one it knows. Upgrade neuralshade.") from error  # fmt: skip
    return Opened(loaded, recipe)
