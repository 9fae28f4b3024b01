"""kinds/material/judging/report.py: the page of a small fit."""

import re

import pytest
from fixtures.small_material import paint_reference

import neuralshade
from neuralshade import FitOptions
from neuralshade.errors import AssetError
from neuralshade.kinds.material.fit import fit_material
from neuralshade.kinds.material.judging.report import speed_cells
from neuralshade.measure.table import Table


@pytest.fixture(scope="module")
def page(tmp_path_factory, share_device):
    """Give the page that a fit was asked for, and its asset."""
    folder = tmp_path_factory.mktemp("page")
    with pytest.MonkeyPatch.context() as patch:
        share_device(patch)
        patch.setattr("neuralshade.kinds.material.judging.judge.SIDE_PX", 32)
        patch.setattr("neuralshade.kinds.material.judging.measures.PAIRS", 1024)
        patch.setattr("neuralshade.kinds.material.judging.mip_judge.FOOTPRINTS", 512)
        for name in ("SPHERE_PX", "PLANE_PX"):
            patch.setattr(f"neuralshade.kinds.material.judging.report.{name}", 24)
        result = fit_material(paint_reference(), folder / "paint.nsh", steps=4, size=8, batch=256,
                              options=FitOptions(report=folder / "paint.html"))  # fmt: skip
    return result, (folder / "paint.html").read_text(), neuralshade.load(folder / "paint.nsh")


@pytest.mark.slow
def test_it_shows_material_network_and_difference_six_times(page):
    _, text, _ = page
    captions = re.findall("<figcaption>([A-Z][a-z]+)</figcaption>", text)
    assert captions == ["Material", "Network", "Difference"] * 6
    assert text.count("<img") == 3 * 6 + 3  # and the feature map, three numbers a picture
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)  # it loads nothing


def test_it_tells_highlights_beside_psnr(page):
    result, text, _ = page
    told = re.findall(r"<dt>(.*?)</dt><dd>([\d.]+)", text)
    assert told[0] == ("PSNR, single lights", f"{result.psnr_db:.2f}")
    assert told[1] == ("L1 around highlights", f"{result.highlight_l1:.3f}")


def test_it_says_what_smape_and_albedo_are_and_why_tables_differ(page):
    _, text, _ = page
    for told in ("SMAPE: mean of |x - y| / (x + y + 0.01)", "Above 1 a surface gives back more",
                 "of directions as training draws them"):  # fmt: skip
        assert text.replace("&#39;", "'").count(told) == 1


def test_no_row_of_measures_is_marked_as_ours(page):
    """The mark is for tables in which the asset stands beside others."""
    _, text, _ = page
    assert "first-child td { background" not in text and '<tr class="ours">' not in text
    assert re.findall(r'<table class="([^"]*)"', text) == ["measures"] * 2


WORTH = {"psnr_db": 31.0, "l1_highlight": 0.2, "memory_bytes": 4096, "level_error": 0.125}


def timed(what, plane, scattered, **worth):
    return {"what": what, "plane_us": {"1": plane}, "scattered_us": {"1": scattered}, **worth}


@pytest.mark.slow
def test_a_page_of_what_was_timed_says_how_fast_each_way_is(
    page, tmp_path, one_device, monkeypatch
):
    rows = [timed("nothing", 10.0, 20.0), timed("material", 1500.0, 1200.0),
            timed("maps", 300.0, 400.0, **WORTH)]  # fmt: skip
    head, *cells = speed_cells(rows)
    assert head[1:3] == ("us, 1 light", "times as fast, 1 light")
    assert cells[0][1:] == ("10 / 20", "150.0 / 60.0", "-", "-", "-", "-")
    assert cells[2] == ("maps", "300 / 400", "5.0 / 3.0", "31.00", "0.200", "0.125", "4,096")
    assert speed_cells([]) == []

    lines = ("Speed on GPU:", "each way", "break-even: at 40", "Speed: told.")
    monkeypatch.setattr(
        "neuralshade.kinds.material.speed.summary.material_speed",
        lambda *_: Table(rows, lines=lines),
    )
    asset, out = page[0].asset, tmp_path / "timed.html"
    neuralshade.report(asset, paint_reference(), out, speed=True)
    text = out.read_text()
    assert "<td>300 / 400</td>" in text and "break-even: at 40" in text and "each way" not in text
    assert '<section id="speed">' not in page[1]


def test_another_material_is_refused(page, tmp_path, one_device):
    other = paint_reference()
    object.__setattr__(other, "name", "rust")
    with pytest.raises(AssetError, match="got rust, need paint"):
        page[2].report(other, tmp_path / "x.html")
    assert not list(tmp_path.iterdir())
