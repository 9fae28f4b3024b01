"""Opened asset of a texture set: decodes any map, mip and region."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from neuralshade.asset.asset import Asset
from neuralshade.asset.schema import Form
from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.lazy_import import lazy_type
from neuralshade.base.message_text import decimals, memory_text, shown
from neuralshade.errors import AssetError, ConfigError
from neuralshade.fitting.scene import Scene
from neuralshade.kinds.hints import LevelsBeside, MapChain
from neuralshade.kinds.kind import Notice, Opened, ignore
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.channels import TEXEL, MapCoding, coding_of
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.kinds.textures.schema import RULES, decoder_count, field_forms, latent_counts
from neuralshade.measure.map_psnr import mips_text
from neuralshade.measure.table import Table
from neuralshade.source.crop import WHOLE, Crop, check_pixels
from neuralshade.source.material_mips import mip_sizes
from neuralshade.source.region import Region, chosen_names, level_regions

if TYPE_CHECKING:
    from neuralshade.kinds.textures.decoding import Decoding
    from neuralshade.model.field import Field
else:  # for tools that read type hints at run time
    Decoding = lazy_type("neuralshade.kinds.textures.decoding:Decoding")
    Field = lazy_type("neuralshade.model.field:Field")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class OpenedTextures(Opened):
    """Latents and a decoder. ``drawn``: the map and the mip that ``draw`` shows."""

    recipe: TexturesRecipe
    offered = ("map", "mips", "sizes", "textures")
    kind = KIND
    parts = RULES
    drawn: tuple[str | None, int] = field(default=(None, 0))

    @classmethod
    def of(cls, asset: Asset, values: Mapping[str, Any] | None = None, *,
           trust: bool = False) -> OpenedTextures:  # fmt: skip
        """Return an asset opened, which draws the ``map`` and the ``level`` of ``values``."""
        plain = super().of(asset, trust=trust)
        if not values:
            return plain
        rest = dict(values)
        name, level = rest.pop("map", None), rest.pop("level", 0)
        level = int(level) if isinstance(level, str) and level.isdecimal() else level
        if rest:
            other = next(iter(rest))
            raise ConfigError(f"set: got {other!r} for {asset.path}, need map or level."
                              f"{did_you_mean(other, ('map', 'level'))}")  # fmt: skip
        plain.coding(name)
        plain.check_level(level)
        return cls(asset, plain.recipe, (name, level))

    def __post_init__(self) -> None:
        """Refuse a header with inconsistent fields."""
        first = 0
        for coding in self.codings:
            if not coding.is_whole or coding.first != first:
                raise AssetError(f"{self.path}: got a map {shown(coding.name)} that does not "
                                 "belong to the others, need a whole header. Fit it "
                                 "again.")  # fmt: skip
            first += coding.count
        names = [coding.name for coding in self.codings]
        if len(set(names)) < len(names) or not self.channels or len(self.sizes) != self.mips:
            raise AssetError(f"{self.path}: got maps or mips that cannot be, need a whole header. "
                             "Fit it again.")  # fmt: skip

    def forms(self) -> Mapping[str, Form]:
        """Return the tensors of the recipe's latents and decoder."""
        return field_forms(self.recipe, self.size_of_set, self.channels)

    @property
    def textures(self) -> Mapping[str, Any]:
        """Return the header's facts of the set."""
        found: Mapping[str, Any] = self.header.own["textures"]
        return found

    @property
    def size_of_set(self) -> tuple[int, int]:
        """Return width and height of mip 0."""
        return self.textures["width"], self.textures["height"]

    @property
    def mips(self) -> int:
        """Return the number of levels."""
        return int(self.textures["mips"])

    @cached_property
    def sizes(self) -> list[tuple[int, int]]:
        """Return width and height of every mip."""
        return mip_sizes(*self.size_of_set, self.recipe.mips or None)

    @cached_property
    def codings(self) -> tuple[MapCoding, ...]:
        """Return the coding of each map."""
        return tuple(coding_of(facts) for facts in self.textures["maps"])

    @property
    def channels(self) -> int:
        """Return the number of trained channels."""
        return sum(coding.count for coding in self.codings)

    def coding(self, name: str | None) -> MapCoding:
        """Return the coding of a map, the first for None; ConfigError for an unknown name."""
        if name is None:
            return self.codings[0]
        names = [coding.name for coding in self.codings]
        if name not in names:
            raise ConfigError(f"map: got {shown(name)}, need one of {names}."
                              f"{did_you_mean(str(name), names)}")  # fmt: skip
        return self.codings[names.index(name)]

    def check_level(self, level: Any) -> None:
        """Raise ConfigError for a mip that does not exist."""
        if type(level) is not int or not 0 <= level < self.mips:
            raise ConfigError(f"level: got {shown(level)}, need 0 to {self.mips - 1}. 0 is the "
                              "finest.")  # fmt: skip

    @cached_property
    def field(self) -> Field:
        """Return the field as stored, in float32."""
        from neuralshade.kinds.textures.asset import stored_field

        try:
            return stored_field(self.recipe, self.size_of_set, self.channels, self.tensors)
        except AssetError as error:
            raise AssetError(f"{self.path}: {error}") from error

    @cached_property
    def _decoding(self) -> Decoding:
        """Return the decoder of whole levels."""
        from neuralshade.kinds.textures.decoding import Decoding

        return Decoding(self.field, self.sizes, self.path)

    def close(self) -> None:
        """Close the GPU, if one was opened for decoding."""
        if "_decoding" in self.__dict__:
            self._decoding.close()

    @property
    def numbers(self) -> int:
        """Return how many trained numbers there are."""
        if self.recipe.latents == "bc1":  # the field checks its blocks
            return sum(p.numel() for p in self.field.parameters())
        latents = sum(latent_counts(self.recipe, self.size_of_set))
        return latents + decoder_count(self.recipe, self.channels)

    def trained_channels(self, level: int) -> Floats:
        """Return all trained channels of a mip: float32 [h, w, C] as decoded, not clamped."""
        width, height = self.sizes[level]
        return self._decoding.floats(level, (0, 0, width, height)).reshape(height, width, -1)

    def map(self, name: str, level: int = 0) -> Floats:
        """Return one map of a mip in its original form: float32 [height, width, channels].

        Colors of integer files in sRGB [0, 1], of float files linear; normals unit, OpenGL; all
        others as stored. Raises: ConfigError for a map or a mip that does not exist.
        """
        coding = self.coding(name)
        self.check_level(level)
        return coding.decoded(self.trained_channels(level))

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
        """Return maps with their levels, see ``Opened.chains``."""
        from neuralshade.kinds.textures.chains import map_chains
        from neuralshade.kinds.textures.decoding import Decoding, check_device

        check_device(device)
        regions = level_regions(self.sizes, levels, region)
        names = chosen_names(maps, [coding.name for coding in self.codings])
        codings = [self.coding(name) for name in names]
        decoding = Decoding(self.field, self.sizes, self.path, device)
        return map_chains(decoding, codings, regions, blocks, on_device)

    def latent_files(self, folder: Path) -> list[Path]:
        """Write BC1 latents as DDS files and the decoder beside them, see ``latent_files``."""
        from neuralshade.kinds.textures.block_files import latent_files

        return latent_files(self, folder)

    @property
    def picture(self) -> Mapping[str, Any]:
        """Return the form of the drawn map."""
        (width, height), coding = self.sizes[self.drawn[1]], self.coding(self.drawn[0])
        return {"name": f"{self.textures['name']} {coding.name}", "width": width,
                "height": height, "channels": coding.channels, "color_space": "srgb",
                "dtype": "uint8" if coding.bits == 8 else "uint16"}  # fmt: skip

    def draw(self, width: int, height: int, crop: Crop = WHOLE) -> Floats:
        """Return the map at the texels under pixel centres: float32 [height, width, channels].

        Display-coded in [0, 1]: normals as x / 2 + 1/2, light beyond 1 by its logarithm.
        """
        check_pixels(width, height)
        return self.drawn_map(self.coding(self.drawn[0]), self.drawn[1], width, height, crop)

    def drawn_map(
        self, coding: MapCoding, level: int, width: int, height: int, crop: Crop = WHOLE
    ) -> Floats:
        """Return the texels of a map under pixel centres, display-coded in [0, 1]."""
        from neuralshade.kinds.textures.engine import texels_under

        rows, cols = texels_under(self.sizes[level], width, height, crop)
        return self._decoding.shown(level, rows, cols, coding)

    @property
    def bits_per_pixel(self) -> float:
        """Return the file's bits for a texel of mip 0, all maps and mips."""
        width, height = self.size_of_set
        return self.byte_count * 8 / (width * height)

    def same_reference(self, reference: Any) -> Any:
        """Return ``reference`` as a set, if it is the one that the asset was fitted to."""
        from neuralshade.kinds.textures.reference import same_set

        return same_set(self, reference)

    def levels_beside(self, source: Any) -> list[LevelsBeside]:
        """Return the channels of its source, None for none, and of blocks at half size."""
        from neuralshade.kinds.textures.channels_beside import channels_beside

        return channels_beside(self, source)

    @property
    def memory_bytes(self) -> int:
        """Return the bytes in a GPU's memory: packed codes, float16 decoder."""
        latents = sum(t.nbytes for name, t in self.tensors.items() if name.startswith("latents."))
        return latents + 2 * decoder_count(self.recipe, self.channels)

    def scene(self, reference: Any = None) -> Scene:
        """Return the scene of a live page, beside ``reference`` if there is one."""
        from neuralshade.kinds.textures.scene import opened_scene

        return opened_scene(self, reference)

    # repeats the signature in Opened, for readers of both; mypy compares the two
    def evaluate(self, reference: Any = None, notice: Notice = ignore) -> Table:
        """Return the PSNR of every map and mip, beside the alternatives."""
        from neuralshade.kinds.textures.evaluate import evaluate_textures

        return evaluate_textures(self, reference, notice)

    def report(
        self, reference: Any, output: str | os.PathLike[str], *, snapshots: Any = (),
        facts: Sequence[tuple[str, str]] = (), notice: Notice = ignore,
    ) -> None:  # fmt: skip
        """Write the page: maps, errors, a table of the alternatives."""
        from neuralshade.kinds.textures.report import report_textures  # loads plots: 1 s

        report_textures(self, reference, output, facts, notice)

    def summary(self) -> dict[str, str]:
        """Return lines for users: the size, the maps and their quality."""
        width, height = self.size_of_set
        quality = self.header.quality["maps"]
        lines = {
            "size": f"{self.byte_count:,} bytes, {decimals(self.bits_per_pixel, 3)} bits per "
                    f"{TEXEL}",
            "in a GPU": memory_text(self.memory_bytes, width * height, TEXEL),
            "maps": f"{self.textures['name']}, {width} x {height}, {self.mips} mips, "
                    f"{self.channels} channels",
        }  # fmt: skip
        for coding in self.codings:
            if coding.constant is not None:
                values = ", ".join(f"{value:g}" for value in coding.constant)
                lines[f"  {coding.name}"] = f"{values} everywhere"
            elif coding.name in quality:
                lines[f"  {coding.name}"] = f"dB by mip: {mips_text(quality[coding.name])}"
        return lines
