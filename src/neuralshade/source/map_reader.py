"""Reader of map sets: finds files, reads them one by one, and resizes them to one size."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import psutil

from neuralshade.base.message_text import plain_name
from neuralshade.errors import ConfigError, PictureError
from neuralshade.source.halving import halved
from neuralshade.source.map_choice import MapFiles
from neuralshade.source.map_entry import CHANNELS, Entry, MapFile, MapRules, check_convention
from neuralshade.source.map_files import Source, find_files
from neuralshade.source.map_folder import optional_maps
from neuralshade.source.map_pictures import pictures_of
from neuralshade.source.map_values import alpha_matters, looks_like_height
from neuralshade.source.map_words import NAMES
from neuralshade.source.material_map import MaterialMap, alpha_map, read_map, resized_map
from neuralshade.source.material_mips import filled_map
from neuralshade.source.normal_swizzle import swizzled_normals
from neuralshade.source.picture import Picture
from neuralshade.source.resize import check_wrap, common_size, misfits, resized

ALPHA = CHANNELS.index("a")
READ_AHEAD_SHARE = 8  # of the free memory, for pictures decoded before their turn
NUMBER_BYTES = 9  # of a map while it is read: its values, and their source


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading a set of maps.

    Raises: ConfigError for an unknown convention or border.
    """

    rules: MapRules
    convention: str | None = None  # of normals; None: detected
    memory_limit: int = 4 * 2**30  # bytes of one decoded file, at most
    wrap: str = "repeat"  # border of a smaller map when enlarged, see ``resized``
    fills: tuple[str, ...] = ("albedo",)  # maps that are resized without hidden texels

    def __post_init__(self) -> None:
        if self.convention is not None:
            check_convention("normal_convention", self.convention)
        check_wrap(self.wrap)


def read_maps(
    source: Source | None,
    entries: Mapping[str, Entry | None],
    options: ReadOptions,
    convert: Callable[[MaterialMap, list[str]], MaterialMap] = lambda one, notes: one,
) -> tuple[str, tuple[MaterialMap, ...], tuple[str, ...]]:
    """Return the name of a set, its maps at the size of the largest, and notes.

    Args:
        source, entries: as for ``find_files``.
        convert: converts each map at its own size; may add notes.

    Raises: what ``find_files``, ``load_picture``, ``read_map`` and ``common_size`` raise.
    """
    found = find_files(source, entries, options.rules)
    reader = _Reader(found, options, list(found.notes))
    notes = reader.notes
    maps = [convert(one, notes) for one in reader.maps()]
    constant = [one.name for one in maps if one.constant]
    maps, sizes = reader.fitting(maps, constant)
    height, width = common_size(found.place, sizes, notes, options.wrap, constant)
    seen = (reader.visible(one, (height, width)) for one in maps)
    same_size = tuple(resized_map(one, height, width, options.wrap) for one in seen)
    return found.name, same_size, tuple(notes)


@dataclass
class _Reader:
    """State while the files of one set are read."""

    found: MapFiles
    options: ReadOptions
    notes: list[str]
    read: dict[str, MaterialMap] = field(default_factory=dict)
    free: int = field(default_factory=lambda: psutil.virtual_memory().available)  # initial bytes
    channels: int = 0  # of all pictures so far
    largest: tuple[int, int] = (0, 0)  # width and height

    def maps(self) -> list[MaterialMap]:
        """Return the maps in order, each at its own size."""
        once_each = {file.read_once: file for file in self.found.files.values()}
        pictures = pictures_of([*once_each.values()], self.options.memory_limit,
                               self.free // READ_AHEAD_SHARE)  # fmt: skip
        for once, picture in zip(once_each, pictures, strict=True):
            self._check_memory(picture)
            files = {n: file for n, file in self.found.files.items() if file.read_once == once}
            for name, file in files.items():
                self._read(name, file, picture)
            if alpha_matters(picture):
                self._read_alpha(files, picture)
        return [self.read[name] for name in dict.fromkeys((*NAMES, *self.read))
                if name in self.read]  # fmt: skip

    def _check_memory(self, picture: Picture) -> None:
        """Raise ConfigError where the maps so far, resized, take more than the initial free memory.

        Checked while reading, as the size of a map is not known before.
        """
        self.channels += picture.channels
        self.largest = max(self.largest, (picture.width, picture.height), key=math.prod)
        needed = NUMBER_BYTES * self.channels * math.prod(self.largest)
        if needed > self.free:
            raise ConfigError(f"{self.found.place}: got maps of {self.largest[0]} x "
                              f"{self.largest[1]} texels, which take {needed / 2**30:.1f} GB of "
                              f"memory and more, need at most the {self.free / 2**30:.1f} GB that "
                              "are free. Scale the maps down.")  # fmt: skip

    def _read(self, name: str, file: MapFile, picture: Picture) -> None:
        try:
            self.read[name] = read_map(name, file, picture, self.options.convention, self.notes)
        except PictureError as error:
            if not file.doubtful or name in self.options.rules.required:
                raise
            self.notes.append(f"{name}: left out. {error}")

    def _read_alpha(self, files: Mapping[str, MapFile], picture: Picture) -> None:
        """Use an alpha without a map in its name as it usually is, or add a note.

        An albedo's is the opacity; that of normals and packed maps the height, if it looks so.
        """
        of, file = next(iter(files.items()))
        if any(one.channel == ALPHA for one in files.values()) or of not in self.read:
            return
        if "albedo" in files:
            self._take("opacity", "albedo", files["albedo"], picture)
        elif ("normal" in files and swizzled_normals(picture) is None) or file.packed:
            if looks_like_height(picture):
                self._take("displacement", of, file, picture)
            else:
                self.notes.append(f"{of}: the alpha of {plain_name(file.path.name)} is left out.")
        elif "normal" not in files and file.channel is None:
            self.notes.append(f"{of}: its alpha is left out.")

    def _take(self, name: str, of: str, file: MapFile, picture: Picture) -> None:
        """Use the alpha of a picture as the map ``name``, if there is no other."""
        other, called = self.found.files.get(name), plain_name(file.path.name)
        if name not in self.options.rules.maps:
            self.notes.append(f"{of}: its alpha is left out.")
        elif other is not None:
            self.notes.append(f"{of}: its alpha is left out, as {name} comes from "
                              f"{plain_name(other.path.name)}.")  # fmt: skip
        else:
            self.read[name] = alpha_map(name, file, picture)
            more = "; albedo is not multiplied by it" if name == "opacity" else ""
            self.notes.append(f"{name}: taken from the alpha of {called}{more}.")

    def fitting(
        self, maps: list[MaterialMap], constant: list[str]
    ) -> tuple[list[MaterialMap], dict[str, tuple[int, int]]]:
        """Return the maps without optional ones of another aspect ratio, and (height, width)."""
        sizes = {one.name: (one.values.shape[0], one.values.shape[1]) for one in maps}
        files = {one.name: one.path.name if one.path else one.name for one in maps}
        for name, other in misfits(sizes, optional_maps(sizes, self.found.files), constant).items():
            (height, width), (most_high, most_wide) = sizes.pop(name), sizes[other]
            self.read.pop(name)
            self.notes.append(f"{name}: {plain_name(files[name])} left out, as its {width} x "
                              f"{height} has another aspect ratio than {other} of {most_wide} x "
                              f"{most_high}. Scale or crop it.")  # fmt: skip
        return [one for one in maps if one.name in sizes], sizes

    def visible(self, one: MaterialMap, size: tuple[int, int]) -> MaterialMap:
        """Return a map for resizing, with hidden texels filled."""
        opacity, (height, width) = self.read.get("opacity"), one.values.shape[:2]
        kept = one.name == "opacity" or one.name not in self.options.fills
        if opacity is None or kept or (height, width) == size:
            return one
        seen = opacity.values
        while seen.shape[0] > height and seen.shape[1] > width:
            seen = halved(seen)
        return filled_map(one, resized(seen, height, width, self.options.wrap)[..., 0])
