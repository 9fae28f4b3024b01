"""kinds/mipmaps/page: one page that holds everything that was measured of a mip chain."""

import base64
import dataclasses
import html
import io
import re

import numpy as np
import pytest
from PIL import Image

from neuralshade.errors import OutputError
from neuralshade.kinds.mipmaps import figures
from neuralshade.kinds.mipmaps.level_charts import level_chart
from neuralshade.kinds.mipmaps.page import MipmapsReport, write_mipmaps_report
from neuralshade.measure import display
from neuralshade.measure.curves import CSS_COLORS
from neuralshade.measure.display import error_scale, exposure_stops, on_screen
from neuralshade.measure.plane.lit_plane import draw_planes
from neuralshade.measure.plane.mip_filters import FILTERS, Maps, unit
from neuralshade.measure.plane.plane_view import PlaneView

NAMES = ("Trained", "Box", "Toksvig", "LEAN")
VIEW = PlaneView(width=64, height=36, tiles=4.0)


def sections(text):
    return re.findall(r'<section id="(\w+)"', text)


def words(text):
    """Return what a reader sees of a page."""
    body = re.sub(r"<(style|script|title).*?</\1>", " ", text, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())


def images(text):
    """Return the pictures of a page by their titles."""
    found = re.findall(r'<img src="data:image/webp;base64,([^"]+)"[^>]* alt="([^"]*)"', text)
    return [
        (name, np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))) for data, name in found
    ]


def rows_of(errors):
    return [
        {"symmetric": e, "relative": e / 2, "log": e / 4, "color": 0.97, "reference": 1.0}
        for e in errors
    ]


@pytest.fixture(scope="module")
def data():
    noise = np.random.default_rng(2)
    slope = noise.normal(0, 0.3, (32, 64, 2))
    normal = unit(np.concatenate([slope, np.ones((32, 64, 1))], axis=2).astype(np.float32))
    base = Maps(
        noise.random((32, 64, 3)).astype(np.float32),
        normal,
        noise.uniform(0.2, 0.7, (32, 64)).astype(np.float32),
        noise.random((32, 64)).astype(np.float32),
    )
    made = [make(base, 4) for make in (FILTERS["box"], *FILTERS.values())]
    chains = dict(zip(NAMES, made, strict=True))
    mirror = {
        "Trained": rows_of([0.01, 0.02, 0.03, 0.05]),
        "Box": rows_of([0.02, 0.04, 0.06, 0.04]),
        "Toksvig": rows_of([0.04, 0.08, 0.12, 0.2]),
        "LEAN": rows_of([0.1, 0.2, 0.3, 0.5]),
    }
    environment = {
        name: [{"symmetric": 0.1234, "color": 1.02, "reference": 1.0}] * 4 for name in NAMES
    }
    return MipmapsReport(
        title="bricks",
        base=base,
        chains=chains,
        trained="Trained",
        judged={"Near the mirror": mirror, "Environment": environment},
        planes=draw_planes(base, chains, VIEW),
        kept=["Trained", "Trained", "Trained", "Box"],
        directions={"Environment": "a sky of its own"},
        curve=[(1, 0.1, 0.3, None), (10, 1.0, 0.03, None), (100, 9.0, 0.003, None)],
        facts=[("Device", "llvmpipe")],
        notes=["normal: found to be OpenGL"],
        recipe={"pairs": 16},
    )


@pytest.mark.parametrize("most_px, sides", [(960, [64, 16]), (48, [48, 16])])
def test_planes_are_encoded_once_at_each_size(most_px, sides, data, monkeypatch):
    encoded = []

    def all_shown(pictures):
        encoded.append(pictures[0][2].shape[1])
        return display.all_shown(pictures)

    monkeypatch.setattr(figures, "all_shown", all_shown)
    monkeypatch.setattr(figures, "MOST_PX", most_px)
    monkeypatch.setattr(figures, "PLANES", ((64, 32, 16), 0))  # none can be small enough
    figures.plane_rows(data.planes, 0.0)
    assert encoded == sides


@pytest.fixture
def write(tmp_path):
    def written(data):
        path = tmp_path / "page.html"
        write_mipmaps_report(path, data)
        return path.read_text(encoding="utf-8")

    return written


def test_every_section_is_there(data, write):
    text = write(data)
    assert sections(text) == ["plane", "errors", "energy", "maps", "curves", "notes", "facts"]
    seen = words(text)
    for expected in (
        "64 x 32 texels and 4 levels below; Trained beside Box, Toksvig, LEAN",
        "Lights Trained / Box Trained / Toksvig Trained / LEAN Near the mirror 0.69 0.25 0.10 "
        "Environment 1.00 1.00 1.00 Ratios of symmetric errors, means over levels 1 to 4; below",
        "Level Texels Trained Box Toksvig LEAN Trained / best other Trained, bias Taken from",
        "1 32 x 16 0.0100 0.0200 0.0400 0.1000 0.50 0.970 Trained",
        "4 4 x 2 0.0500 0.0400 0.2000 0.5000 1.25 0.970 Box",
        "1 32 x 16 0.0050 0.0100 0.0200 0.0500 0.50 Trained",
        "a sky of its own",
        "Near the mirror Trained -3.0 % -3.0 % -3.0 % -3.0 %",
        "Environment Trained +2.0 % +2.0 % +2.0 % +2.0 %",
        "light from 30 degrees above it, 4 tiles along the lower edge",
        "with 1 tap along",
        "more than 11.5 degrees Trained ",
        "all of it Trained ",
        "normal: found to be OpenGL",
        "Device llvmpipe",
        '"pairs": 16',
    ):
        assert expected in seen
    assert seen.count("Relative error") == 1  # the environment has one measure only
    lowest = re.findall(r'<td class="(?:ours )?lowest">([\d.]+)</td>', text)
    assert lowest[:4] == ["0.0100", "0.0200", "0.0300", "0.0400"]


def test_planes_are_those_given(data, write):
    pictures = dict(images(write(data)))
    planes = data.planes
    stops = exposure_stops(planes.reference)
    seen = {
        name: on_screen(picture, 64, stops)
        for name, picture in {
            "What the pixels cover": planes.reference,
            "Shaded first, then filtered": planes.filtered,
            **planes.pictures,
        }.items()
    }
    for name, expected in seen.items():
        np.testing.assert_allclose(pictures[name], expected * 255, atol=0.51)
    filtered = seen["Shaded first, then filtered"]
    scale = max(error_scale(filtered, seen[name]) for name in NAMES)
    error = 0.5 + scale * (seen["LEAN"].astype(np.float64) - filtered)
    np.testing.assert_allclose(pictures["LEAN, difference"], error.clip(0, 1) * 255, atol=0.51)


def test_planes_are_judged_with_and_without_what_is_seen_from_low(data, write):
    planes, seen = data.planes, words(write(data))
    for area, first in (("all of it", VIEW.horizon), ("11.5 degrees", VIEW.first_row(11.5))):
        drawn, truth = planes.pictures["Trained"][first:], planes.reference[first:]
        error = (2 * np.abs(drawn - truth) / (drawn + truth + 0.01)).mean()
        drift = 100 * (drawn.mean() / truth.mean() - 1)
        told = re.escape(f"{error:.4f} {drift:+.1f} %")
        assert re.search(rf"{area} Trained \S+ \S+ \S+ {told}", seen)


def test_a_level_s_maps_stand_side_by_side(data, write):
    shown = images(write(data))[-16:]
    names = [
        f"{what}, {name}"
        for what in ("albedo", "normal", "roughness", "metallic")
        for name in ("Box", "Trained")
    ]
    assert [name for name, _ in shown] == names * 2  # levels 1 and 3: there is no 5
    assert [picture.shape for _, picture in shown] == [(16, 32, 3)] * 8 + [(4, 8, 3)] * 8
    normal = data.chains["Trained"][2].normal
    np.testing.assert_allclose(shown[11][1], (normal * 0.5 + 0.5) * 255, atol=0.51)
    for at, name in ((4, "roughness"), (6, "metallic")):
        texels = getattr(data.chains["Box"][0], name)
        np.testing.assert_allclose(shown[at][1][..., 0], texels * 255, atol=0.51)


def test_sections_without_data_are_left_out(data, write):
    bare = MipmapsReport("bare", data.base, {"Trained": data.chains["Trained"]}, "Trained",
                         {"all": {"Trained": data.judged["Environment"]["Trained"]}})  # fmt: skip
    text = write(bare)
    assert sections(text) == ["errors", "energy", "maps"]
    assert "best other" not in text
    assert "Taken from" not in text


def test_ratios_at_the_top_are_of_five_levels_at_most(data, write):
    """Below them few texels are left, and what lights they meet decides."""
    chains = {name: [*chain, *chain[-1:] * 4] for name, chain in data.chains.items()}
    errors = {"Trained": [0.1] * 8, "Box": [0.2] * 5 + [0.01] * 3}
    judged = {"all": {name: rows_of(errors.get(name, [0.4] * 8)) for name in NAMES}}
    page = write(dataclasses.replace(data, chains=chains, judged=judged, planes=None, kept=()))
    assert "all 0.50 0.25 0.25 Ratios of symmetric errors, means over levels 1 to 5" in words(page)


@pytest.mark.parametrize("stops, told", [
    (-0.04, "Shown with the sRGB curve."),
    (-1.26, "Shown with an exposure of -1.3 stops, then the sRGB curve."),
])  # fmt: skip
def test_no_exposure_is_told_where_there_is_none(data, write, monkeypatch, stops, told):
    monkeypatch.setattr("neuralshade.kinds.mipmaps.page.exposure_stops", lambda _: stops)
    assert told in words(write(data))


def test_the_error_is_explained_before_its_first_number(data, write):
    seen = words(write(data))
    assert seen.index("2 |x - y| / (x + y + 0.01)") < seen.index("Symmetric error PSNR beside")


def test_nothing_is_loaded_from_elsewhere_and_user_text_stays_text(data, write):
    evil = "<script>alert(1)</script>&\"'.png"
    text = write(dataclasses.replace(data, title=evil, notes=[evil], facts=[(evil, evil)]))
    assert "<script>alert" not in text and text.count("<script") == 1  # the page's own
    assert words(text).count(evil) == 4
    links = re.findall(r'(?:src|href)="([^"]*)"', text)
    assert all(link.startswith(("data:", "#")) for link in links)
    assert "@import" not in text


def test_a_line_for_each_chain():
    names = (*NAMES, "Kept")
    svg = level_chart({name: [0.1, 0.2] for name in names}, "Trained", "error")
    assert all(f">{name}<" in svg for name in names)
    assert all(f"stroke: {css}" in svg for css in CSS_COLORS.values())


def test_levels_without_an_error(data, write):
    row = {"symmetric": 0.0, "color": 1.0, "reference": 1.0}
    judged = {"all": {name: [row] * 4 for name in NAMES}}
    text = write(dataclasses.replace(data, judged=judged))
    dash = "\N{EN DASH}"
    assert f"all {dash} {dash} {dash} Ratios" in words(text)
    assert "1 32 x 16 0.0000 0.0000 0.0000 0.0000 1.00 1.000 Trained" in words(text)


def test_a_missing_folder_is_refused(data, tmp_path):
    with pytest.raises(OutputError):
        write_mipmaps_report(tmp_path / "missing" / "page.html", data)
