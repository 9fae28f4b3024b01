"""Base of opened assets that are drawn like a picture and compared with one."""

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
from neuralshade.kinds.hints import InMemory, Numbers, Table
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.source.image_file import load_as_fitted
from neuralshade.source.picture import Picture, PictureForm, is_straight

EXPOSED_PX = 256  # longer side of a result for finding its exposure
Titled = list[tuple[str, npt.NDArray[Any]]]  # title, float32 [h, w, C]


@dataclass(frozen=True, init=False)  # the base's __init__, which resolves its hints
class OpenedPicture(Opened):
    """An asset that is drawn as a picture."""

    curve_note: ClassVar[str] = ""  # note below a report's curve on how it was measured
    report_titles: ClassVar[Mapping[str, str]] = {}  # other titles of a report's table and grids
    parts: ClassVar[Mapping[str, Rule]] = {"training": TRAINING, "quality": PSNR}
    rated: ClassVar[bool] = True  # the file's bytes can be compared with a picture's

    def __post_init__(self) -> None:
        """Refuse a header without a picture."""
        if self.rated and self.header.picture is None:
            raise AssetError(f"{self.path}: got no 'picture' in the header, need a whole asset. "
                             "Fit it again.")  # fmt: skip

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return the form of its picture."""
        assert self.header.picture is not None
        return self.header.picture

    @property
    def bits_per_pixel(self) -> float | None:
        return self.byte_count * 8 / (self.size[0] * self.size[1]) if self.rated else None

    def in_memory(self) -> InMemory:
        """Return its storage on a GPU, for tables."""
        from neuralshade.measure.quality_rows import InMemory

        return InMemory(self.memory_bytes)

    def grids(self) -> Titled:
        """Return feature grids [h, w, features] for the report, with titles."""
        return []

    def drawings(self) -> Titled:
        """Return other pictures [h, w, C] of the trained numbers, with titles."""
        return []

    def pages(self) -> Mapping[str, Page]:
        """Return pictures of the trained numbers, for a live page."""
        return {}

    def points(self) -> Mapping[str, Points]:
        """Return positions to mark, for a live page."""
        return {}

    def transformed(self, picture: Picture) -> Picture:
        """Return ``picture`` after the asset's transform."""
        if not self.alpha_weighted:
            return picture
        from neuralshade.source.hidden_color import visible_picture  # not needed by info

        return visible_picture(picture)

    @property
    def alpha_weighted(self) -> bool:
        """Return whether errors of color are weighted by alpha; see ``visible_picture``."""
        keeps = getattr(self.recipe, "keep_hidden_color", True)
        return not keeps and self._has_straight_alpha

    @property
    def _has_straight_alpha(self) -> bool:
        return is_straight(self.picture["channels"], self.picture.get("color_space"))

    def recipe_flags(self) -> dict[str, Any]:
        """Return ``keep_hidden_color`` as None where no alpha hides any."""
        return {} if self._has_straight_alpha else {"keep_hidden_color": None}

    @abstractmethod
    def reached(self) -> list[tuple[str, str]]:
        """Return lines of a report on the fit's result, with labels."""

    def target(self, picture: Any, notice: Notice = ignore) -> Picture:
        """Return ``picture`` after the asset's transform; AssetError for an unsuitable one.

        Its size may differ: the asset is continuous. ``notice`` gets a note on a mismatch.
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
        other = self._mismatch_note(loaded, target) if self.rated else None  # else any picture
        if other is not None:
            notice(f"{self.path}: {other}")
        return target

    def _mismatch_note(self, picture: Picture, target: Picture) -> str | None:
        """Return a note on a picture that is, or may be, another than the fitted one."""
        if "source" in self.header.own:  # trained elsewhere, on an unknown picture
            return None
        fitted, other = plain_name(str(self.picture["name"])), plain_name(picture.name)
        digest, (width, height) = self.picture.get("digest"), self.size
        if (target.width, target.height) != self.size:
            return (f"fitted to {fitted}, {width} x {height} pixels, compared with {other}, "
                    f"{target.width} x {target.height} pixels: another picture, or another size of "
                    "it. Bits per pixel count the latter.")  # fmt: skip
        if digest is None:  # Gaussians' headers omit it, to be short
            return None if fitted == other else (
                f"fitted to {fitted}, compared with {other}: its file does not say whether "
                "that is the same picture.")  # fmt: skip
        return None if digest == picture.digest else (
            f"fitted to {fitted}, compared with {other}: its pixels are not those that it was "
            "fitted to.")  # fmt: skip

    def pixels(self, width: int, height: int) -> npt.NDArray[Any]:
        """Return the whole picture, sRGB values clamped to [0, 1]; closes the asset."""
        with self:
            drawn = self.draw(width, height)
        check_drawn(self.path, drawn)
        return drawn if self.color_space == "linear" else drawn.clip(0, 1)

    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return its quality, beside files of as many bytes, and block-compressed textures."""
        if reference is None:
            raise ConfigError(f"{self.path}: got no picture, need the one to compare with. "
                              "Give it as the second argument.")  # fmt: skip
        target = self.target(reference, notice)
        result = self.pixels(target.width, target.height)
        return self.rows(target.as_float(), result)

    def rows(self, target: Numbers, result: Numbers, rivals: Any = None) -> Table:
        """Return its table with ``rivals``, see ``rows_for``, for terminals and pages."""
        from neuralshade.measure.quality_rows import rows_for  # slow import of metrics

        return rows_for(target, result, self.byte_count, self.color_space, rivals=rivals,
                        in_memory=self.in_memory(), alpha_weighted=self.alpha_weighted)  # fmt: skip

    # repeats the signature in Opened, for readers of both; mypy compares the two
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
        from neuralshade.kinds.picture_report import report_picture  # slow import of plots

        target = self.target(reference, notice if self.rated else ignore)  # else of any size
        taken = snapshots
        if isinstance(snapshots, (str, os.PathLike)):
            from neuralshade.fitting.snapshots import load_snapshots

            taken = load_snapshots(snapshots)
        report_picture(self, target, output, taken, facts)

    def members(self) -> list[tuple[str, str]]:
        """Return lines of a report on trained numbers, with labels."""
        return []

    def scene(self, reference: Any = None) -> Scene:
        """Return the scene of a live page, beside ``reference`` if there is one."""
        target = None if reference is None else self.target(reference)
        seen: Picture | PictureForm = self.form() if target is None else target
        scene = picture_scene(self.kind.name, seen, self.draw, continuous=True, pages=self.pages(),
                              points=self.points(), changes=())  # fmt: skip
        if target is not None or not seen.hdr or self.draws_view:
            return scene
        from neuralshade.measure.resample import fit_within  # only live fits need it

        height, width = fit_within(seen.height, seen.width, EXPOSED_PX)
        return replace(scene, stops=initial_stops(self.draw(width, height)))

    def form(self) -> PictureForm:
        """Return size, channels, color space and name of its picture."""
        facts = self.picture
        return PictureForm(*self.size, int(facts["channels"]), self.color_space, facts["name"])

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` as a picture, if it is the one that the asset was fitted to."""
        try:
            known = load_as_fitted(reference, self.picture.get("digest"))
        except (NeuralShadeError, TypeError):  # the source of another kind
            return None
        theirs, ours = self.picture, picture_facts(known)
        same = all(theirs.get(name, value) == value for name, value in ours.items())
        return known if same else None

    def summary(self) -> dict[str, str]:
        """Return lines for users: its size, the picture, the quality."""
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
        return lines | self.quality_summary()

    def quality_summary(self) -> dict[str, str]:
        """Return lines for users on the quality."""
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
