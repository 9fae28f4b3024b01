"""Search for the highest quality of picture files that fits a number of bytes."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from PIL import Image

Files = TypeVar("Files", bytes, Sequence[bytes])
Sizes = Callable[[int], int]  # quality -> bytes

BAND_PX, EVERY_PX = 16, 256  # rows of a sample: whole blocks of most formats
MOST_AIMED = 5  # attempts guided by a sample, before bisection takes over


def highest_quality(
    encode: Callable[[int], Files],
    byte_count: int,
    lowest: int = 1,
    size: Callable[[Files], int] = len,
    sample: Sizes | None = None,
    near: int | None = None,
) -> tuple[int, Files | None]:
    """Return the highest quality up to 100 whose files fit, and the files.

    ``lowest`` - 1 and None where even ``lowest`` does not fit. Bisection encodes about seven files;
    with a sample, which predicts the quality, about three.

    Args:
        encode: files of a quality; a higher quality never gives smaller files.
        byte_count: the budget.
        lowest: quality.
        size: bytes of the result of ``encode``.
        sample: bytes of a part of it at a quality; see ``sample_of``.
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
    """Prediction of the quality: bytes of all files as a linear function of the sample's."""

    def __init__(self, sample: Sizes, byte_count: int):
        self.sample, self.byte_count = sample, byte_count
        self.known: dict[int, int] = {}  # bytes of the sample by quality
        self.at, self.slope = (0.0, 0.0), EVERY_PX / BAND_PX  # bytes of sample and all; between
        self.tries = 0

    def learn(self, quality: int, total: int) -> None:
        """Record the bytes of all files at a quality."""
        (part, before), own = self.at, self._bytes(quality)
        if own != part and (total - before) / (own - part) > 0:
            self.slope = (total - before) / (own - part)
        self.at, self.tries = (own, total), self.tries + 1

    def next(self, fitting: int, too_large: int) -> int:
        """Return the quality to try between two: the highest that is predicted to fit."""
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
    """Return a function from quality to the bytes of bands of rows of the pictures.

    None where pictures have so few rows that bands would save little.

    Args:
        pictures: to be encoded.
        size: bytes of pictures at a quality.
    """
    if min(picture.height for picture in pictures) < EVERY_PX:
        return None
    parts = [_bands(picture) for picture in pictures]
    return lambda quality: size(parts, quality)


def _bands(picture: Image.Image) -> Image.Image:
    """Return bands of rows at even distances, stacked."""
    rows = (np.arange(picture.height) + EVERY_PX // 2) % EVERY_PX < BAND_PX
    return Image.fromarray(np.asarray(picture)[rows])
