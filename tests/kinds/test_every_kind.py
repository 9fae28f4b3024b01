"""kinds: what holds of every one of the registry; a new one needs an entry in small_kinds."""

import dataclasses
import json
import signal

import numpy as np
import pytest

import neuralshade
from neuralshade import AssetError, FitInterrupted, FitOptions
from neuralshade.asset.asset import asset_file, read_asset, save_asset
from neuralshade.asset.file import write_asset_file
from neuralshade.errors import NeuralShadeError
from neuralshade.fitting.facts import result_facts
from neuralshade.fitting.options import FitOptions as Options
from neuralshade.kinds import KINDS, all_kinds, kind_named

FITTED = [kind.name for kind in all_kinds() if kind.fits is not None]
# a user's task is compiled by itself, which takes seconds
OF_A_PIXEL = [pytest.param(n, marks=pytest.mark.slow) if n == "shader" else n for n in KINDS]
# what it leaves on a GPU, or software Vulkan, whose sums have an order of their own every time
UNORDERED = ("splats", "shader")


@pytest.fixture
def small(small_kinds, request, name):
    """Return the small fit of a kind; those in Slang alone need a device."""
    if "engine" not in kind_named(name).takes:
        request.getfixturevalue("device")
    return small_kinds[name]


@pytest.mark.parametrize("name", KINDS)
def test_it_says_what_it_is(name):
    kind = kind_named(name)
    assert kind.name == name and kind.about.endswith(".") and "\n" not in kind.about
    assert kind.opened.kind is kind
    assert dataclasses.is_dataclass(kind.recipe)
    known = {field.name for field in dataclasses.fields(Options)}
    assert set(kind.takes) <= known
    if kind.fits is not None:
        assert callable(kind.fit) and kind.manual


@pytest.mark.parametrize("name", KINDS)
def test_assets_come_back_as_they_were_saved(tmp_path, small_kinds, name):
    asset = read_asset(small_kinds[name].asset)
    size = save_asset(tmp_path / "x.nsh", name, asset.header, asset.tensors, 10**6)
    again = read_asset(tmp_path / "x.nsh")
    assert (again.kind, again.header, again.byte_count) == (name, asset.header, size)
    assert again.tensors.keys() == asset.tensors.keys()
    for tensor, values in asset.tensors.items():
        np.testing.assert_array_equal(again.tensors[tensor], values)


@pytest.mark.parametrize("name", KINDS)
def test_facts_are_json_and_lines_are_text(small_kinds, name):
    opened = neuralshade.load(small_kinds[name].asset)
    facts = opened.facts()
    assert json.loads(json.dumps(facts)) == facts and facts["kind"] == name
    lines = opened.summary() | opened.tensor_summary()
    assert lines and all(isinstance(text, str) and "\n" not in text for text in lines.values())


@pytest.mark.parametrize("name", KINDS)
def test_corrupted_files_are_refused(tmp_path, small_kinds, name):
    """Every 997th byte changed, one at a time: the checksum tells."""
    whole, path = small_kinds[name].asset.read_bytes(), tmp_path / "x.nsh"
    for place in range(0, len(whole), 997):
        data = bytearray(whole)
        data[place] ^= 0x55
        path.write_bytes(data)
        with pytest.raises(AssetError):
            neuralshade.load(path)
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(AssetError):
        neuralshade.load(path)


@pytest.mark.parametrize("name", KINDS)
def test_headers_that_are_not_whole_are_refused(tmp_path, small_kinds, name):
    asset = read_asset(small_kinds[name].asset)
    for part in ("recipe", "training", "quality", *kind_named(name).opened.parts):
        file = asset_file(name, asset.header, asset.tensors)
        del file.header[part]
        write_asset_file(tmp_path / "x.nsh", file)
        with pytest.raises(AssetError, match=f"got no '{part}' in the header"):
            neuralshade.load(tmp_path / "x.nsh")


@pytest.mark.parametrize("name", OF_A_PIXEL)
def test_one_pixel_is_drawn_or_refused_in_a_line(small, name):
    opened = neuralshade.load(small.asset)
    if opened.shows:
        drawn = neuralshade.render(small.asset, size=(1, 1), values=small.given, trust=True)
        assert drawn.shape == (1, 1, opened.picture["channels"]) and np.isfinite(drawn).all()
        return
    for call in (neuralshade.render, neuralshade.evaluate):
        with pytest.raises(NeuralShadeError) as caught:
            call(small.asset, trust=True)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("size", [(0, 5), (5, -1), (2.5, 3), (True, 4)])
def test_no_pixels_are_refused_in_a_line(small_kinds, name, size):
    opened = neuralshade.load(small_kinds[name].asset)
    with pytest.raises(NeuralShadeError) as caught:
        opened.draw(*size)
    if opened.shows:
        assert str(caught.value) == (
            f"draw: got {size[0]} x {size[1]}, need whole numbers of pixels, 1 or more. Give width "
            "and height."
        )


# shader compiles a user's task by itself, which takes seconds
FILLED = [pytest.param(n, marks=pytest.mark.slow) if n == "shader" else n for n in FITTED]


@pytest.mark.parametrize("name", FILLED)
def test_a_result_tells_the_memory_that_info_tells(tmp_path, small, name, capsys):
    kind = kind_named(name)
    suffix = "" if kind.output_form == "DIR" else ".nsh"
    reached = kind.fit(small.subject, tmp_path / f"x{suffix}", **small.settings | {"steps": 2})
    facts = neuralshade.info(reached.asset)
    told = result_facts(reached)
    assert told["memory_bytes"] == facts["memory_bytes"] and isinstance(told["warnings"], list)
    reached.print()
    if facts["memory_bytes"] is not None:
        line = neuralshade.load(reached.asset).summary()["in a GPU"]
        assert f"in a GPU: {line.partition(' bytes')[0]} bytes" in capsys.readouterr().out


def interrupt(progress):
    """End a fit after its first look."""
    if progress.step >= 1:
        signal.raise_signal(signal.SIGINT)


# those are in mipmaps/ and shader/test_resume.py too, and take three fits to compile for
COMPILED = ("mipmaps", "shader", "splats")
RESUMED = [pytest.param(n, marks=pytest.mark.slow) if n in COMPILED else n for n in FITTED]


@pytest.mark.parametrize("name", RESUMED)
def test_resumed_equals_uninterrupted(tmp_path, small, name):
    """Bit for bit, where sums have one order; else so that nobody sees a difference."""
    kind = kind_named(name)
    fit, suffix = kind.fit, "" if kind.output_form == "DIR" else ".nsh"
    whole = fit(small.subject, tmp_path / f"whole{suffix}", **small.settings)
    parted = tmp_path / f"parted{suffix}"
    with pytest.raises(FitInterrupted):
        fit(small.subject, parted, observer=interrupt, **small.settings)
    (checkpoint,) = tmp_path.rglob("*.checkpoint.nsh")
    options = FitOptions(resume=checkpoint)
    resumed = fit(small.subject, parted, options=options, **small.settings)
    if name in UNORDERED:
        one, two = (neuralshade.render(result.asset, size=(9, 7), stretch=True, values=small.given)
                    for result in (whole, resumed))  # fmt: skip
        assert np.abs(one - two).mean() < 0.02
        return
    one, two = (neuralshade.load(result.asset).tensors for result in (whole, resumed))
    assert one.keys() == two.keys()
    for tensor, values in one.items():
        np.testing.assert_array_equal(values, two[tensor])


@pytest.mark.parametrize("name", RESUMED)
def test_a_resumed_fit_may_be_longer(tmp_path, small, name):
    """Where it has parts and had come to the last one, too: what is frozen then stays so."""
    kind, steps = kind_named(name), small.settings["steps"]
    parted = tmp_path / ("parted" if kind.output_form == "DIR" else "parted.nsh")

    def late(progress):  # others are looked at once, perhaps
        at = 0.9 * steps if name in ("splats", "textures", "material") else 1
        return progress.step >= at and signal.raise_signal(signal.SIGINT)

    with pytest.raises(FitInterrupted):
        kind.fit(small.subject, parted, observer=late, **small.settings)
    (checkpoint,) = tmp_path.rglob("*.checkpoint.nsh")
    longer = small.settings | {"steps": 2 * steps}
    reached = kind.fit(small.subject, parted, options=FitOptions(resume=checkpoint), **longer)
    facts = neuralshade.info(reached.asset)
    assert facts["training"]["steps"] == 2 * steps == facts["recipe"]["steps"]
    assert not checkpoint.exists()


@pytest.mark.parametrize("thing", [3, None, [], {"kind": "image"}])
def test_what_is_no_asset_is_refused_in_a_line(thing):
    with pytest.raises(NeuralShadeError, match="need a path or what load returned"):
        neuralshade.load(thing)
