"""fitting/job, measure/warning_facts: warnings of a fit lead the report of every kind."""

import html

import pytest

import neuralshade
from neuralshade.fitting.options import FitOptions
from neuralshade.measure.plane.plane_view import PlaneView
from neuralshade.measure.warning_facts import split_warnings, warning_facts

PARTS = {"judging.report.SPHERE_PX": 24, "judging.report.PLANE_PX": 24, "judging.judge.SIDE_PX": 24,
         "judging.measures.PAIRS": 256, "judging.measures.PLACES": 64}  # fmt: skip
SMALL_PLANE = PlaneView(width=24, height=12)
REPORTED = ("image", "splats", "textures", "material", "mipmaps")


def warned(page):
    """Return the warnings that a page has before its first picture."""
    top = page.read_text().partition("<img")[0].partition('id="warnings"')[2].partition("</ul>")[0]
    return tuple(html.unescape(line.partition("</li>")[0]) for line in top.split("<li>")[1:])


@pytest.mark.parametrize("kind", REPORTED)
def test_what_a_fit_warned_of_is_in_its_report(kind, small_kinds, monkeypatch, tmp_path):
    monkeypatch.setattr(PlaneView, "showing", lambda base: SMALL_PLANE)
    for place, size in PARTS.items():
        monkeypatch.setattr(f"neuralshade.kinds.material.{place}", size)
    small, page = small_kinds[kind], tmp_path / "page.html"
    settings = {**small.settings, "steps": 12}
    output = tmp_path / ("x" if kind == "mipmaps" else "x.nsh")  # a folder: levels have files
    result = getattr(neuralshade, f"fit_{kind}")(
        small.subject, output, options=FitOptions(report=page), **settings
    )
    assert any("below what it comes to" in line for line in result.warnings)
    assert warned(page) == result.warnings


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["image", "splats", "textures"])
def test_a_later_report_derives_that_few_steps_were_run(kind, tmp_path, small_kinds):
    small, page = small_kinds[kind], tmp_path / "page.html"
    fit = getattr(neuralshade, f"fit_{kind}")
    result = fit(small.subject, tmp_path / "x.nsh", **small.settings)
    neuralshade.report(result.asset, small.subject, page)
    cut_off = "are usual", "One that ends by itself"
    told = tuple(line for line in result.warnings if any(words in line for words in cut_off))
    assert warned(page) == told != ()


def test_a_later_report_of_what_went_on_from_an_asset_warns_of_nothing(tmp_path, small_kinds):
    """Few steps more are no fit that was cut off."""
    small, page = small_kinds["image"], tmp_path / "page.html"
    first = neuralshade.fit_image(small.subject, tmp_path / "x.nsh", **small.settings)
    options = FitOptions(resume=first.asset)
    more = neuralshade.fit_image(small.subject, tmp_path / "y.nsh", options=options, steps=2)
    neuralshade.report(more.asset, small.subject, page)
    assert warned(page) == ()


def test_facts_without_warnings_make_none_and_a_note_is_not_said_twice():
    assert split_warnings({"facts": [("Engine", "gpu")]})["warnings"] == []
    content = {"facts": [("Engine", "gpu"), *warning_facts(["worse"])], "notes": ["worse", "kept"]}
    assert split_warnings(content) == {
        "facts": [("Engine", "gpu")], "notes": ["kept"], "warnings": ["worse"],
    }  # fmt: skip
