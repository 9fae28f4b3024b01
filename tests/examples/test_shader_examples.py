"""examples/shader, its two pages of docs: each task finds what it is there to find."""

import importlib
import pathlib
import re
from contextlib import contextmanager

import numpy as np
import pytest

import neuralshade
from neuralshade.measure.quality import psnr_db

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "examples/shader"
PAGE, EXAMPLES_PAGE = ROOT / "docs/shader.md", ROOT / "docs/shader-examples.md"
pytestmark = pytest.mark.usefixtures("one_device")
TASKS = sorted(FOLDER.glob("*.slang"))
SMALL = {
    "nine_parameters": ["--steps", "20"],
    "tone_curve": ["--steps", "20"],
    "spherical_harmonics": ["--steps", "20"],
    "learned_mip": ["--steps", "20"],
    "brdf_network": ["--steps", "5"],
}
SMALLER = {"spherical_harmonics": {"SHOWN_PX": 48}, "brdf_network": {"SIZE_PX": (180, 90)}}


@contextmanager
def example(name):
    """Give the example's module; it imports its neighbor by name, as a script does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield importlib.import_module(name)


@pytest.fixture
def asset(tmp_path):
    return tmp_path / "a.nsh"


def photo(rng):
    """Return a picture that holds every tone of every channel: float32 [24, 40, 3]."""
    ramp = np.linspace(0, 1, 24 * 40)
    return np.float32(np.stack([rng.permutation(ramp) for _ in range(3)], 1).reshape(24, 40, 3))


@pytest.mark.slow
def test_nine_parameters_are_found_again(device, asset):
    with example("nine_parameters") as nine:
        target = nine.drawn(nine.DISCS, 96)
        found = nine.fit(nine.given(target), asset, 300).members["discs"]
        drawn = neuralshade.render(asset, values=nine.given(target), size=(96, 96))
    np.testing.assert_allclose(found, nine.DISCS, atol=2e-4)  # a fiftieth of a pixel
    assert psnr_db(target, drawn) > 60


@pytest.mark.slow
def test_a_grade_is_found_from_one_picture(device, asset):
    with example("tone_curve") as tone:
        original = photo(np.random.default_rng(0))
        target = tone.graded(original)
        members = tone.fit(tone.pictures(original, target), asset, 400).members
        given = tone.pictures(original, target)
        drawn = neuralshade.render(asset, values=given, size=(40, 24))
        # the same curves on a picture that the fit has not seen
        other = photo(np.random.default_rng(1))[:20]
        values = {**given, "original": neuralshade.picture_from_array(other)}
        regraded = neuralshade.render(asset, values=values, size=(40, 20))
    assert psnr_db(target, original) < 30
    assert psnr_db(target, drawn) > 50
    assert psnr_db(tone.graded(other), regraded) > 50
    assert (members["rise"] >= 0).all()
    white = members["black"] + members["rise"].sum(axis=0)
    np.testing.assert_allclose(white, tone.graded(np.ones(3)), atol=0.01)


@pytest.mark.slow
def test_a_light_is_found_as_least_squares_finds_it(device, asset):
    with example("spherical_harmonics") as harmonics:
        target = harmonics.ball(32)
        found = harmonics.fit(harmonics.given(target), asset, 1000).members["light"]
        best = harmonics.least_squares(target)
        quality, highest = (harmonics.quality_db(target, light) for light in (found, best))
        drawn = neuralshade.render(asset, values=harmonics.given(target), size=(32, 32))
        _, seen = harmonics.normals(32)
    assert 30 < highest < 60  # nine colors are not the whole light
    assert quality > highest - 0.2
    np.testing.assert_allclose(drawn[seen], harmonics.basis(32) @ found, atol=1e-4)  # float32
    assert not drawn[~seen].any()


@pytest.mark.slow
def test_a_learned_mip_has_less_error_than_the_box_filter(device, asset):
    with example("learned_mip") as mip:
        values = mip.given(*mip.surface(64))
        boxed = mip.held_out(values, asset)
        members = mip.fit(values, asset, 300).members
        learned = mip.held_out({**values, **members}, asset)
    assert boxed > 0.1
    assert learned < 0.55 * boxed
    assert members["mip_roughness"].mean() > values["mip_roughness"].mean()  # bumps became gloss


@pytest.mark.slow  # trains until it is as good as the page says
def test_a_network_stands_for_a_brdf(device, asset):
    with example("brdf_network") as brdf:
        first = brdf.held_out({}, asset)
        result = brdf.fit(asset, 400, threads=1024)
        balls = brdf.balls_db(neuralshade.render(asset, size=(160, 80)))
        error = brdf.held_out(result.members, asset)
    assert first > 0.5
    assert error < 0.065
    assert balls > 28


# what the others train is found again above; brdf_network's kernels are large
SCRIPTS = [
    name
    if name in ("tone_curve", "spherical_harmonics")
    else pytest.param(name, marks=pytest.mark.slow)
    for name in SMALL
]
# those of the largest kernels; what they are made of is checked in kinds/shader/test_gradients.py
CHECKED = [
    pytest.param(task, marks=pytest.mark.slow)
    if task.stem in ("brdf_network", "learned_mip")
    else task
    for task in TASKS
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_runs_and_shows(device, name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [f"{name}.py", *SMALL[name], "--picture", "shown.png"])
    with example(name) as script:
        for constant, value in SMALLER.get(name, {}).items():
            monkeypatch.setattr(script, constant, value)
        script.main()
    assert "steps/s on " in capsys.readouterr().out
    shown = neuralshade.load_picture("shown.png").as_float()
    assert shown.std() > 0.05  # not one color
    asset = tmp_path / f"out/{name}.nsh"
    monkeypatch.chdir(FOLDER)  # elsewhere: what it was given lies beside it
    assert np.isfinite(neuralshade.evaluate(asset)[0]["loss"])


def inputs(name):
    """Return values and threads with which a task's derivatives are compared."""
    with example(name) as module:
        if name == "nine_parameters":
            return module.given(module.drawn(module.DISCS, 32)), "32x32"
        if name == "tone_curve":
            original = photo(np.random.default_rng(0))
            return module.pictures(original, module.graded(original)), "32x32"
        if name == "spherical_harmonics":
            return module.given(module.ball(16)), "16x16"
        if name == "learned_mip":
            return module.given(*module.surface(32)), "8x8x4"
    return {}, "16x16"


@pytest.mark.slow
@pytest.mark.parametrize("task", CHECKED, ids=lambda task: task.stem)
def test_the_derivatives_are_right(device, task):
    values, threads = inputs(task.stem)
    rows = neuralshade.check_gradients(task, values=values, threads=threads)
    assert rows and all(row.numbers >= 3 for row in rows)
    assert [(row.member, row.verdict) for row in rows if row.verdict != "right"] == []


def test_the_page_shows_the_examples():
    page = EXAMPLES_PAGE.read_text()
    shown = re.findall(r"```slang\n(// (\w+)\.slang.*?\n)(.*?)```", page, re.DOTALL)
    assert [name for _, name, _ in shown] == list(SMALL)
    for title, name, text in shown:
        written = (FOLDER / f"{name}.slang").read_text()
        assert text in written if "in part" in title else title + text == written, name
    for picture in re.findall(r"\]\((images/\S+)\)", page):
        assert (EXAMPLES_PAGE.parent / picture).is_file()
    assert len(TASKS) == len(SMALL)


def test_the_learned_mip_has_forty_lines():
    """Not counted: blank ones, comments and lone braces."""
    lines = (FOLDER / "learned_mip.slang").read_text().splitlines()
    counted = [line for line in lines if not re.fullmatch(r"\s*(//.*|[{}]*)", line)]
    assert f"That is {len(counted)} lines without" in EXAMPLES_PAGE.read_text()
    assert len(counted) <= 40


@pytest.fixture
def others():
    """Return the tasks of the page that are no examples: the smallest, and one with encodings."""
    blocks = re.findall(r"```slang\n(.*?)```", PAGE.read_text(), re.DOTALL)
    smallest, encoded = (block for block in blocks if block.startswith("import "))
    return smallest, encoded


@pytest.mark.slow
def test_the_smallest_task_of_the_page_runs(device, asset, tmp_path, others):
    task = tmp_path / "task.slang"
    task.write_text(others[0])
    values = {"photo": neuralshade.picture_from_array(np.full((3, 5, 3), 0.25, np.float32))}
    found = neuralshade.fit_shader(task, asset, values=values, threads="8x8", steps=400).members
    np.testing.assert_allclose(found["tint"], 0.25, atol=1e-3)


@pytest.mark.slow  # large kernels; encodings are trained in kinds/shader/test_fit.py
def test_the_task_with_encodings_of_the_page_runs(device, asset, tmp_path, others):
    task = tmp_path / "task.slang"
    task.write_text(others[1])
    ramp = np.float32(np.linspace(0, 1, 12 * 16 * 3)).reshape(12, 16, 3)
    values = {"photo": neuralshade.picture_from_array(ramp)}
    found = neuralshade.fit_shader(task, asset, values=values, threads="16x16", steps=200)
    assert found.loss < 0.01 and found.members["grid"].size == 2 * (
        5 * 5 + 11 * 11 + 26 * 26 + 1024
    )
