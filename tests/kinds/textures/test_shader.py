"""kinds/textures/shader: fitted sets as functions, run in C++ and on Vulkan in software."""

import dataclasses
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fixtures.shader_runs import by_cpp, by_slang, off
from fixtures.texture_assets import material_set
from fixtures.texture_sets import material_map, small_set, unit_normals, waves

import neuralshade
from neuralshade import FitOptions
from neuralshade.kinds.textures.fit import fit_textures
from neuralshade.kinds.textures.shader_maps import map_names
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.source.material_set import MaterialSet
from neuralshade.verbs.export.check.checks import check_form
from neuralshade.verbs.export.check.torch_alone import run_torch

LONGEST = 220  # lines that are neither blank nor a brace
LONGEST_OF_SCALARS = 500  # of a language without vectors, so that a line becomes several
FEW = {"steps": 30, "batch": 256, "precision": "float32"}


def odd_names():
    """Return a set of every meaning and range, some of whose names are those of functions."""
    size = (20, 27)
    mask = (waves(*size, 1, 6) > 0.5).astype(np.float32)
    mask[3, 4:9] = 0.4
    return MaterialSet("odd", (
        material_map("texel", waves(*size, 3, 1), meaning="srgb"),
        material_map("base color", waves(*size, 3, 2), meaning="srgb"),
        material_map("base_color", unit_normals(*size), meaning="normal"),
        material_map("H\xf6he", waves(*size, 1, 3) * 9 - 4),
        material_map("opacity", mask),
        material_map("level0", waves(*size, 2, 4), meaning="linear"),
        material_map("\u6cd5", waves(*size, 3, 5) * 80, meaning="linear", bits=32),
    ))  # fmt: skip


def one_texel():
    """Return a set of one texel, so that all maps are the same everywhere."""
    return small_set(1, 1)


SETS = {
    "usual": (material_set, {"bpp": 5}),
    "clamped": (material_set, {"wrap": "clamp", "grids": "2:7:3,4:5:5,8:3:7"}),
    "odd": (odd_names, {"grids": "1:16:1,3:2:8,64:1:6", "hidden_layers": 1}),
    "odd and clamped": (odd_names, {"wrap": "clamp", "grids": "1:1:8,2:3:2,5:9:4"}),
    "one texel": (one_texel, {}),
    "few levels": (lambda: small_set(48, 12), {"mips": 2, "network_bits": 8}),
    "one level": (lambda: small_set(9, 31), {"mips": 1, "hidden_layers": 4}),
    "blocks": (lambda: small_set(24, 40), {"latents": "bc1", "grids": "1:1,4:3"}),
    "clamped blocks": (odd_names, {"latents": "bc1", "wrap": "clamp", "grids": "2:2,8:1"}),
}


@pytest.fixture
def shaded(fitted, tmp_path):
    """Give a function that returns the form of a set by its name in SETS."""

    def shaded(name, **settings):
        make, own = SETS[name]
        fitted(make(), **own | settings)
        return neuralshade.load(tmp_path / "x.nsh").shader("rock")

    return shaded


@pytest.mark.parametrize("name", SETS)
def test_cpp_answers_as_pytorch_does(shaded, tmp_path, name):
    form = shaded(name)
    found = by_cpp(form, tmp_path)
    for golden in form.golden:
        assert off(golden, found[golden.function]) <= 1, golden.function
    taking_numbers = {f.name for f in form.public if f.parameters[0].type != "rock_channels"}
    assert set(found) == taking_numbers


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("name, function", [
    ("clamped", "rock_stochastic"), ("odd", "rock_texel"),
    ("clamped blocks", "rock_filtered"),
])  # fmt: skip
def test_slang_answers_as_pytorch_does(shaded, gpu, name, function, in_text):
    form = shaded(name, hidden_layers=1)
    golden = next(one for one in form.golden if one.function == function)
    assert off(golden, by_slang(gpu, form, golden, in_text)) <= 1


@pytest.mark.parametrize("language", ["slang", "wgsl", "glsl", "glsl-es"])
@pytest.mark.parametrize("name", ["blocks", "clamped blocks"])
def test_texture_units_filter_blocks_nearly_so(shaded, gpu, name, language):
    """They decode and mix in 8 bits: as near as latents moved by 2 of 255 would be."""
    form = shaded(name, hidden_layers=1)
    assert {one.format for one in form.textures} == {"bc1"}
    chosen = ("rock_filtered", "rock_area", "rock_texel")
    form = dataclasses.replace(form, make_golden=lambda golden=form.golden: [
        one for one in golden if one.function in chosen])  # fmt: skip
    rows = check_form(form, [language], None)
    if all(row["right"] is None for row in rows):
        pytest.skip(rows[0]["why_not"])
    assert len(rows) == 3 and all(row["right"] for row in rows), list(rows)
    assert all(row["error"] > 2e-6 and 1e-3 < row["allowed"] < 0.2 for row in rows)


def test_blocks_are_files_as_decode_writes_them(shaded, tmp_path):
    shaded("blocks")
    result = neuralshade.export(tmp_path / "x.nsh", "hlsl,cpp", tmp_path / "out", name="rock")
    neuralshade.decode(tmp_path / "x.nsh", tmp_path / "decoded", latents=True)
    own = [path for path in result.files if path.endswith(".dds")]
    assert len(own) == 4
    for index, path in enumerate(own):
        assert path.endswith(f"rock_latents_{index}.dds")
        assert Path(path).read_bytes() == (tmp_path / f"decoded/latents_{index}.dds").read_bytes()
    assert not any(path.endswith(".bin") for path in result.files)


@pytest.mark.parametrize("name, function", [
    ("odd", "rock_base_color_map_at"), ("clamped blocks", "rock_filtered"),
])  # fmt: skip
def test_a_module_of_pytorch_alone_answers_alike(shaded, name, function):
    form = shaded(name)
    golden = next(one for one in form.golden if one.function == function)
    assert off(golden, run_torch(printer_of(form, "torch"), golden).results) <= 1


def test_golden_rows_lie_beyond_borders_and_between_levels(shaded):
    golden = {one.function: one for one in shaded("odd").golden}
    at = golden["rock_bilinear"]
    assert at.inputs.shape == (256, 3) and at.inputs[:, :2].min() < -0.5
    assert at.inputs[:, :2].max() > 1.5 and at.inputs[:, 2].min() < 0
    assert (at.inputs[:, 2] % 1 > 0).mean() > 0.3
    assert golden["rock_texel"].inputs.min() < 0
    assert all(np.isfinite(one.outputs).all() for one in golden.values())
    assert golden["rock_H_he_at"].outputs.min() < -0.5  # its range is -4 to 5
    normals = golden["rock_base_color_map_at"].outputs
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)


def test_maps_are_named_apart_from_functions_and_one_another(shaded):
    names = [one.name for one in shaded("odd").public]
    assert len(set(names)) == len(names)
    for own in ("texel_map", "base_color", "base_color_map", "H_he", "opacity", "level0_map",
                "map"):  # fmt: skip
        assert f"rock_{own}" in names and f"rock_{own}_at" in names


def test_a_map_may_be_called_as_another_s_filtered_function():
    codings = [SimpleNamespace(name=name) for name in ("ao", "ao_at", "ao at")]
    assert map_names(codings, ()) == ["ao", "ao_at_map", "ao_at_map3"]
    assert map_names(codings[1::-1], ()) == ["ao_at", "ao_map"]


@pytest.fixture(scope="module")
def usual_form(tmp_path_factory):
    """Give the form of a set whose decoder has as many neurons as most have."""
    path = tmp_path_factory.mktemp("usual") / "x.nsh"
    fit_textures(material_set(), path, bpp=5, **FEW | {"hidden_width": 64},
                 options=FitOptions(engine="torch", device="cpu"))  # fmt: skip
    return neuralshade.load(path).shader("rock")


@pytest.mark.parametrize("in_text", [True, False], ids=["text", "buffer"])
@pytest.mark.parametrize("language", [one for one in LANGUAGES if "spirv" not in one])
def test_a_text_can_be_read(usual_form, language, in_text):
    if language == "spirv":
        pytest.skip("its file is no text")
    text = printer_of(usual_form, language, in_text).text()
    helped = {"cpp": "#endif", "cuda": "#endif", "torch": "class "}.get(language)
    own = text[text.rindex(helped) :] if helped else text
    lines = [line.strip() for line in own.splitlines()]
    shown = [line for line in lines if re.search(r"[a-z]{2}|//", line)
             and not line.startswith("using ")]  # fmt: skip
    longest = LONGEST_OF_SCALARS if language == "js" else LONGEST
    assert len(shown) <= longest and text.isascii()
    assert "__" not in re.sub("__(?:device|init|file)__", "", own) and "_S1" not in own
    assert "emissive linear light" in text and "sRGB-encoded" in text


def test_a_map_that_is_the_same_everywhere_is_a_function_too(usual_form):
    golden = next(one for one in usual_form.golden if one.function == "rock_metallic_at")
    assert (golden.outputs == np.float32(0.2)).all()


def test_a_level_is_that_of_the_longer_side_of_a_footprint(usual_form):
    golden = next(one for one in usual_form.golden if one.function == "rock_level")
    sides = np.linalg.norm(golden.inputs.reshape(-1, 2, 2) * (24, 16), axis=2).max(1)
    np.testing.assert_allclose(golden.outputs[:, 0], np.log2(sides.clip(1)), atol=1e-5)
    assert (golden.outputs == 0).any() and golden.outputs.max() > 3
