"""measure/curves: training curves as SVG for the page."""

import itertools
import math
import re
import xml.etree.ElementTree

import numpy as np
import pytest

from neuralshade.measure.curves import MOST_POINTS, curve_charts

SVG = "{http://www.w3.org/2000/svg}"
CURVE = [(step, step * 0.01, 1 / step, 20 + math.log10(step)) for step in (1, 10, 100, 1000)]


@pytest.fixture(scope="module")
def charts():
    return curve_charts(CURVE)


def line_of(svg):
    """Return the points of the curve in SVG units: the whole line drawn in the accent color."""
    root = xml.etree.ElementTree.fromstring(svg)
    (path,) = [
        p.get("d")
        for p in root.iter(f"{SVG}path")
        if re.search(r"fill: none; stroke: var\(--accent\)", p.get("style", ""))
    ]
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def texts_of(svg):
    root = xml.etree.ElementTree.fromstring(svg)
    return ["".join(t.itertext()).strip() for t in root.iter(f"{SVG}text")]


def test_all_four_charts(charts):
    assert [title for title, _ in charts] == [
        "PSNR against seconds",
        "PSNR against steps",
        "loss against seconds",
        "loss against steps",
    ]
    for (_, svg), labels in zip(
        charts,
        [
            {"PSNR [dB]", "seconds of training", "0.1", "10", "23.00 in the file"},
            {"PSNR [dB]", "steps", "1", "1,000", "23.00 in the file"},
            {"loss", "seconds of training", "0.1", "10", "0.001"},
            {"loss", "steps", "1", "1,000", "0.01", "0.001"},
        ],
        strict=True,
    ):
        assert labels <= set(texts_of(svg))


def test_a_line_of_losses_is_broken_where_another_loss_begins():
    curve = [(step, step * 0.1, loss, 20.0 + step) for step, loss in
             [(1, 1.0), (2, 0.5), (4, 0.2), (6, 0.1), (8, 0.09), (10, 0.4)]]  # fmt: skip
    charts = curve_charts(curve, breaks=[4, 8])
    pieces = [re.findall(r"fill: none; stroke: var\(--accent\); stroke-width: 1.6", svg)
              for _, svg in charts]  # fmt: skip
    assert [len(found) for found in pieces] == [1, 1, 3, 3]
    assert curve_charts(curve, breaks=[]) == curve_charts(curve)


@pytest.mark.parametrize("chart", range(4))
def test_axes_are_logarithmic(charts, chart):
    points = line_of(charts[chart][1])
    apart = chart < 2  # the last PSNR, which is the file's
    assert len(points) == 4 - apart
    for axis in (0, 1):  # equal factors in the data are equal distances, in both axes here
        gaps = [after[axis] - before[axis] for before, after in itertools.pairwise(points)]
        assert gaps == pytest.approx([gaps[0]] * (3 - apart), abs=0.01)
        assert abs(gaps[0]) > 10


def test_colors_come_from_the_page(charts):
    for _, svg in charts:
        assert not re.findall(r"#[0-9a-f]{6}", re.sub('href="[^"]*"|url[^)]*', "", svg))
        assert "currentColor" in svg
        assert svg.startswith("<svg")


def test_the_number_of_the_file_is_no_point_of_the_line():
    """A search after the last step made it: the line ends where steps did."""
    searched = [*CURVE, (1000, 10.5, 0.001, 23.7)]
    ours, losses = curve_charts(searched)[:2], curve_charts(CURVE)[2:]
    for (_, svg), (_, whole) in zip(ours, losses, strict=True):
        assert len(line_of(svg)) == len(line_of(whole)) == 4
        assert "23.70 in the file" in texts_of(svg) and "stroke-dasharray" in svg
        assert "in the file" not in whole and "stroke-dasharray" not in whole


def test_the_last_number_is_not_on_the_curve():
    """Losses waver: whatever is among them has a line through it."""
    wavering = [(s, s * 0.1, (1 + s % 5) / s, None) for s in range(1, 200)]
    for _, svg in curve_charts(wavering):
        root = xml.etree.ElementTree.fromstring(svg)
        (told,) = [t for t in root.iter(f"{SVG}text") if t.text == f"{wavering[-1][2]:.3g}"]
        assert float(told.get("y") or re.findall(r"-?[\d.]+", told.get("transform"))[-1]) < min(
            y for _, y in line_of(svg)
        )


def test_a_curve_that_was_not_measured_in_the_end_has_no_file_s_number():
    curve = [*CURVE, (2000, 20.0, 0.0005, None)]
    assert all("in the file" not in svg for _, svg in curve_charts(curve))


def test_points_without_psnr_still_have_a_loss():
    charts = curve_charts([(*point[:3], None) for point in CURVE])
    assert [title for title, _ in charts] == ["loss against seconds", "loss against steps"]


def test_what_a_log_axis_cannot_show_is_left_out(charts):
    between = [(200, 2.0, math.nan, None), (300, 3.0, 0.0, math.inf)]
    curve = [(0, 0.0, 0.5, 9.0), *CURVE[:3], *between, *CURVE[3:]]
    for (_, svg), (_, clean) in zip(curve_charts(curve), charts, strict=True):
        assert line_of(svg) == line_of(clean)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_points_give_no_chart(count):
    assert curve_charts(CURVE[:count]) == []


def test_long_curves_are_thinned_along_the_log_axis():
    jagged = 1 + 0.5 * np.random.default_rng(0).random(50_000)
    curve = [(s, s * 1e-3, float(j) / s, None) for s, j in enumerate(jagged, start=1)]
    _, (_, svg) = curve_charts(curve)
    points = line_of(svg)
    assert MOST_POINTS / 2 < len(points) <= MOST_POINTS
    middle = (points[0][0] + points[-1][0]) / 2  # step 224 of 50,000
    assert 0.3 < sum(x < middle for x, _ in points) / len(points) < 0.5
    assert f"{curve[-1][2]:.3g}" in texts_of(svg)  # the last point is kept


def test_equal_curves_give_equal_bytes(charts):
    assert curve_charts(list(CURVE)) == charts
