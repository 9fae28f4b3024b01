"""Opened mip levels, drawn as a lit plane that recedes to the horizon."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.schema import Form
from neuralshade.base.lazy_import import lazy_type
from neuralshade.base.message_text import decimals, memory_text, named, shown
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.scene import RESULT, Scene
from neuralshade.kinds.hints import LevelsBeside, MapChain, TextureSet
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.kinds.mipmaps import KIND
from neuralshade.kinds.mipmaps.asset import (
    CHANNELS,
    JUDGED,
    OPACITY,
    RULES,
    TEXEL,
    decoded_level,
    level_forms,
    map_names,
    memory_formats,
    stored_level,
    stored_levels,
)
from neuralshade.kinds.mipmaps.levels_table import BESIDE, LevelsTable, error_table, level_summary
from neuralshade.kinds.mipmaps.recipe import MipmapsRecipe
from neuralshade.measure.plane.mip_filters import FILTERS, Maps
from neuralshade.source.crop import WHOLE, Crop, check_pixels
from neuralshade.source.region import Region, chosen_names, level_regions

if TYPE_CHECKING:
    from neuralshade.measure.plane.plane_view import PlaneView
else:  # for tools that read type hints at run time
    PlaneView = lazy_type("neuralshade.measure.plane.plane_view:PlaneView")


@dataclass(frozen=True, init=False)  # the base's, whose hints are read there
class OpenedMipmaps(Opened):
    """The levels of a texture set, from 0 on."""

    recipe: MipmapsRecipe
    offered = ("chain", "maps", "names")
    kind = KIND
    parts = RULES

    def __post_init__(self) -> None:
        """Refuse an asset without the errors of all filters, of an earlier version."""
        for light, errors in self.header.quality.items():
            missing = [name for name in JUDGED if name not in errors]
            if missing:
                raise AssetError(f"{self.path}: got no errors of {missing[0]} under "
                                 f"{named(light)} lights, need those of all filters. Fit it "
                                 "again.")  # fmt: skip

    def forms(self) -> Mapping[str, Form]:
        """Return the forms of all levels."""
        return level_forms(self.asset)

    @property
    def maps(self) -> Mapping[str, Any]:
        """Return the header's facts of the maps and their levels."""
        found: Mapping[str, Any] = self.header.own["maps"]
        return found

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Return width and height of every level."""
        return [(width, height) for width, height in self.maps["sizes"]]

    @cached_property
    def chain(self) -> list[Maps]:
        """Return levels 0 and on as a shader reads them."""
        return [Maps(**decoded_level(level)) for level in stored_levels(self.asset)]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of its maps."""
        return map_names(OPACITY in self.maps)

    @property
    def weighted(self) -> bool:
        """Return whether texels count by opacity; False for earlier versions."""
        return OPACITY in self.maps and not self.recipe.keep_hidden_color

    def chains(
        self,
        maps: Sequence[str] | None = None,
        levels: int | None = None,
        region: Region | None = None,
        *,
        blocks: Sequence[str] = (),
        device: str = "auto",
        on_device: Notice = ignore,
    ) -> Iterator[MapChain]:
        """Return the stored maps with their levels, see ``Opened.chains``."""
        from neuralshade.kinds.mipmaps.chains import level_chains

        if device != "auto":
            raise ConfigError(f"device: got {shown(device)} for {self.path}, whose levels are "
                              "stored as they are, need none. Leave it out.")  # fmt: skip
        regions = level_regions(self.sizes, levels, region)
        return level_chains(stored_levels(self.asset), chosen_names(maps, self.names), regions)

    @property
    def numbers(self) -> int:
        """Return the number of numbers of the levels below 0."""
        return sum(t.size for n, t in self.tensors.items() if not n.endswith("_0"))

    @property
    def bits_per_pixel(self) -> float:
        """Return the file's bits for a texel of level 0, all maps and levels."""
        width, height = self.maps["sizes"][0]
        return self.byte_count * 8 / (width * height)

    @property
    def memory_bytes(self) -> int:
        """Return the bytes of all levels in a GPU's memory, as blocks if its files have them."""
        formats = memory_formats(self.maps)
        return sum(formats[name].level_bytes(level[name])
                   for level in stored_levels(self.asset) for name in self.names)  # fmt: skip

    draws_view = True

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return name, size and color space of the plane's picture."""
        from neuralshade.measure.plane.plane_view import PlaneView

        return {"name": self.maps["name"], "width": PlaneView.width,
                "height": PlaneView.height, "channels": 3, "color_space": "linear",
                "dtype": "float32"}  # fmt: skip

    @property
    def view(self) -> PlaneView:
        """Return the view of the plane."""
        from neuralshade.measure.plane.plane_view import PlaneView

        return PlaneView.showing(self.chain[0])

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> npt.NDArray[Any]:
        """Return the plane as rendered on a GPU: float32 [height, width, 3], linear.

        Raises: ConfigError for a crop.
        """
        from neuralshade.measure.plane.lit_plane import plane_picture

        check_pixels(width, height)
        if crop != WHOLE:
            raise ConfigError("crop: got a part of a lit plane, need the whole, 0,0,1,1. Leave it "
                              "out.")  # fmt: skip
        view = dataclasses.replace(self.view, width=width, height=height)
        return plane_picture(self.chain, view)

    def same_textures(self, source: Any) -> TextureSet:
        """Return the maps of ``source``; AssetError if they are not those of level 0."""
        from neuralshade.kinds.mipmaps.build import base_maps
        from neuralshade.kinds.mipmaps.map_request import MapRequest
        from neuralshade.source.texture_set import TextureSet, as_textures

        maps = as_textures(source)
        convention = None if isinstance(maps, TextureSet) else self.maps.get("normal_convention")
        request = MapRequest(maps, {}, convention, ())
        textures = request.textures(self.recipe.wrap, self.recipe.keep_hidden_color)
        found = stored_level(base_maps(textures, weighted=True))
        for name, texels in stored_levels(self.asset)[0].items():
            if name not in found or not np.array_equal(texels, found[name]):
                raise AssetError(f"{self.path}: got another {name} map than that of its "
                                 f"level 0 from {textures.name!r}, need the maps that it was "
                                 "trained from. Give their folder.")  # fmt: skip
        return textures

    def check_reference(self, reference: Any) -> None:
        """Raise AssetError for maps other than level 0, although they are not shown."""
        self.same_textures(reference)

    def levels_beside(self, source: Any) -> list[LevelsBeside]:
        """Return the maps with the levels of a box filter; AssetError for other maps."""
        from neuralshade.kinds.mipmaps.levels_beside import box_levels

        if source is not None:
            self.same_textures(source)
        return box_levels(self)

    def scene(self, reference: Any = None) -> Scene:
        """Return the plane, beside filters' levels of its level 0, in 8 bits too."""
        from neuralshade.kinds.mipmaps.judge import as_stored
        from neuralshade.kinds.mipmaps.plane_scene import KEPT_TITLE, plane_scene

        base = self.chain[0] if self.weighted else dataclasses.replace(self.chain[0], opacity=None)
        below = len(self.chain) - 1
        filtered = {name: as_stored(make(base, below)) for name, make in FILTERS.items()}
        chains = {RESULT: self.chain[1:], **filtered}
        scene = plane_scene(str(self.maps["name"]), base, chains, KEPT_TITLE)
        scene = dataclasses.replace(scene, bits_of=TEXEL)
        if not self.header.quality:
            return scene
        table = error_table(self.maps, self.header.quality)
        return dataclasses.replace(scene, measured=BESIDE, measured_table=table)

    # The signatures of Opened again: mypy compares the two, and callers and writers read them here.
    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> LevelsTable:
        """Return the error of each level under held-out lights, beside those of filters."""
        from neuralshade.kinds.mipmaps.evaluate import evaluate_mipmaps

        if reference is None:
            raise ConfigError(f"{self.path}: got no maps, need those that it was trained from. "
                              "Give their folder as the second argument.")  # fmt: skip
        return evaluate_mipmaps(self, reference)

    def report(
        self,
        reference: Any,
        output: str | os.PathLike[str],
        *,
        snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (),
        notice: Notice = ignore,
    ) -> None:
        """Write the report: errors, a lit plane, the maps beside a box filter's."""
        from neuralshade.kinds.mipmaps.report import report_mipmaps  # loads plots: 1 s

        report_mipmaps(self, reference, output, [*facts, ("In a GPU", self._in_memory())])

    def summary(self) -> dict[str, str]:
        """Return summary lines: the maps, and each level with its error."""
        size = f"{self.byte_count:,} bytes, {decimals(self.bits_per_pixel, 3)} bits per {TEXEL}"
        return {"size": size, "in a GPU": self._in_memory(),
                **level_summary(self.maps, self.header.quality)}  # fmt: skip

    def _in_memory(self) -> str:
        width, height = self.maps["sizes"][0]
        held = {form.name.removesuffix("_srgb") for form in memory_formats(self.maps).values()}
        memory = memory_text(self.memory_bytes, width * height, TEXEL)
        return f"{memory}, as {', '.join(sorted(held)).upper()}"

    def tensor_summary(self) -> dict[str, str]:
        """Return a line for each map."""
        last = len(self.maps["sizes"]) - 1
        form = "uint8, levels 0 to {}, channels: {}"
        return {f"  {name}": form.format(last, channels) for name, channels in CHANNELS.items()
                if name in self.names}  # fmt: skip
