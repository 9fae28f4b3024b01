"""Material set: all maps of one surface in memory, the source of latent textures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neuralshade.base.did_you_mean import did_you_mean
from neuralshade.base.message_text import named
from neuralshade.errors import ConfigError, ShapeError
from neuralshade.source.map_entry import MATERIAL, Entry
from neuralshade.source.map_files import Source
from neuralshade.source.map_reader import ReadOptions, read_maps
from neuralshade.source.material_map import MaterialMap

__all__ = ["MaterialMap", "MaterialSet", "load_material_set"]


@dataclass(frozen=True, eq=False)
class MaterialSet:
    """Maps of one surface, all of one size; do not write to them.

    Row 0 is the top of the picture. Tangent space: x right, y up, z away from the surface.

    Raises: ShapeError for maps of different sizes, ConfigError for none or two of one name.
    """

    name: str
    maps: tuple[MaterialMap, ...]
    notes: tuple[str, ...] = ()  # sentences for the user
    # The set before hidden texels were filled, if errors are weighted by opacity; see cutout.py.
    original: MaterialSet | None = None

    def __post_init__(self) -> None:
        if not self.maps:
            raise ConfigError(f"{self.name}: got no map, need one at least. Add a map.")
        for before, one in enumerate(self.maps):
            if one.name in self.names[:before]:
                raise ConfigError(f"{self.name}: got two maps called {one.name}, need each once. "
                                  "Rename one of them.")  # fmt: skip
            if one.values.shape[:2] != (self.height, self.width):
                height, width = one.values.shape[:2]
                raise ShapeError(f"{self.name}: got {one.name} of {width} x {height} beside "
                                 f"{self.names[0]} of {self.width} x {self.height}, need one "
                                 "size. Scale one of them.")  # fmt: skip

    @property
    def height(self) -> int:
        return int(self.maps[0].values.shape[0])

    @property
    def width(self) -> int:
        return int(self.maps[0].values.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.maps)

    def __getitem__(self, name: str) -> MaterialMap:
        """Return the map of that name; ConfigError for an unknown one."""
        for one in self.maps:
            if one.name == name:
                return one
        raise ConfigError(f"{self.name}: got no map {named(name)}, need one of "
                          f"{', '.join(self.names)}.{did_you_mean(name, self.names)}")  # fmt: skip


def load_material_set(
    source: Source | None = None,
    *,
    maps: Mapping[str, Entry | None] | None = None,
    normal_convention: str | None = None,
    memory_limit: int = 4 * 2**30,
    wrap: str = "repeat",
) -> MaterialSet:
    """Return the maps of a folder, a JSON manifest, or files of maps.

    Files are recognized by their names (map_words.py has the words); listed files with unknown
    names keep these as map names. A manifest is an object with the keys of ``maps`` and,
    optionally, a "name" for the set. Maps of different sizes are resized to the largest. A DirectX
    normal map has its green flipped; its convention comes from ``normal_convention``, the manifest,
    the file's name, or else the slopes of the map itself. An albedo's alpha that is not 1
    everywhere is the opacity, if no other file is. In a folder, maps besides albedo, normal and
    roughness that do not fit are left out, with notes.

    Args:
        source: a folder, FOLDER/wood for the files in it that start with wood, a manifest, one
            file or several, or a dict of a manifest's contents, whose values may be pixels, too.
        maps: by any name of small letters, digits and _, or packed by the order of channels:
            arm, orm, rma ... Each replaces that of ``source``; None is ignored. A path, in a
            manifest relative to it; or {"path": ..., "convention": "opengl" or "directx" (normal),
            "channel": "r", "g", "b" or "a" (maps of one number), "color": true (maps that are no
            color by their name)}. A NumPy array, a PIL image, a torch tensor or a Picture may
            replace a path: [H, W, C] or [H, W], floats sRGB in [0, 1] for colors, in [0, 1] or,
            where some are below 0, in [-1, 1] for normals, any numbers for others.
        normal_convention: "opengl" or "directx"; None: detected.
        memory_limit: bytes of one decoded file, at most.
        wrap: border where smaller maps are enlarged: "repeat" or "clamp".

    Returns: the known maps in the order of NAMES, then others in their order.
    Raises: ConfigError for a source that is none of these or has no map, a bad key, or two files
        for one map; PictureError for a file that cannot be read, holds NaN or infinity, does not
        match its name, or differs from the others in shape.
    """
    options = ReadOptions(MATERIAL, normal_convention, memory_limit, wrap)
    return MaterialSet(*read_maps(source, maps or {}, options))
