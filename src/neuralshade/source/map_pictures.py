"""Pictures of a set of maps, decoded on all cores where there is memory for them."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from neuralshade.base.cores import map_on_cores
from neuralshade.errors import PictureError
from neuralshade.source.image_file import read_picture
from neuralshade.source.map_entry import MapFile
from neuralshade.source.picture import Picture
from neuralshade.source.picture_header import header_size

TEXEL_BYTES = 16  # of a decoded picture at most: four floats

log = logging.getLogger("neuralshade")


def pictures_of(files: Sequence[MapFile], memory_limit: int, free: int) -> Iterator[Picture]:
    """Yield the pictures of maps in order, from memory or their files.

    Color tags are left to ``apply_tag``: a map may hold numbers.

    Args:
        files: of maps, each picture once.
        memory_limit: bytes of one decoded file, at most.
        free: bytes that pictures may take which are decoded before their turn. Larger ones are
            decoded one by one.

    Raises: what ``load_picture`` raises, when it is the picture's turn.
    """

    def read(file: MapFile) -> tuple[Picture, list[str]]:
        if file.picture is not None:
            return file.picture, []
        return read_picture(file.path, memory_limit)

    for picture, notes in (map_on_cores if _fit(files, free) else map)(read, files):
        for note in notes:
            log.warning("%s", note)
        yield picture


def _fit(files: Sequence[MapFile], free: int) -> bool:
    """Return whether all pictures take at most ``free`` bytes, by their headers."""
    for file in files:
        if file.picture is None:
            try:
                size = header_size(file.path)
            except PictureError:
                return False
            if size is None:
                return False
            free -= size[0] * size[1] * TEXEL_BYTES
    return free >= 0
