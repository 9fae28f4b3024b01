"""Request of a texture set: its sources, and the command line that repeats them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, cast

from neuralshade.asset.texture.texture_files import file_name
from neuralshade.base.ahead import begin, taken_result
from neuralshade.errors import ConfigError
from neuralshade.fitting.command import CommandLine, named_sources
from neuralshade.fitting.options import FitOptions, checked_output
from neuralshade.fitting.output_checks import check_no_input, events_path
from neuralshade.kinds.textures import KIND
from neuralshade.kinds.textures.memory import check_memory
from neuralshade.kinds.textures.recipe import TexturesRecipe
from neuralshade.measure.rival_process import begin_process
from neuralshade.measure.set_apart import TASK
from neuralshade.source.map_files import Source
from neuralshade.source.material_set import MaterialSet, load_material_set

PathLike = str | os.PathLike[str]
SetLike: TypeAlias = Source | MaterialSet | None


@dataclass(frozen=True)
class MapSetRequest:
    """A folder, a manifest, files of maps, or a set in memory."""

    source: SetLike
    maps: Mapping[str, Any] = field(default_factory=dict)
    normal_convention: str | None = None

    def textures(self, wrap: str = "repeat") -> MaterialSet:
        """Return the maps.

        Raises: ConfigError for other maps beside a MaterialSet, and for a set whose fit takes more
            memory than is free; what ``load_material_set`` raises.

        ``wrap``: of the recipe; what lies beyond the border where smaller maps are enlarged.
        """
        textures = self._textures(wrap)
        check_memory(textures)
        return textures

    def _textures(self, wrap: str) -> MaterialSet:
        if (begun := taken_result(self._key(wrap))) is not None:
            return cast(MaterialSet, begun)
        if not isinstance(self.source, MaterialSet):
            return load_material_set(
                self.source, maps=self.maps, normal_convention=self.normal_convention, wrap=wrap
            )
        if self.maps or self.normal_convention is not None:
            name = next(iter(self.maps), "normal_convention")
            raise ConfigError(f"{name}: got it beside a MaterialSet, which has its maps already, "
                              "need one of the two. Leave it out.")  # fmt: skip
        return self.source

    def _key(self, wrap: str) -> tuple[Any, ...]:
        files = self.files
        return "maps", None if files is None else tuple(files), self.normal_convention, wrap

    def begin(self, wrap: str) -> None:
        """Begin to read the maps of files in a thread, for ``textures``."""
        if self.files is not None:
            begin(self._key(wrap), partial(self._textures, wrap))

    @property
    def files(self) -> list[str] | None:
        """Return the sources as typed on a command line; None where they cannot be typed."""
        if isinstance(self.source, (MaterialSet, Mapping)):
            return None
        maps = {name: value for name, value in self.maps.items() if value is not None}
        if not all(isinstance(value, (str, os.PathLike)) for value in maps.values()):
            return None
        alone = isinstance(self.source, (str, os.PathLike))
        sources: Any = [self.source] if alone else self.source or []
        if not isinstance(sources, (list, tuple)):
            return None
        words = [os.fspath(path) for path in sources]
        return [*words, *(f"{name}={os.fspath(path)}" for name, path in maps.items())] or None

    @property
    def place(self) -> str | None:
        """Return the first source as typed."""
        return None if self.files is None else self.files[0]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the other words that a resumed fit needs: other files, the convention."""
        if self.files is None:
            return ()
        said = self.normal_convention
        return (*self.files[1:], *(() if said is None else ("--normal-convention", said)))

    def output(self, textures: MaterialSet, output: PathLike | None, options: FitOptions) -> Path:
        """Return the asset's path.

        Raises: OutputError where it, or another output, cannot be written, or is one of the maps;
            what ``checked_output`` raises.
        """
        usual = f"{file_name(textures.name)}.nsh"
        target = checked_output(None, usual, output, options, KIND.name)
        inputs = [one.path for one in textures.maps if one.path is not None]
        for path in (target, options.report, events_path(options.events)):
            check_no_input(path, options.resume, *inputs)
        return target


def typed_source(words: Sequence[str]) -> tuple[Any, dict[str, str]]:
    """Return the source and the single maps that are typed on a command line."""
    sources, maps = named_sources(words)
    return sources[0] if len(sources) == 1 else sources or None, maps


def read_ahead(typed: CommandLine) -> None:
    """Begin to read a command's maps, while PyTorch is imported, and to start the process that
    measures them in blocks.
    """
    if typed.flags["plan"] or typed.options.get("resume") is not None:
        return
    source, maps = typed_source(typed.subject)
    request = MapSetRequest(source, maps, typed.flags["normal_convention"])
    begin_process(TASK)
    request.begin(typed.settings.get("wrap", TexturesRecipe.wrap))
