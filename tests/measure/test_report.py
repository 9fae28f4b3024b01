"""measure/report: one page that holds everything and loads nothing."""

import base64
import dataclasses
import html.parser
import io
import math
import re

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import ConfigError, OutputError, PictureError, ShapeError
from neuralshade.measure.display import error_scale
from neuralshade.measure.report import ReportData, write_report

VOID = {"meta", "link", "img", "input", "br"}


class Page(html.parser.HTMLParser):
    """What a page holds; asserts that its elements nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sections, self.images, self.links = [], [], [], []
        self.tags, self.texts = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        self.tags.append(tag)
        if tag == "section":
            self.sections.append(known["id"])
        if tag == "img" and "src" in known:
            self.images.append(known)
        self.links += [known[k] for k in ("src", "href", "xlink:href", "srcset") if k in known]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())


def pixels(image):
    data = base64.b64decode(image["src"].split(",")[1])
    return np.asarray(Image.open(io.BytesIO(data)))


@pytest.fixture
def data(noise):
    row, col = np.mgrid[0:120, 0:200].astype(np.float32)
    target = np.stack([col / 199, row / 119, 0.5 + 0.5 * np.sin(col / 9)], axis=2)
    result = (target + noise.normal(0, 0.02, target.shape)).clip(0, 1).astype(np.float32)
    row = {"bytes": 900, "bits_per_pixel": 0.3, "ssim": 0.9, "flip": None, "cropped": False}
    return ReportData(
        title="street.png",
        target=target,
        result=result,
        color_space="srgb",
        byte_count=12_345,
        facts=[("engine", "torch"), ("seconds", "20.1")],
        recipe={"loss": "l2", "network": {"hidden_width": 32}},
        curve=[(1, 0.1, 0.3, 10.0), (10, 1.0, 0.03, None), (100, 9.0, 0.003, 30.0)],
        curve_note="measured now and then",
        snapshots=[(1, target * 0.5), (1000, target)],
        grids=[("level 0", noise.normal(size=(8, 12, 5)).astype(np.float32))],
        table=[
            row | {"name": "neuralshade", "setting": "", "psnr_db": 34.567},
            row | {"name": "WebP", "setting": "lossless", "psnr_db": math.inf},
        ],
        rivals=[("WebP", target)],
    )


@pytest.fixture
def short(data):
    """Give what is looked at alone here: no curves, which take long to draw, nor the rest."""
    return dataclasses.replace(data, curve=[], snapshots=[], grids=[])


@pytest.fixture
def write(tmp_path):
    def written(data):
        path = tmp_path / "page.html"
        write_report(path, data)
        return path.read_text(encoding="utf-8")

    return written


def test_every_section_is_there(data, write):
    page = Page(write(data))
    assert page.sections == [
        "pictures", "close-up", "table", "wipe", "curves", "snapshots", "grids", "facts",
    ]  # fmt: skip
    names = [image["alt"] for image in page.images]
    assert names == [
        "Target", "Result", "Error", "Target", "Result", "WebP",
        "step 1", "step 1,000", "level 0, 12 x 8", "level 0, 12 x 8",
    ]  # fmt: skip
    mean_square = np.square(data.result.astype(np.float64) - data.target).mean()
    for words in (
        "200 x 120 pixels, 3 channels",
        f"PSNR {-10 * math.log10(mean_square):.2f} dB",
        "On disk 12,345 bytes, 4.12 bits per pixel",
        f"0.5 + {error_scale(data.target, data.result)} x (result - target)",
        "neuralshade 900 0.300 34.57 0.9000 \N{EN DASH}",
        "WebP lossless 900 0.300 \N{INFINITY} 0.9000 \N{EN DASH}",
        "engine torch seconds 20.1",
        '"network": { "hidden_width": 32 }',
        "measured now and then Snapshots",
        "red #0: ",
        "green #4: ",
    ):
        assert words in page.text
    assert page.tags.count("path") > 20  # the curves are drawn
    assert "Shown at" not in page.text
    assert "saw only the center" not in page.text


def test_the_pictures_are_those_given(short, write):
    images = Page(write(short)).images
    eight_bit = [np.rint(p * 255).astype(np.uint8) for p in (short.target, short.result)]
    assert np.array_equal(pixels(images[0]), eight_bit[0])
    assert np.array_equal(pixels(images[1]), eight_bit[1])
    scale = error_scale(short.target, short.result)
    error = 0.5 + scale * (short.result.astype(np.float64) - short.target)
    np.testing.assert_allclose(pixels(images[2]), error.clip(0, 1) * 255, atol=0.51)


def test_a_perfect_fit_is_pure_grey(short, write):
    page = Page(write(dataclasses.replace(short, result=short.target.copy())))
    assert np.all(pixels(page.images[2]) == 128)
    assert "PSNR \N{INFINITY} dB" in page.text


def test_the_close_up_is_where_the_error_is(short, write):
    result = short.target.copy()
    result[40, 150] += 0.5
    images = Page(write(dataclasses.replace(short, result=result))).images
    expected = np.rint(short.target[:96, 96:192] * 255).astype(np.uint8)
    assert np.array_equal(pixels(images[3]), expected)


def test_sections_without_data_are_left_out(data, write):
    bare = ReportData("bare", data.target[:50, :50], data.result[:50, :50], "srgb", 10)
    assert Page(write(bare)).sections == ["pictures", "wipe"]


def test_nothing_is_loaded_from_elsewhere(data, write):
    text = write(data)
    assert all(link.startswith(("data:", "#")) for link in Page(text).links)
    without_data = re.sub(r"data:[^\"]*", "", text)
    assert set(re.findall(r"\w+://[^\"\s]*", without_data)) == {
        "http://www.w3.org/2000/svg",  # names of XML dialects, which nobody loads
        "http://www.w3.org/1999/xlink",
    }
    assert set(re.findall(r"url\((.)", without_data)) == {"#"}
    assert "@import" not in text


def test_user_text_stays_text(data, write):
    evil = "<script>alert(1)</script>&\"'.png"
    row = dict(data.table[0]) | {"name": evil, "setting": evil}
    page = Page(
        write(
            dataclasses.replace(
                data,
                title=evil,
                facts=[(evil, evil)],
                recipe={evil: evil},
                grids=[(evil, data.grids[0][1])],
                table=[row],
                rivals=[(evil, data.target)],
            )
        )
    )
    assert page.tags.count("script") == 2  # ours
    assert (
        page.text.count(evil) == 9
    )  # title, heading, rival, row and its setting, two grids, a fact twice
    assert [image["alt"] for image in page.images].count(evil) == 1


@pytest.mark.slow
def test_large_pictures_keep_the_page_small(noise, write):
    target = noise.random((1300, 1700, 3)).astype(np.float32)  # noise: the worst to compress
    other = noise.random((1300, 1700, 3)).astype(np.float32)
    text = write(
        ReportData(
            title="noise",
            target=target,
            result=other,
            color_space="srgb",
            byte_count=1,
            curve=[(s, s / 9, float(noise.random()), None) for s in range(1, 9_000)],
            snapshots=[(2**s, target[:400, :400] * (s / 15)) for s in range(16)],
            grids=[(f"level {n}", other[: 2**n, : 2**n]) for n in range(4, 11)],
            rivals=[("JPEG", other), ("WebP", other), ("Thumbnail", other)],
        )
    )
    assert len(text) < 6_000_000
    page = Page(text)
    shown = pixels(page.images[0]).shape
    assert f"Shown at {shown[1]} x {shown[0]} of 1,700 x 1,300 pixels" in page.text
    assert "; reduced to " in page.text
    assert pixels(page.images[3]).shape == (96, 96, 3)  # the close-up is not reduced


def test_a_photograph_is_shown_at_1024_pixels(data, write):
    smooth = np.repeat(np.repeat(data.target, 10, axis=0), 10, axis=1)  # 2000 x 1200
    page = Page(write(ReportData("wide", smooth, smooth, "srgb", 10)))
    assert pixels(page.images[0]).shape == (614, 1024, 3)
    assert "Shown at 1,024 x 614 of 2,000 x 1,200 pixels" in page.text


def test_linear_pictures_say_how_they_are_shown(short, write):
    linear = dataclasses.replace(short, target=short.target * 40, color_space="linear")
    text = Page(write(linear)).text
    assert "linear; shown with an exposure of -5.3 stops, then the sRGB curve" in text
    assert "x (result - target) after tone mapping" in text


@pytest.mark.parametrize(
    "channels, names", [(1, []), (2, ["Error of alpha"]), (4, ["Error of alpha"])]
)
def test_other_channel_counts(channels, names, noise, write):
    target = noise.random((20, 30, channels)).astype(np.float32)
    result = target.copy()
    result[..., 0] = 0.5
    page = Page(write(ReportData("x", target, result, "srgb", 10)))
    assert [image["alt"] for image in page.images] == ["Target", "Result", "Error", *names]
    if names:
        assert np.all(pixels(page.images[3]) == 128)  # only the color differs


def test_a_cropped_measure_is_told(short, write):
    table = [dict(short.table[0]) | {"cropped": True}]
    assert (
        "SSIM and FLIP saw only the center"
        in Page(write(dataclasses.replace(short, table=table))).text
    )


def test_refusals_leave_no_file(data, tmp_path):
    path = tmp_path / "page.html"
    broken = data.result.copy()
    broken[5, 5] = math.nan
    cases = [
        (
            {"result": broken},
            PictureError,
            "write_report: got NaN or infinity in result, need finite values. Replace them first.",
        ),
        (
            {"snapshots": [(7, broken)]},
            PictureError,
            "write_report: got NaN or infinity in snapshot 7, need finite values. "
            "Replace them first.",
        ),
        (
            {"rivals": [("JPEG", data.target[1:])]},
            ShapeError,
            "write_report: got result [119, 200, 3], need [120, 200, 3]. "
            "Render it at the target's size.",
        ),
        (
            {"color_space": "hdr"},
            ConfigError,
            "write_report.color_space: got 'hdr', need one of ['srgb', 'linear']. "
            "HDR pictures are linear.",
        ),
    ]
    for change, kind, message in cases:
        with pytest.raises(kind) as caught:
            write_report(path, dataclasses.replace(data, **change))
        assert str(caught.value) == message
        assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_refused(short, tmp_path):
    with pytest.raises(OutputError):
        write_report(tmp_path / "missing" / "page.html", short)
