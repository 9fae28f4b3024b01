"""Opening the network of a family of mip levels, which tells of itself and shows nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from neuralshade.asset.mip_family import MipFamilyAsset
from neuralshade.engine.draw import WHOLE, Crop
from neuralshade.errors import AssetError
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.verbs.opening import Notice, Opened, PictureLike


@dataclass(frozen=True)
class OpenedFamily(Opened):
    """What corrects box-filtered texels of the sets of a family."""

    asset: MipFamilyAsset
    recipe: MipmapsRecipe
    kind = "mip_family"

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return sum(t.size for n, t in self.asset.tensors.items() if n.startswith("network."))

    @property
    def facts(self) -> dict[str, Any]:
        """Raise AssetError: it shows nothing."""
        raise AssetError(f"{self.asset.path}: got the network of a family of mip levels, need an "
                         "asset that shows something. Give it to fit mipmaps by "
                         "--share.")  # fmt: skip

    def target(self, picture: PictureLike, notice: Notice) -> Any:
        """Raise AssetError: it shows nothing to compare."""
        return self.facts

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Raise AssetError: it shows nothing."""
        raise AssertionError(f"asked to draw {self.facts}")
