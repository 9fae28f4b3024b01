"""Map request of fit mipmaps: sources and formats, and their command line."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neuralshade.errors import ConfigError
from neuralshade.kinds.mipmaps import MAPS, PACKED
from neuralshade.kinds.mipmaps.files import USUAL_FORMATS
from neuralshade.source.texture_set import (
    TextureSet,
    checked_textures,
    load_texture_set,
    visible_textures,
)


@dataclass(frozen=True)
class MapRequest:
    """Maps to read, and formats to write."""

    source: str | os.PathLike[str] | Mapping[str, Any] | TextureSet | None
    maps: Mapping[str, Any]
    normal_convention: str | None
    formats: tuple[str, ...]

    def textures(self, wrap: str = "repeat", keep_hidden_color: bool = False) -> TextureSet:
        """Return the maps.

        ``wrap``: of the recipe; border mode for enlarging smaller maps.
        ``keep_hidden_color``: see ``load_texture_set``.
        """
        if not isinstance(self.source, TextureSet):
            return load_texture_set(
                self.source, normal_convention=self.normal_convention, wrap=wrap,
                keep_hidden_color=keep_hidden_color, **self.maps,
            )  # fmt: skip
        if self.maps or self.normal_convention is not None:
            argument = "normal_convention" if not self.maps else next(iter(self.maps))
            raise ConfigError(f"{argument}: got it beside a TextureSet, which has its maps "
                              "already, need one of the two. Leave it out.")  # fmt: skip
        textures = checked_textures(self.source)
        return textures if keep_hidden_color else visible_textures(textures)

    @property
    def place(self) -> str | None:
        """Return the source for a command line, "" for none; None if it cannot be typed."""
        if isinstance(self.source, (TextureSet, Mapping)) or not all(
            isinstance(value, (str, os.PathLike, type(None))) for value in self.maps.values()
        ):
            return None
        return "" if self.source is None else os.fspath(self.source)

    @property
    def words(self) -> tuple[str, ...]:
        """Return the flags of the same maps and files for a resumed fit."""
        words: list[str] = []
        for name, value in self.maps.items():
            if value is not None:
                path = os.fspath(value)
                words += [f"--{name}", path] if name in (*MAPS, *PACKED) else [f"{name}={path}"]
        if self.normal_convention is not None:
            words += ["--normal-convention", self.normal_convention]
        if self.formats != USUAL_FORMATS:
            for form in self.formats:
                words += ["--format", form]
        return tuple(words)

    @property
    def subject(self) -> str:
        """Return the Python arguments of a resumed fit."""
        words = ["source"] if self.source is not None else []
        words += ["maps=maps"] if self.maps else []
        if self.normal_convention is not None:
            words.append(f"normal_convention={self.normal_convention!r}")
        if self.formats != USUAL_FORMATS:
            words.append(f"formats={self.formats!r}")
        return ", ".join(words)
