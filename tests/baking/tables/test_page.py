"""baking/page: the page of a bake, with hostile names, many rows, and pictures of the worst."""

import json
import re

import pytest
from fixtures.browsers import browser as browser
from PIL import Image

import neuralshade
from neuralshade.baking.job import FAILED, MADE, Row
from neuralshade.baking.tables import summary
from neuralshade.baking.tables.histogram import size_text
from neuralshade.baking.tables.page import write_bake_page
from neuralshade.fitting.options import FitOptions

NASTY = "</script><img src=x onerror=alert(1)>"


def rows(count):
    yield Row(NASTY, "image", "x.nsh", FAILED, f"{NASTY}: got it, need none.")
    for n in range(count):
        yield Row(f"wall{n:05}", "image", f"wall{n:05}.nsh", MADE, psnr_db=30 + n % 9,
                  asset_bytes=1000 + n, source_bytes=9000, seconds=1.0)  # fmt: skip


def data(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_names_are_no_markup_and_nothing_else_may_run(tmp_path):
    write_bake_page(tmp_path / "bake.html", rows(3), title=NASTY)
    page = (tmp_path / "bake.html").read_text()
    assert "<img src=x" not in page and data(page)[0][0] == NASTY
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert "default-src 'none'" in policy and "script-src 'sha256-" in policy


def test_rows_beyond_the_most_are_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(summary, "MOST_ROWS", 100)
    write_bake_page(tmp_path / "bake.html", rows(1000), title="night")
    page = (tmp_path / "bake.html").read_text()
    assert len(data(page)) == 100 and "100 of 1,001 rows" in page and "1,000" in page


def test_the_worst_are_drawn_beside_their_sources(tmp_path):
    picture, asset = tmp_path / "small.png", tmp_path / "small.nsh"
    Image.new("RGB", (24, 16), "teal").save(picture)
    neuralshade.fit_image(picture, asset, steps=2, options=FitOptions(engine="torch"))
    made = [Row("small", "image", asset.name, MADE, psnr_db=20.0, asset_bytes=1),
            Row("gone", "image", "gone.nsh", MADE, psnr_db=21.0, asset_bytes=1)]  # fmt: skip
    subjects = {"small": (str(picture),), "gone": (str(picture),)}
    write_bake_page(tmp_path / "bake.html", made, title="night", folder=asset.parent,
                    subjects=subjects)  # fmt: skip
    page = (tmp_path / "bake.html").read_text()
    assert page.count('<img src="data:image/webp') == 2 and page.count("not drawn") == 1


@pytest.mark.parametrize("count, text", [(0, "0 bytes"), (999, "999 bytes"), (1250, "1.25 kB"),
                                         (4e10, "40 GB"), (5e18, "5e+03 PB")])  # fmt: skip
def test_sizes_have_units(count, text):
    assert size_text(count) == text


@pytest.mark.slow  # a browser starts
def test_the_table_sorts_filters_and_grows(tmp_path, browser):
    write_bake_page(tmp_path / "bake.html", rows(500), title="night")
    page = browser.new_page()
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto((tmp_path / "bake.html").as_uri())
    lines = page.locator("#rows tbody tr")
    assert lines.count() == 200 and lines.first.inner_text().startswith(NASTY)
    page.click("#more")
    assert lines.count() == 400
    page.click("#rows th:nth-child(5) button")
    page.click("#rows th:nth-child(5) button")
    assert lines.first.inner_text().split("\t")[4] == "1,499"
    page.fill("#search", "wall0000")
    assert lines.count() == 10 and page.inner_text("#found") == "10 rows"
    assert faults == []
