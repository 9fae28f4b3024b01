"""What kinds share whose assets are drawn like a picture and compared with one."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy.typing as npt

from neuralshade.asset.asset import check_drawn, picture_facts
from neuralshade.asset.rules import PSNR, TRAINING
from neuralshade.asset.schema import Rule
from neuralshade.base.message_text import decimals, memory_text, plain_name
from neuralshade.errors import AssetError, ConfigError, NeuralShadeError
from neuralshade.fitting.picture_scene import initial_stops, picture_scene
from neuralshade.fitting.scene import Page, Points, Scene
from neuralshade.fitting.snapshots import load_snapshots
from neuralshade.kinds.hints import InMemory, Numbers, Table
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.source.image_file import load_as_fitted
from neuralshade.source.picture import Picture, PictureForm, is_straight

EXPOSED_PX = 256  # longer side of a result whose exposure is looked for
Titled = list[tuple[str, npt.NDArray[Any]]]  # title, float32 [h, w, C]


@dataclass(frozen=True, init=False)  # the base's, whose hints are read there
class OpenedPicture(Opened):
    """An asset that shows a picture."""

    curve_note: ClassVar[str] = ""  # below the curve of a report: how it was measured
    report_titles: ClassVar[Mapping[str, str]] = {}  # of its table and grids, in place of others
    parts: ClassVar[Mapping[str, Rule]] = {"training": TRAINING, "quality": PSNR}
    rated: ClassVar[bool] = True  # the bytes of the file stand for the picture's pixels

    def __post_init__(self) -> None:
        """Refuse a header without the picture."""
        if self.rated and self.header.picture is None:
            raise AssetError(f"{self.path}: got no 'picture' in the header, need a whole asset. "
                             "Fit it again.")  # fmt: skip

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return the facts of the picture that it shows."""
        assert self.header.picture is not None
        return self.header.picture

    @property
    def bits_per_pixel(self) -> float | None:
        return self.byte_count * 8 / (self.size[0] * self.size[1]) if self.rated else None

    def in_memory(self) -> InMemory:
        """Return how a GPU holds it, for tables."""
        from neuralshade.measure.quality_rows import InMemory

        return InMemory(self.memory_bytes)

    def grids(self) -> Titled:
        """Return feature grids [h, w, features] for the report, with titles."""
        return []

    def drawings(self) -> Titled:
        """Return other pictures [h, w, C] of what was learned, with titles."""
        return []

    def pages(self) -> Mapping[str, Page]:
        """Return pictures of what was learned, for a live page."""
        return {}

    def points(self) -> Mapping[str, Points]:
        """Return where things lie, for a live page."""
        return {}

    def transformed(self, picture: Picture) -> Picture:
        """Return ``picture`` as this asset was asked to show it."""
        if not self.alpha_weighted:
            return picture
        from neuralshade.source.hidden_color import visible_picture  # info needs none of it

        return visible_picture(picture)

    @property
    def alpha_weighted(self) -> bool:
        """Return whether errors of color count by alpha; see ``visible_picture``."""
        keeps = getattr(self.recipe, "keep_hidden_color", True)
        return not keeps and self._has_straight_alpha

    @property
    def _has_straight_alpha(self) -> bool:
        return is_straight(self.picture["channels"], self.picture.get("color_space"))

    def told_flags(self) -> dict[str, Any]:
        """Return ``keep_hidden_color`` as nothing where no alpha hides any."""
        return {} if self._has_straight_alpha else {"keep_hidden_color": None}

    @abstractmethod
    def reached(self) -> list[tuple[str, str]]:
        """Return lines of a report on what the fit reached, with labels."""

    def target(self, picture: Any, notice: Notice = ignore) -> Picture:
        """Return ``picture`` as this asset was asked to show it; AssetError if it can't be.

        A picture of another size can be: what is fitted is continuous. ``notice`` is told.
        """
        from neuralshade.source.texture_set import TextureSet

        if isinstance(picture, TextureSet):
            raise AssetError(f"{self.path}: got a TextureSet for an asset of kind "
                             f"{self.kind.name!r}, need a picture. Give the one it was fitted "
                             "to.")  # fmt: skip
        loaded = load_as_fitted(picture, self.picture.get("digest"))
        channels = self.picture["channels"]
        if (loaded.channels, loaded.color_space) != (channels, self.color_space):
            raise AssetError(f"{self.path}: got a picture with {loaded.channels} channels, "
                             f"{loaded.color_space}, need {channels}, {self.color_space}. "
                             "Compare with the picture it was fitted to.")  # fmt: skip
        target = self.transformed(loaded)
        other = self._told_apart(loaded, target) if self.rated else None  # else of any picture
        if other is not None:
            notice(f"{self.path}: {other}")
        return target

    def _told_apart(self, given: Picture, target: Picture) -> str | None:
        """Return what to say of a picture that is not the one it was fitted to, or may be not."""
        if "source" in self.header.own:  # fitted elsewhere, to what nobody said
            return None
        fitted, other = plain_name(str(self.picture["name"])), plain_name(given.name)
        digest, (width, height) = self.picture.get("digest"), self.size
        if (target.width, target.height) != self.size:
            return (f"fitted to {fitted}, {width} x {height} pixels, compared with {other}, "
                    f"{target.width} x {target.height} pixels: another picture, or another size of "
                    "it. Bits per pixel count the latter.")  # fmt: skip
        if digest is None:  # to be short, Gaussians have none
            return None if fitted == other else (
                f"fitted to {fitted}, compared with {other}: its file does not say whether "
                "that is the same picture.")  # fmt: skip
        return None if digest == given.digest else (
            f"fitted to {fitted}, compared with {other}: its pixels are not those that it was "
            "fitted to.")  # fmt: skip

    def pixels(self, width: int, height: int) -> npt.NDArray[Any]:
        """Return the whole picture, sRGB values clamped to [0, 1]; gives back what it held."""
        with self:
            drawn = self.draw(width, height)
        check_drawn(self.path, drawn)
        return drawn if self.color_space == "linear" else drawn.clip(0, 1)

    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return the quality of it, of files of as many bytes, and of block-compressed textures."""
        if reference is None:
            raise ConfigError(f"{self.path}: got no picture, need the one to compare with. "
                              "Give it as the second argument.")  # fmt: skip
        target = self.target(reference, notice)
        result = self.pixels(target.width, target.height)
        return self.rows(target.as_float(), result)

    def rows(self, target: Numbers, result: Numbers, rivals: Any = None) -> Table:
        """Return the table of it and of ``rivals``, see ``rows_for``, for people and pages."""
        from neuralshade.measure.quality_rows import rows_for  # metrics: half a second

        return rows_for(target, result, self.byte_count, self.color_space, rivals=rivals,
                        in_memory=self.in_memory(), alpha_weighted=self.alpha_weighted)  # fmt: skip

    # As Opened says it, once more: who calls reads there, who writes here; mypy compares the two.
    def report(
        self,
        reference: Any,
        output: str | os.PathLike[str],
        *,
        snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (),
        notice: Notice = ignore,
    ) -> None:
        """Write the page: target, result, error, grids, curves, table."""
        from neuralshade.kinds.picture_report import report_picture  # loads plots: 1 s

        target = self.target(reference, notice if self.rated else ignore)  # else of no size
        taken = snapshots
        if isinstance(snapshots, (str, os.PathLike)):
            taken = load_snapshots(snapshots)
        report_picture(self, target, output, taken, facts)

    def members(self) -> list[tuple[str, str]]:
        """Return lines of a report on trained numbers, with labels."""
        return []

    def scene(self, reference: Any = None) -> Scene:
        """Return the picture on a live page, beside ``reference`` where one is given."""
        target = None if reference is None else self.target(reference)
        seen: Picture | PictureForm = self.form() if target is None else target
        scene = picture_scene(self.kind.name, seen, self.draw, continuous=True, pages=self.pages(),
                              points=self.points(), changes=())  # fmt: skip
        if target is not None or not seen.hdr or self.draws_view:
            return scene
        from neuralshade.measure.resample import fit_within  # no fit needs it but a live one

        height, width = fit_within(seen.height, seen.width, EXPOSED_PX)
        return replace(scene, stops=initial_stops(self.draw(width, height)))

    def form(self) -> PictureForm:
        """Return size, channels and color space of what is drawn, and its name."""
        facts = self.picture
        return PictureForm(*self.size, int(facts["channels"]), self.color_space, facts["name"])

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` as a picture, where it is the one that the asset was fitted to."""
        try:
            known = load_as_fitted(reference, self.picture.get("digest"))
        except (NeuralShadeError, TypeError):  # another kind's
            return None
        theirs, ours = self.picture, picture_facts(known)
        same = all(theirs.get(name, value) == value for name, value in ours.items())
        return known if same else None

    def told(self) -> dict[str, str]:
        """Return lines for people: its size, the picture, what was reached."""
        lines = {"size": f"{self.byte_count:,} bytes"}
        if self.bits_per_pixel is not None:
            lines["size"] += f", {decimals(self.bits_per_pixel, 3)} bits per pixel"
        if self.memory_bytes is not None:
            pixels = self.size[0] * self.size[1]
            lines["in a GPU"] = memory_text(self.memory_bytes, pixels, "pixel")
        shown = self.header.picture
        if shown is not None:
            lines["picture"] = (
                f"{shown['name']}, {shown['width']} x {shown['height']}, "
                f"{shown['channels']} channels, {shown['color_space']}, {shown['dtype']}"
            )
        return lines | self.told_quality()

    def told_quality(self) -> dict[str, str]:
        """Return lines for people on what was reached."""
        from neuralshade.measure.light import light_text

        quality = self.header.quality
        if "psnr_db" not in quality:
            source = self.header.own.get("source")
            return {
                **({} if source is None else {"source": str(source)}),
                "quality": "not measured; evaluate compares it with a picture",
            }
        return {"quality": f"{quality['psnr_db']:.2f} dB PSNR{light_text(quality)} when it was "
                "fitted"}  # fmt: skip
