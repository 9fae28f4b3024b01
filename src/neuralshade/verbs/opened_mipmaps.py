"""Opening mip levels, which are shown as a lit plane that recedes to the horizon."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from neuralshade.engine.draw import WHOLE, Crop
from neuralshade.engine.threads import threads
from neuralshade.errors import AssetError, ConfigError
from neuralshade.kinds.mipmaps.asset import MipmapsAsset, shown_level, stored_level, stored_levels
from neuralshade.kinds.mipmaps.build import base_maps
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.lit_plane import plane_picture
from neuralshade.measure.plane.mip_filters import Maps
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.source.texture_set import TextureSet, load_texture_set
from neuralshade.verbs.opening import Notice, Opened, PictureLike


@dataclass(frozen=True)
class OpenedMipmaps(Opened):
    """The levels of a texture set, 0 among them."""

    asset: MipmapsAsset
    recipe: MipmapsRecipe
    kind = "mipmaps"

    @cached_property
    def chain(self) -> list[Maps]:
        """Return levels 0 and on as a shader reads them."""
        return [Maps(**shown_level(level)) for level in stored_levels(self.asset)]

    @property
    def numbers(self) -> int:
        """Return how many numbers the levels below 0 have."""
        return sum(t.size for n, t in self.asset.tensors.items() if not n.endswith("_0"))

    @property
    def facts(self) -> dict[str, Any]:
        """Return what there is to know of the plane's picture."""
        return {"name": self.asset.header.maps["name"], "width": PlaneView.width,
                "height": PlaneView.height, "channels": 3, "color_space": "linear",
                "dtype": "float32"}  # fmt: skip

    @property
    def view(self) -> PlaneView:
        """Return from where the plane is seen."""
        return PlaneView.showing(self.chain[0])

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return the plane as a GPU shows it: float32 [height, width, 3], linear.

        Raises: ConfigError for a part of it.
        """
        if crop != WHOLE:
            raise ConfigError("crop: got a part of a lit plane, need the whole, 0,0,1,1. Leave it "
                              "out.")  # fmt: skip
        view = dataclasses.replace(self.view, width=width, height=height)
        with threads(1):  # a row of pixels is too little to be shared out
            return plane_picture(self.chain, view)

    def target(self, picture: PictureLike, notice: Notice) -> Any:
        """Raise AssetError: levels are compared with the maps that they were trained from."""
        raise AssetError(f"{self.asset.path}: got a picture, need the maps that its levels were "
                         "trained from. Give their folder.")  # fmt: skip

    def same_textures(self, source: Any) -> TextureSet:
        """Return the maps of ``source``; AssetError where they are not those of level 0."""
        textures = source
        if not isinstance(source, TextureSet):
            said = self.asset.header.maps["normal_convention"]
            textures = load_texture_set(source, normal_convention=said)
        found, kept = stored_level(base_maps(textures)), stored_levels(self.asset)[0]
        for name, texels in found.items():
            if not np.array_equal(texels, kept[name]):
                raise AssetError(f"{self.asset.path}: got another {name} map than that of its "
                                 f"level 0 from {textures.name!r}, need the maps that it was "
                                 "trained from. Give their folder.")  # fmt: skip
        return textures


def picture_for(opened: Opened, source: PictureLike | TextureSet) -> PictureLike:
    """Return ``source``; AssetError where it is maps, for an asset that is no mip levels."""
    if isinstance(source, TextureSet):
        raise AssetError(f"{opened.asset.path}: got a TextureSet for an asset of kind "
                         f"{opened.kind!r}, need a picture. Give the one it was fitted "
                         "to.")  # fmt: skip
    return source
