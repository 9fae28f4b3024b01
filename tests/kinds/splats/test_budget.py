"""kinds/splats/build: how many Gaussians a file of a size is expected to hold, and none at all."""

import numpy as np
import pytest

from neuralshade.errors import ConfigError
from neuralshade.kinds.splats.build import budget_of, expected_count
from neuralshade.kinds.splats.recipe import SplatsRecipe
from neuralshade.model.gaussian import COMPOSITINGS
from neuralshade.source.picture import picture_from_array

WIDTH, HEIGHT = 60, 40
PICTURE = picture_from_array(np.zeros((HEIGHT, WIDTH, 3), np.uint8))


def test_budget_is_that_of_bytes_or_bits_per_pixel_unless_there_is_a_count():
    assert budget_of(SplatsRecipe(count=5), PICTURE) is None
    assert budget_of(SplatsRecipe(bytes=12345), PICTURE) == 12345
    assert budget_of(SplatsRecipe(bpp=3.0), PICTURE) == WIDTH * HEIGHT * 3 // 8


@pytest.mark.parametrize("compositing", COMPOSITINGS)
def test_the_larger_the_file_the_more_gaussians_are_expected(compositing):
    sizes = [1500, 2000, 5000, 20_000, 10**6, 10**9]
    counts = [expected_count(SplatsRecipe(bytes=size, compositing=compositing), PICTURE)
              for size in sizes]  # fmt: skip
    assert counts == sorted(set(counts[:-1])) + counts[-1:]
    assert counts[0] >= 1 and counts[-1] == 1_000_000
    assert expected_count(SplatsRecipe(count=17, compositing=compositing), PICTURE) == 17


@pytest.mark.parametrize("given, start, end", [
    ({"bytes": 300}, "bytes: got 300 bytes for the file, need about ", "Allow more bytes."),
    ({"bpp": 0.5}, f"bpp: got 0.5 for {WIDTH} x {HEIGHT} pixels, a file of 150 bytes, need about ",
     f"Give a --bpp of about {8 * 908 / WIDTH / HEIGHT:.2g} or more, or --count 1 or more."),
])  # fmt: skip
def test_a_file_too_small_for_one_gaussian_is_refused(refusal, given, start, end):
    message = refusal(ConfigError, expected_count, SplatsRecipe(**given), PICTURE)
    assert message.startswith(f"SplatsRecipe.{start}")
    assert message.endswith(f" for one Gaussian. {end}")


@pytest.mark.parametrize("size", [(1, 1), (7, 1), (8, 8)])
def test_a_picture_of_few_pixels_takes_a_count(refusal, size):
    """No bpp that is allowed makes a file with a header of them."""
    picture = picture_from_array(np.zeros((*size, 3), np.uint8))
    message = refusal(ConfigError, expected_count, SplatsRecipe(), picture)
    assert message == (
        f"SplatsRecipe.bpp: got 1 for {size[1]} x {size[0]} pixels, a file of "
        f"{round(size[0] * size[1] / 8)} bytes, need about 908 for one Gaussian. Give --count 1 or "
        "more: of so few pixels a header is most of the file."
    )
    assert expected_count(SplatsRecipe(count=1), picture) == 1
