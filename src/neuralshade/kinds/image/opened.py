"""Opened asset of a fitted picture: draws, evaluates, and describes itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from neuralshade.asset.rules import PSNR, TRAINING
from neuralshade.asset.schema import Form, ObjectOf, Rule
from neuralshade.engine.draw import draw_field
from neuralshade.errors import AssetError
from neuralshade.fitting.picture_scene import grid_pages
from neuralshade.fitting.scene import Page
from neuralshade.kinds.hints import InMemory, SteppedCodes
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.field import (
    PREVIEW_SIDE,
    feature_grids,
    memory_bytes,
    stored_field,
    stored_forms,
)
from neuralshade.kinds.image.recipe import ImageRecipe
from neuralshade.kinds.picture import OpenedPicture, Titled
from neuralshade.model.field import Field
from neuralshade.source.crop import WHOLE, Crop, check_pixels
from neuralshade.source.picture import Picture
from neuralshade.source.transform import transform_picture

# An imported network was compared with no picture: it has a source in place of a PSNR.
QUALITY = ObjectOf({}, {**PSNR.needed, **PSNR.others})


@dataclass(frozen=True, init=False)  # the base's __init__, which resolves its hints
class OpenedImage(OpenedPicture):
    """An encoding and a network."""

    recipe: ImageRecipe
    kind = KIND
    parts: ClassVar[Mapping[str, Rule]] = {"training": TRAINING, "quality": QUALITY}
    offered = ("field",)
    curve_note = (
        f"PSNR as it was measured while training, on {PREVIEW_SIDE} x {PREVIEW_SIDE} evenly spread "
        "pixels at most. The diamond is the file, on every pixel, after rounding and the search of "
        "its codes."
    )

    def forms(self) -> Mapping[str, Form]:
        """Return the tensors of the recipe's encoding and network."""
        return stored_forms(self.recipe, self.picture["channels"])

    @cached_property
    def field(self) -> Field:
        """Return the field, parameters as stored, in float32.

        Raises: AssetError where a level times its step exceeds float32.
        """
        field = stored_field(self.recipe, self.tensors, self.picture["channels"], self.path)
        for name, values in field.named_parameters():
            if not values.isfinite().all():
                raise AssetError(f"{self.path}: got numbers beyond float32 in {name}, need finite "
                                 "ones. Fit it again.")  # fmt: skip
        return field

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        return sum(p.numel() for p in self.field.parameters())

    @cached_property
    def codes(self) -> SteppedCodes | None:
        """Return the encoding's codes as shaders read them; None where they read halves.

        See ``stored_codes``.
        """
        if not self.field.encoding.number_count():  # no import for an asset without codes
            return None
        from neuralshade.kinds.image.stored_codes import stored_codes

        return stored_codes(self.recipe, self.tensors, self.picture["channels"], self.path)

    @property
    def memory_bytes(self) -> int:
        """Return the bytes in a GPU's memory: codes as in the file, else 16 bits a number."""
        return memory_bytes(self.field, self.codes)

    def in_memory(self) -> InMemory:
        """Return how a GPU holds it: numbers that a shader evaluates at any position."""
        from neuralshade.measure.quality_rows import InMemory

        held = "16 bits a number" if self.codes is None else f"{self.codes.bits} bits a grid number"
        return InMemory(self.memory_bytes, random_access=True, setting=f"{held} in memory")

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return float32 [height, width, C] at pixel centers of ``crop``, not clamped.

        Drawn smaller than fitted it aliases, as "point" of ``render`` does: "area" averages.
        """
        check_pixels(width, height)
        return draw_field(self.field, width, height, crop)

    def grids(self) -> Titled:
        """Return the feature grids."""
        grids = feature_grids(self.field)
        return [(f"{g.shape[2]} feature{'s' if g.shape[2] > 1 else ''}", g) for g in grids]

    def pages(self) -> Mapping[str, Page]:
        """Return the feature grids as pictures."""
        return grid_pages(lambda: feature_grids(self.field))

    def recipe_flags(self) -> dict[str, Any]:
        """Return 'auto' for sizes that were chosen for its picture: another one needs others.

        And bpp as None where it is the default and sized nothing.
        """
        from neuralshade.kinds.image.budget import unresolved

        facts, (width, height) = self.picture, self.size
        one = np.zeros((), facts["dtype"])  # broadcast: takes no memory, whatever the size
        pixels = np.broadcast_to(one, (height, width, facts["channels"]))
        fitted = Picture(pixels, facts["color_space"], facts["name"])
        with_own = unresolved(self.recipe, fitted)
        sized = with_own or self.recipe.bpp != ImageRecipe.bpp
        return super().recipe_flags() | (with_own if sized else {"bpp": None})

    def transformed(self, picture: Picture) -> Picture:
        """Return ``picture`` after the asset's transform."""
        return super().transformed(transform_picture(picture, self.recipe.transform))

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in pixels of what was fitted, after the transform."""
        width, height = super().size
        if self.recipe.transform == "flip":
            return height, width
        if self.recipe.transform == "zoom":
            return _zoomed(width), _zoomed(height)
        return width, height

    def reached(self) -> list[tuple[str, str]]:
        """Return a line on the size that was fitted."""
        if "source" in self.header.own:
            return []
        return [("Fitted at", f"{self.size[0]:,} x {self.size[1]:,} pixels")]


def _zoomed(side: int) -> int:
    row = Picture(np.zeros((1, side, 1), np.uint8), "srgb", "row")
    return transform_picture(row, "zoom").width
