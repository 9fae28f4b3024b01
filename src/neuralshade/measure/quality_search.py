"""The highest quality of a picture file, or of several, that fits some bytes."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from PIL import Image

Files = TypeVar("Files", bytes, Sequence[bytes])
Sizes = Callable[[int], int]  # of a quality, bytes

BAND_PX, EVERY_PX = 16, 256  # rows of a sample: whole blocks of most formats
MOST_AIMED = 5  # tries that a sample leads, before halves take over


def highest_quality(
    encode: Callable[[int], Files],
    byte_count: int,
    lowest: int = 1,
    size: Callable[[Files], int] = len,
    sample: Sizes | None = None,
    near: int | None = None,
) -> tuple[int, Files | None]:
    """Return the highest quality up to 100 whose file, or files, fit, and these.

    ``lowest`` - 1 and None where even ``lowest`` does not fit. Found by bisection, of about seven
    files; with a sample, that says near which quality it is, of about three.

    Args:
        encode: files of a quality, of a higher one no smaller ones.
        byte_count: the budget.
        lowest: quality.
        size: bytes of what ``encode`` returns.
        sample: bytes of a part of it, of a quality; see ``sample_of``.
        near: quality to try first.
    """
    fitting, too_large, kept = lowest - 1, 101, None
    aim = None if sample is None else _Aim(sample, byte_count)
    while too_large - fitting > 1:
        quality = (fitting + too_large) // 2
        if near is not None:
            quality, near = max(near, lowest), None
        elif aim is not None and aim.tries < MOST_AIMED:
            quality = aim.next(fitting, too_large)
        candidate = encode(quality)
        total = size(candidate)
        if aim is not None:
            aim.learn(quality, total)
        if total <= byte_count:
            fitting, kept = quality, candidate
        else:
            too_large = quality
    return fitting, kept


class _Aim:
    """What a sample says of the quality that is looked for: bytes of all as a line over its own."""

    def __init__(self, sample: Sizes, byte_count: int):
        self.sample, self.byte_count = sample, byte_count
        self.known: dict[int, int] = {}  # bytes of the sample by quality
        self.at, self.slope = (0.0, 0.0), EVERY_PX / BAND_PX  # bytes of sample and all; between
        self.tries = 0

    def learn(self, quality: int, total: int) -> None:
        """Take note of the bytes of all at a quality."""
        (part, before), own = self.at, self._bytes(quality)
        if own != part and (total - before) / (own - part) > 0:
            self.slope = (total - before) / (own - part)
        self.at, self.tries = (own, total), self.tries + 1

    def next(self, fitting: int, too_large: int) -> int:
        """Return what to try between two qualities: the highest that seems to fit."""
        between = [quality for quality in self.known if fitting < quality < too_large]
        low = max((q for q in between if self._fits(q)), default=fitting)
        high = min((q for q in between if q > low), default=too_large)
        while high - low > 1:
            quality = (low + high) // 2
            low, high = (quality, high) if self._fits(quality) else (low, quality)
        return max(low, fitting + 1)

    def _fits(self, quality: int) -> bool:
        part, total = self.at
        return total + self.slope * (self._bytes(quality) - part) <= self.byte_count

    def _bytes(self, quality: int) -> int:
        if quality not in self.known:
            self.known[quality] = self.sample(quality)
        return self.known[quality]


def sample_of(
    pictures: Sequence[Image.Image], size: Callable[[Sequence[Image.Image], int], int]
) -> Sizes | None:  # fmt: skip
    """Return the bytes of bands of rows of pictures, of a quality.

    None where pictures are so low that these would be hardly less.

    Args:
        pictures: what is encoded.
        size: bytes of pictures and a quality.
    """
    if min(picture.height for picture in pictures) < EVERY_PX:
        return None
    parts = [_bands(picture) for picture in pictures]
    return lambda quality: size(parts, quality)


def _bands(picture: Image.Image) -> Image.Image:
    """Return bands of rows, evenly over a picture, one below the other."""
    rows = (np.arange(picture.height) + EVERY_PX // 2) % EVERY_PX < BAND_PX
    return Image.fromarray(np.asarray(picture)[rows])
