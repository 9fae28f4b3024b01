"""Opened asset of a cloud of Gaussians: draws, evaluates, and describes itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.schema import Form
from neuralshade.base.lazy_import import lazy_type
from neuralshade.fitting.scene import Points
from neuralshade.kinds.hints import InMemory
from neuralshade.kinds.picture import OpenedPicture, Titled
from neuralshade.kinds.splats import KIND
from neuralshade.kinds.splats.asset import RULES, cloud_forms, unpack_cloud
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.source.crop import WHOLE, Crop, check_pixels

if TYPE_CHECKING:
    from neuralshade.kinds.splats.draw import Cloud
else:  # for tools that read type hints at run time
    Cloud = lazy_type("neuralshade.kinds.splats.draw:Cloud")


@dataclass(frozen=True, init=False)  # the base's __init__, which resolves its hints
class OpenedSplats(OpenedPicture):
    """A cloud of Gaussians."""

    recipe: SplatsRecipe
    offered = ("cloud",)
    kind = KIND
    parts = RULES
    curve_note = (
        "PSNR of the picture as it would have been stored at that time. The diamond is the file, "
        "on every pixel, after all that follows the last step."
    )

    def forms(self) -> Mapping[str, Form]:
        """Return the form of the stream."""
        ordered = self.recipe.compositing == "over"
        return cloud_forms(self.asset, self.picture["channels"], ordered)

    @cached_property
    def _attributes(self) -> npt.NDArray[np.float32]:
        """Return the Gaussians' numbers as stored: [A, N]."""
        return unpack_cloud(self.asset, self.recipe.compositing == "over")

    @cached_property
    def cloud(self) -> Cloud:
        """Return the Gaussians as stored."""
        from neuralshade.kinds.splats.build import cloud_of

        background = self.header.own["cloud"]["background"]
        return cloud_of(self.recipe, self._attributes, background, *self.size)

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        cloud = self.header.own["cloud"]
        return int(cloud["count"]) * len(cloud["levels"])

    @property
    def memory_bytes(self) -> int:
        """Return the Gaussians' bytes in a GPU's memory, in float32, without lists for drawing."""
        return 4 * self.numbers

    def recipe_flags(self) -> dict[str, Any]:
        """Return bpp as None where it did not choose the count: a fit refuses both."""
        return super().recipe_flags() | ({} if self.recipe.is_sized_by_bpp else {"bpp": None})

    def in_memory(self) -> InMemory:
        """Return how a GPU holds it: Gaussians, which are drawn before they are sampled."""
        from neuralshade.measure.quality_rows import InMemory

        return InMemory(self.memory_bytes, setting="32 bits a number in memory; drawn, not sampled")

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped.

        Drawn smaller than fitted it aliases, as "point" of ``render`` does: "area" averages.
        """
        from neuralshade.kinds.splats.draw import draw_cloud

        check_pixels(width, height)
        return draw_cloud(self.cloud, width, height, crop)

    def drawings(self) -> Titled:
        """Return a picture of the Gaussians as ellipses."""
        from neuralshade.kinds.splats.draw import ellipses_picture

        title = f"{self.cloud.values.shape[1]:,} Gaussians, apart from each other"
        return [(title, ellipses_picture(self.cloud))]

    def points(self) -> Mapping[str, Points]:
        """Return the Gaussians' centers."""
        from neuralshade.kinds.splats.draw import unit_centers

        return {"Gaussians": lambda: unit_centers(self.cloud)}

    def reached(self) -> list[tuple[str, str]]:
        """Return a line on the size that was fitted."""
        return [("Fitted at", f"{self.size[0]:,} x {self.size[1]:,} pixels")]
