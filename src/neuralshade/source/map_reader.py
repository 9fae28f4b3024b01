"""The reader of sets of maps: files found, read one by one, and brought to one size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from neuralshade.base.message_text import plain_name
from neuralshade.source.map_choice import MapFiles
from neuralshade.source.map_entry import Entry, MapFile, Takes, check_convention
from neuralshade.source.map_files import Source, find_files
from neuralshade.source.map_values import alpha_matters, picture_of
from neuralshade.source.map_words import NAMES
from neuralshade.source.material_map import MaterialMap, alpha_map, read_map, resized_map
from neuralshade.source.picture import Picture
from neuralshade.source.resize import check_wrap, common_size


@dataclass(frozen=True)
class Reading:
    """How a set of maps is read.

    Raises: ConfigError for an unknown convention or border.
    """

    takes: Takes
    convention: str | None = None  # of normals; None to find out
    memory_limit: int = 4 * 2**30  # bytes that one decoded file may take
    wrap: str = "repeat"  # what lies beyond the border of a smaller map, see ``resized``

    def __post_init__(self) -> None:
        if self.convention is not None:
            check_convention("normal_convention", self.convention)
        check_wrap(self.wrap)


def read_maps(
    source: Source | None,
    entries: Mapping[str, Entry | None],
    reading: Reading,
    made: Callable[[MaterialMap, list[str]], MaterialMap] = lambda one, notes: one,
) -> tuple[str, tuple[MaterialMap, ...], tuple[str, ...]]:
    """Return the name of a set, its maps at the size of the largest, and notes.

    Args:
        source, entries: as ``find_files`` has them.
        made: what becomes of a map as it is read, at its own size; gets the notes too.

    Raises: what ``find_files``, ``load_picture``, ``read_map`` and ``common_size`` raise.
    """
    found = find_files(source, entries, reading.takes)
    notes = list(found.notes)
    maps = [made(one, notes) for one in _read_files(found, reading, notes)]
    sizes = {one.name: (one.values.shape[0], one.values.shape[1]) for one in maps}
    height, width = common_size(found.place, sizes, notes, reading.wrap)
    resized = (resized_map(one, height, width, reading.wrap) for one in maps)
    return found.name, tuple(resized), tuple(notes)


def _read_files(found: MapFiles, reading: Reading, notes: list[str]) -> tuple[MaterialMap, ...]:
    """Return the maps in order, each at its own size; one picture at a time is held beside them."""
    read: dict[str, MaterialMap] = {}
    for once, first in {file.read_once: file for file in found.files.values()}.items():
        picture = picture_of(first, reading.memory_limit)
        for name, file in found.files.items():
            if file.read_once == once:
                read[name] = read_map(name, file, picture, reading.convention, notes)
                if name == "albedo" and alpha_matters(picture):
                    if "opacity" in reading.takes.maps:
                        _read_alpha(file, picture, found, read, notes)
                    else:
                        notes.append("albedo: its alpha is left out.")
    return tuple({name: read[name] for name in (*NAMES, *read) if name in read}.values())


def _read_alpha(
    file: MapFile, picture: Picture, found: MapFiles, read: dict[str, MaterialMap], notes: list[str]
) -> None:
    """Take an albedo's alpha for the opacity where nothing else is."""
    other = found.files.get("opacity")
    if other is None:
        read["opacity"] = alpha_map("opacity", file, picture)
        notes.append(
            f"opacity: taken from the alpha of {plain_name(file.path.name)}; albedo is not "
            "multiplied by it."
        )
    elif (other.read_once, other.channel) != (file.read_once, 3):
        notes.append(
            f"albedo: its alpha is left out, as opacity comes from {plain_name(other.path.name)}."
        )
