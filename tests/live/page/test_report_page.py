"""A report in a browser: pictures open 1:1, thin ones are seen, a phone has whole tables."""

import math

import numpy as np
import pytest

from neuralshade.measure.report import ReportData, write_report


@pytest.fixture
def opened(tab, tmp_path):
    """Give a function that writes the report of a picture and opens it: its tab."""

    def opened(height, width, window=(1280, 800)):
        ramp = np.linspace(0, 1, height * width * 3, dtype=np.float32).reshape(height, width, 3)
        row = {"name": "WebP", "setting": "lossless", "bytes": 1_234_567,
               "memory_bytes": 9_876_543, "bits_per_pixel": 13.125, "random_access": False,
               "psnr_db": math.inf, "ssim": 0.9876, "flip": 0.0123, "cropped": False}  # fmt: skip
        path = tmp_path / "report.html"
        write_report(path, ReportData("a.png", ramp, ramp * 0.9, "srgb", 10, table=[row, row],
                                      memory_bytes=99))  # fmt: skip
        return tab(path.as_uri(), *window)

    return opened


@pytest.mark.slow
def test_a_picture_opens_with_its_own_pixels(opened):
    page = opened(500, 900)
    picture = page.page.locator("#pictures img").first
    assert picture.bounding_box()["width"] < 900
    picture.click()
    whole = page.page.locator("#one-to-one img")
    assert [whole.bounding_box()[side] for side in ("width", "height")] == [900, 500]
    whole.click()
    assert page.page.locator("#one-to-one").is_hidden()
    picture.press("Enter")
    assert page.page.locator("#one-to-one").is_visible()
    page.press("Escape")
    assert page.page.locator("#one-to-one").is_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("height, width", [(3, 2000), (2000, 3)])
def test_a_thin_picture_is_seen_and_has_all_its_pixels(opened, height, width):
    page = opened(height, width)
    assert "So thin that it is shown stretched" in page.text("#pictures")
    picture = page.page.locator("#pictures img").first
    assert min(picture.bounding_box()[side] for side in ("width", "height")) == 32
    stored = page.js("[document.images[0].naturalHeight, document.images[0].naturalWidth]")
    assert stored == [height, width]


@pytest.mark.slow
def test_a_phone_has_whole_tables(opened):
    page = opened(40, 60, window=(400, 850))
    assert page.js("document.documentElement.scrollWidth") == 400
    table = page.page.locator("table.rivals")
    assert table.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
    cells = [cell.bounding_box() for cell in table.locator("tbody tr").first.locator("td").all()]
    assert all(box["y"] > cells[0]["y"] for box in cells[1:])
    lefts = [box["x"] for box in cells[1:]]
    rights = [box["x"] + box["width"] for box in cells[1:]]
    assert all(right <= left + 0.5 for right, left in zip(rights, lefts[1:], strict=False))
    assert rights[-1] <= 400
