"""measure/quality_search: the search for a quality, with and without a sample."""

import math

import numpy as np
import pytest
from PIL import Image

from neuralshade.measure.quality_search import BAND_PX, EVERY_PX, highest_quality, sample_of

# like files of WebP: slow at first, steps that several qualities share, fast at the end
SIZES = [round(2_000 * math.exp(0.03 * (q - q % 2) + max(0, q - 85) * 0.05)) for q in range(101)]


def found(byte_count, lowest, sample):
    tried = []

    def encode(quality):
        assert lowest <= quality <= 100
        tried.append(quality)
        return b"x" * SIZES[quality]

    quality, file = highest_quality(encode, byte_count, lowest, sample=sample)
    assert len(set(tried)) == len(tried)
    assert file is None if quality < lowest else len(file) == SIZES[quality]
    return quality, len(tried)


SAMPLES = {
    "none": None, "a part": lambda q: SIZES[q] // 16,
    "with headers": lambda q: 600 + SIZES[q] // 16,
    "of other content": lambda q: round(SIZES[q] ** 0.8), "empty": lambda q: 0,
    "falling": lambda q: 1_000 - q,
}  # fmt: skip


@pytest.mark.parametrize("lowest", [0, 1])
@pytest.mark.parametrize("name", SAMPLES)
def test_it_is_the_highest_that_fits_whatever_a_sample_says(name, lowest):
    for byte_count in [1, 1_999, 2_000, *range(2_001, 120_000, 997), SIZES[100], SIZES[100] - 1]:
        fitting = [q for q in range(lowest, 101) if SIZES[q] <= byte_count]
        quality, tries = found(byte_count, lowest, SAMPLES[name])
        assert quality == max(fitting, default=lowest - 1)
        assert tries <= (7 if name == "none" else 12)


@pytest.mark.parametrize("name, most", [("none", 6.8), ("a part", 2.5), ("with headers", 3.7)])
def test_a_sample_saves_files(name, most):
    tries = [found(n, 1, SAMPLES[name])[1] for n in range(3_000, 60_000, 997)]
    assert np.mean(tries) < most


def test_a_sample_is_bands_of_all_pictures():
    rows = np.arange(EVERY_PX * 2).astype(np.int32)
    tall = Image.fromarray(np.broadcast_to((rows // 2)[:, None], (len(rows), 8)).astype(np.uint8))
    seen = []
    sample = sample_of([tall, tall.convert("RGB")], lambda parts, q: seen.append(parts) or q)
    assert sample(7) == 7
    assert [part.size for part in seen[0]] == [(8, 2 * BAND_PX)] * 2
    assert [part.mode for part in seen[0]] == ["L", "RGB"]
    assert seen[0][0].getextrema() == (64, (EVERY_PX + EVERY_PX // 2 + BAND_PX - 1) // 2)


def test_low_pictures_have_none():
    low = Image.new("L", (4_000, EVERY_PX - 1))
    assert sample_of([Image.new("L", (9, 9_000)), low], lambda parts, q: q) is None
