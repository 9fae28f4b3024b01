"""kinds/textures/report: one page that holds everything that was measured of a set."""

import base64
import dataclasses
import html
import io
import re
import shutil

import numpy as np
import pytest
from PIL import Image

import neuralshade
from neuralshade.errors import AssetError, OutputError
from neuralshade.kinds.textures import report as module
from neuralshade.kinds.textures.charts import mips_chart, rate_chart
from neuralshade.kinds.textures.figures import close_up
from neuralshade.kinds.textures.report import report_textures
from neuralshade.kinds.textures.verdict import points, verdict
from neuralshade.measure.texture_rivals import TextureRival

CURVE = [[20, 0.5, 0.05, 12.0], [40, 1.0, 0.03, None], [60, 1.5, 0.02, 17.0]]


@pytest.fixture(scope="module")
def found(compared):
    return compared


@pytest.fixture(scope="module")
def page(moss, found, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "moss.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "compare", lambda *given: found)
        patch.setitem(moss.opened.header.training, "curve", CURVE)
        report_textures(moss.opened, moss.textures, path, [("Engine", "<torch> on CPU")])
    return path.read_text()


def words(text):
    """Return what a reader sees of a page."""
    body = re.sub(r"<(style|script|title).*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def pictures(text):
    """Return the pictures of a page by their titles: uint8 [h, w, 3]."""
    found = re.findall(r'<img src="data:image/webp;base64,([^"]+)"[^>]* alt="([^"]*)"', text)
    return {
        name: np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))) for data, name in found
    }


def test_sections(page):
    sections = re.findall(r'<section id="([\w-]+)"', page)
    assert sections == ["spheres", "table", "maps", "mips", "curves", "latents", "notes", "facts"]
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)
    assert len(page) < 6_000_000


@pytest.mark.slow
def test_one_look_is_no_curve(moss, found, tmp_path, monkeypatch):
    """How often a fit is looked at depends on the machine: a fast one may know its end alone."""
    monkeypatch.setattr(module, "compare", lambda *given: found)
    monkeypatch.setitem(moss.opened.header.training, "curve", CURVE[-1:])
    report_textures(moss.opened, moss.textures, tmp_path / "moss.html")
    text = (tmp_path / "moss.html").read_text()
    assert 'id="latents"' in text
    assert 'id="curves"' not in text


def test_head_and_notes(moss, page, found):
    seen = words(page)
    size = moss.path.stat().st_size
    for text in ("moss 24 x 16 texels, 5 mips; 6 maps in 11 channels: albedo, normal, roughness",
                 f"On disk {size:,} bytes", f"Mean PSNR of the maps {found.ours.mean_psnr_db:.2f}",
                 f"L1, lit {found.lit['neuralshade']:.4f}",
                 *verdict(found), "moss: found under a stone.",
                 "The same everywhere, and in none of the numbers: metallic.",
                 "<torch> on CPU", "2 hidden layers of 64 neurons", "60 steps"):  # fmt: skip
        assert text in seen, text


def test_maps_as_they_are(found, page):
    """A set this small is not reduced: pictures on the page are its texels."""
    shown = pictures(page)
    for name in ("albedo", "normal", "emissive"):
        given, decoded = found.target.levels[name][0], found.decoded[name][0]
        np.testing.assert_array_equal(shown[f"{name}, reference"], given)
        np.testing.assert_array_equal(shown[f"{name}, as decoded"], decoded)
        error = 8.0 * np.abs(given.astype(int) - decoded)
        np.testing.assert_allclose(shown[f"{name}, error"], error.clip(0, 255), atol=1)
    assert shown["flow, reference"].shape == (16, 24, 3)
    np.testing.assert_array_equal(shown["roughness, mip 1, as decoded"][..., 0],
                                  found.decoded["roughness"][1][..., 0])  # fmt: skip


def test_close_up_is_the_worst_square(found):
    rng = np.random.default_rng(0)
    given = rng.integers(100, 140, (200, 300, 1), np.uint8)
    ours = given.copy()
    ours[96:192, 192:288] += 9
    maps = dataclasses.replace(found.target, levels={"height": [given]}, normals=frozenset())
    rivals = [dataclasses.replace(found.ours, maps={"height": ours})]
    place, rows = close_up(dataclasses.replace(found, target=maps, rivals=rivals))
    assert place == "at x 192, y 96"
    assert [(name, [p.title for p in shown]) for name, shown in rows] == [
        ("height", ["Reference: height", "neuralshade: height"])
    ]
    assert rows[0][1][0].width == 96
    assert close_up(found) == ("", [])


def way(name, size, quality, random):
    maps = {} if quality is None else {"a": np.zeros((1, 1, 1), np.uint8)}
    psnr_db = {} if quality is None else {"a": quality}
    return TextureRival(name, size, 4 * size, "rgba8", random, 0.1, "", maps, psnr_db)


def test_verdicts_are_true_whichever_way_they_fall(found):
    def said(*rivals):
        ours = way("neuralshade", 1000, 35.0, True)
        return verdict(dataclasses.replace(found, rivals=[ours, *rivals], sphere=None))

    assert said(way("BC7", 4000, 40.5, True), way("half", 900, 33.0, True)) == [
        "In BC7 the set takes 400 % of the bytes and has 40.50 dB, 5.50 dB more.",
        "In half the set takes 90 % of the bytes and has 33.00 dB, 2.00 dB less.",
    ]
    why = ("no shader reads it in place: all of it is decoded and its mips are made first, into "
           "3,996 bytes of textures. Of this set 4,000 bytes are in memory, and any texel of any "
           "mip is decoded by itself.")  # fmt: skip
    avif, webp = way("AVIF", 999, 36.0, False), way("WebP", 998, 35.5, False)
    impossible = way("JPEG", 0, None, False)
    assert said(webp, impossible, avif) == [
        "On disk alone, AVIF and WebP keep mip 0 better in as many bytes: AVIF has 36.00 dB, "
        f"1.00 dB more. But {why}"
    ]
    assert said(way("AVIF", 999, 35.0, False)) == [
        "No picture file that was tried keeps mip 0 better in as many bytes: AVIF, the best, has "
        f"35.00 dB, the same. And {why}"
    ]
    assert said(impossible) == []


def test_of_files_the_one_that_is_closest_when_lit_is_named(found):
    grey = np.full((32, 32, 3), 0.5, np.float32)
    rivals = [way("neuralshade", 1000, 35.0, True), way("AVIF", 999, 36.0, False),
              way("JPEG", 999, 34.0, False)]  # fmt: skip
    spheres = {"neuralshade": grey + 0.02, "AVIF": grey + 0.1, "JPEG": grey}
    lit = dataclasses.replace(found, rivals=rivals, sphere=grey, spheres=spheres)
    said = ("On a lit sphere, beside one of the original maps, the FLIP of this set is "
            f"{lit.flip_of('neuralshade'):.4f}, and that of JPEG, the closest of these picture "
            "files there, ")  # fmt: skip
    assert verdict(lit)[-1].endswith(f" {said}0.0000; lower is closer.")


def test_charts(found):
    drawn = rate_chart(points(found))
    for name, _, quality, _ in points(found):
        assert f"{name}, {quality:.1f}" in drawn
    lines = {"a $b$ $": [30.0, 40.0, 99.0], "_b": [31.0], **{str(i): [1.0] for i in range(14)}}
    drawn = mips_chart(lines)
    assert "a $b$ $" in drawn and ">mip<" in drawn


BLOCKS, HALF = ("BC7, BC5, BC4", 4_893_448, 46.84, True), ("half size", 1_223_432, 32.05, True)
BARK = [  # as measured, and as they might be
    [("neuralshade", 710_541, 31.17, True), BLOCKS, HALF, ("JPEG", 703_410, 33.69, False),
     ("WebP", 706_770, 35.15, False), ("AVIF", 667_934, 35.50, False)],
    [("neuralshade", 710_541, 36.0, True), BLOCKS, HALF, ("JPEG", 703_410, 33.7, False),
     ("WebP", 706_770, 35.15, False), ("AVIF", 667_934, 35.5, False)],
    [HALF, *[(str(i), 1_223_432 + i, 32.0, False) for i in range(9)]],
]  # fmt: skip


@pytest.mark.parametrize("drawn", BARK)
def test_labels_of_a_chart_lie_on_nothing(drawn):
    """Neither on another label nor on a point's mark, whosever it is."""
    svg = rate_chart(drawn)
    marks = re.findall(r'<use xlink:href="#\w+" x="([\d.]+)" y="([\d.]+)"', svg)[-len(drawn) :]
    texts = re.findall(r'text-anchor: (\w+)[^"]*" x="([\d.]+)" y="([\d.]+)" transform="[^"]+">'
                       r"([^<]+, [\d.]+)</text>", svg)  # fmt: skip
    assert len(texts) == len(marks) == len(drawn)
    wide = 4.5  # points a letter of 8.5, the narrow ones counted in
    boxes = []
    for anchor, x, y, text in texts:
        left = float(x) - (wide * len(text) if anchor == "end" else 0)
        boxes.append((left, float(y) - 6, left + wide * len(text), float(y)))
    boxes += [(float(x) - 2, float(y) - 2, float(x) + 2, float(y) + 2) for x, y in marks]
    for i, a in enumerate(boxes):
        assert a[0] >= 0 and a[2] <= 446.4 and a[1] >= 0 and a[3] <= 259.2
        for b in boxes[i + 1 :] if i < len(texts) else ():  # marks may lie on marks
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


def test_written_nowhere(moss, tmp_path):
    copy = tmp_path / "moss.nsh"
    shutil.copyfile(moss.path, copy)
    with pytest.raises(OutputError):
        neuralshade.report(copy, moss.textures, copy)
    few = dataclasses.replace(moss.textures, maps=moss.textures.maps[:2])
    with pytest.raises(AssetError, match="got no roughness map"):
        neuralshade.report(copy, few, tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["moss.nsh"]
