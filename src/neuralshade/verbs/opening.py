"""Opening an asset for the verbs that look at one."""

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.image import ImageAsset
from neuralshade.asset.load import Asset, load_asset
from neuralshade.asset.mip_family import MipFamilyAsset
from neuralshade.asset.shader import ShaderAsset
from neuralshade.base.closeable import Closing
from neuralshade.engine.draw import WHOLE, Crop, draw_field
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.recipe import from_dict
from neuralshade.fitting.snapshots import feature_grids
from neuralshade.kinds.image.field import stored_field
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.mipmaps.asset import MipmapsAsset
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.kinds.shader.recipe import ShaderRecipe
from neuralshade.kinds.splats.asset import SplatsAsset, unpack_cloud
from neuralshade.kinds.splats.build import cloud_of
from neuralshade.kinds.splats.draw import Cloud, draw_cloud
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.measure.ellipses import ellipses_picture
from neuralshade.model.field import Field
from neuralshade.source.image_file import load_picture
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture

AssetLike = str | os.PathLike[str] | Asset
PictureLike = str | os.PathLike[str] | Picture
Notice = Callable[[str], None]
Titled = list[tuple[str, npt.NDArray[Any]]]  # title, float32 [h, w, C]


def ignore(notice: str) -> None:
    """Tell nobody."""


class Opened(Closing):
    """An asset with its recipe read and what it fits built on demand.

    One that is drawn is closed: some hold a GPU from the first draw on.
    """

    asset: Asset
    recipe: Any
    kind: str

    @property
    @abstractmethod
    def numbers(self) -> int:
        """Return how many trained numbers there are."""

    @abstractmethod
    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centres of ``crop``, not clamped."""

    def close(self) -> None:
        """Give back what it is drawn with; drawn again, it opens that anew."""

    def grids(self) -> Titled:
        """Return feature grids [h, w, features] for the report, with titles."""
        return []

    def drawings(self) -> Titled:
        """Return other pictures [h, w, C] of what was learned, with titles."""
        return []

    def shown(self, picture: Picture) -> Picture:
        """Return ``picture`` as this asset was asked to show it."""
        return picture

    @property
    def facts(self) -> dict[str, Any]:
        """Return what the asset says of the picture that it shows.

        Raises: AssetError where it shows none: a task that renders nothing.
        """
        facts = self.asset.header.picture
        if facts is None:
            raise AssetError(f"{self.asset.path}: got a task without render(float2 uv), need one "
                             "that shows something. Its numbers: "
                             "neuralshade.load(path).tensors.")  # fmt: skip
        return facts

    @property
    def color_space(self) -> str:
        return str(self.facts["color_space"])

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of what was fitted."""
        return self.facts["width"], self.facts["height"]

    def target(self, picture: PictureLike, notice: Notice) -> Picture:
        """Return ``picture`` as this asset was asked to show it; AssetError if it can't be.

        A picture of another size can be: what is fitted is continuous. ``notice`` is told.
        """
        loaded = picture if isinstance(picture, Picture) else load_picture(picture)
        channels = self.facts["channels"]
        if (loaded.channels, loaded.color_space) != (channels, self.color_space):
            raise AssetError(f"{self.asset.path}: got a picture with {loaded.channels} channels, "
                             f"{loaded.color_space}, need {channels}, {self.color_space}. "
                             "Compare with the picture it was fitted to.")  # fmt: skip
        target = self.shown(loaded)
        if (target.width, target.height) != self.size:
            notice(f"{self.asset.path}: fitted at {self.size[0]} x {self.size[1]} pixels, "
                   f"compared with {loaded.name} at {target.width} x {target.height}. "
                   "Bits per pixel count the latter.")  # fmt: skip
        return target


@dataclass(frozen=True)
class OpenedImage(Opened):
    """An encoding and a network."""

    asset: ImageAsset
    recipe: ImageRecipe
    kind = "image"

    @cached_property
    def field(self) -> Field:
        """Return the field, parameters as stored, in float32."""
        channels = int(self.facts["channels"])
        return stored_field(self.recipe, self.asset.tensors, channels, self.asset.path)

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return sum(p.numel() for p in self.field.parameters())

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centres of ``crop``, not clamped."""
        return draw_field(self.field, width, height, crop)

    def grids(self) -> Titled:
        """Return the feature grids."""
        grids = feature_grids(self.field)
        return [(f"{g.shape[2]} feature{'s' if g.shape[2] > 1 else ''}", g) for g in grids]

    def shown(self, picture: Picture) -> Picture:
        """Return ``picture`` as this asset was asked to show it."""
        return transform_picture(picture, self.recipe.transform)

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of what was fitted, after the transform."""
        width, height = super().size
        if self.recipe.transform == "flip":
            return height, width
        if self.recipe.transform == "zoom":
            return _zoomed(width), _zoomed(height)
        return width, height


@dataclass(frozen=True)
class OpenedSplats(Opened):
    """A cloud of Gaussians."""

    asset: SplatsAsset
    recipe: SplatsRecipe
    kind = "splats"

    @cached_property
    def cloud(self) -> Cloud:
        """Return the Gaussians as stored."""
        values = unpack_cloud(self.asset, self.recipe.compositing == "over")
        background = self.asset.header.cloud["background"]
        return cloud_of(self.recipe, values, background, *self.size)

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return self.cloud.values.numel()

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centres of ``crop``, not clamped."""
        return draw_cloud(self.cloud, width, height, crop)

    def drawings(self) -> Titled:
        """Return where the Gaussians lie."""
        title = f"{self.cloud.values.shape[1]:,} Gaussians, apart from each other"
        return [(title, ellipses_picture(self.cloud))]


def _zoomed(side: int) -> int:
    row = Picture(np.zeros((1, side, 1), np.uint8), "srgb", "row")
    return transform_picture(row, "zoom").width


def open_asset(asset: AssetLike, given: Mapping[str, Any] | None = None) -> Opened:
    """Return the asset, ready to be drawn; AssetError says why a file is refused.

    ``given``: values for the members of a task, by name, in place of those that it has.
    """
    loaded = load_asset(asset) if isinstance(asset, (str, os.PathLike)) else asset
    if given and not isinstance(loaded, ShaderAsset):
        raise ConfigError(f"set: got {next(iter(given))} for {loaded.path}, need an asset that fit "
                          "shader made. Leave it out.")  # fmt: skip
    try:
        if isinstance(loaded, SplatsAsset):
            return OpenedSplats(loaded, from_dict(SplatsRecipe, loaded.header.recipe))
        if isinstance(loaded, MipmapsAsset):
            from neuralshade.verbs.opened_mipmaps import OpenedMipmaps  # which needs Opened

            return OpenedMipmaps(loaded, from_dict(MipmapsRecipe, loaded.header.recipe))
        if isinstance(loaded, MipFamilyAsset):
            from neuralshade.verbs.opened_family import OpenedFamily  # which needs Opened

            return OpenedFamily(loaded, from_dict(MipmapsRecipe, loaded.header.recipe))
        if isinstance(loaded, ShaderAsset):
            from neuralshade.kinds.shader.opened import OpenedShader  # which needs Opened

            return OpenedShader(loaded, from_dict(ShaderRecipe, loaded.header.recipe), given or {})
        return OpenedImage(loaded, from_dict(ImageRecipe, loaded.header.recipe))
    except ConfigError as error:
        raise AssetError(f"{loaded.path}: got a recipe that this version cannot read ({error}), "
                         "need one it knows. Upgrade neuralshade.") from error  # fmt: skip


def open_image(asset: AssetLike) -> OpenedImage:
    """Return an asset that `fit image` made; AssetError for one of another kind."""
    opened = open_asset(asset)
    if not isinstance(opened, OpenedImage):
        raise AssetError(f"{opened.asset.path}: got an asset of kind {opened.kind!r}, need "
                         "'image'. Use one that fit image made.")  # fmt: skip
    return opened
