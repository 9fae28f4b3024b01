"""kinds/mipmaps/shader: levels as textures, sampled by texture units and by words alone."""

import shutil

import numpy as np
import pytest
from fixtures.shader_runs import by_cpp, by_slang, error_of, off

import neuralshade
from neuralshade.asset.asset import Header, save_asset
from neuralshade.kinds.mipmaps.asset import CURVE_POINTS, level_tensors, stored_level
from neuralshade.languages.harness import function_of, harness
from neuralshade.languages.printers import LANGUAGES, printer_of
from neuralshade.measure.plane.mip_filters import Maps, unit
from neuralshade.verbs.export.check.checks import check_form
from neuralshade.verbs.export.check.compiled_cpp import run_cpp
from neuralshade.verbs.export.check.torch_alone import run_torch

UNITS = [name for name, one in LANGUAGES.items() if one.samples]


def noise(width, height, opacity=False):
    """Return one level of maps that differ from texel to texel."""
    rng = np.random.default_rng(width)
    normal = unit(rng.normal(0, 0.4, (height, width, 3)).astype(np.float32) + np.float32([0, 0, 1]))
    parts = rng.random((6, height, width)).astype(np.float32)
    return Maps(np.moveaxis(parts[:3], 0, -1), normal, parts[3], parts[4],
                parts[5] if opacity else None)  # fmt: skip


def flat(width, height, opacity=False):
    """Return one level of maps that are the same everywhere."""
    one = np.ones((height, width), np.float32)
    normal = one[..., None] * unit(np.float32([[[0.3, -0.2, 1]]]))
    return Maps(one[..., None] * np.float32([0.2, 0.5, 1]), normal, one * 0.3, one * 0, None)


SETS = {  # maps, width, height, address mode, levels, opacity
    "odd": (noise, 63, 17, "repeat", 6, True),
    "clamped": (noise, 32, 64, "clamp", 7, False),
    "one texel": (noise, 1, 1, "repeat", 1, False),
    "one level": (noise, 5, 3, "clamp", 1, True),
    "a row": (noise, 8, 1, "repeat", 4, False),
    "flat": (flat, 6, 4, "repeat", 3, False),
}


@pytest.fixture
def shaded(tmp_path):
    """Give a function that returns the form of a set by its name in SETS."""

    def shaded(set_name, name="rock"):
        make, width, height, wrap, count, opacity = SETS[set_name]
        sizes = [(max(1, width >> i), max(1, height >> i)) for i in range(count)]
        levels = [stored_level(make(*size, opacity)) for size in sizes]
        maps = {"name": "x", "sizes": [list(size) for size in sizes], "notes": [],
                "kept": ["box"] * (count - 1), "normal_convention": None}  # fmt: skip
        maps |= {"opacity": "means"} if opacity else {}
        training = {"steps": 1, "seconds": 0.1, "curve": []}
        header = Header({"steps": 1, "wrap": wrap}, training, {}, own={"maps": maps})
        save_asset(tmp_path / "x.nsh", "mipmaps", header, level_tensors(levels), CURVE_POINTS)
        return neuralshade.load(tmp_path / "x.nsh").shader(name)

    return shaded


@pytest.mark.parametrize("name", SETS)
def test_cpp_reads_the_same_texels_as_words(shaded, tmp_path, name):
    form = shaded(name)
    for golden, found in by_cpp(form, tmp_path, every=True):
        assert off(golden, found) <= 1, (golden.function, golden.about)


def test_golden_rows_are_what_the_levels_are(shaded, tmp_path):
    """At texels' centers: linear albedo and normals of length 1, as a lit plane reads them."""
    form = shaded("odd")
    chain = neuralshade.load(tmp_path / "x.nsh").chain
    centers = [one for one in form.golden if one.about.startswith("texel centers")]
    assert len(centers) == 5
    for golden in centers:
        name = golden.function.removeprefix("rock_")
        assert len(np.unique(golden.inputs[:, 2])) == len(chain)
        for (u, v, level), value in zip(golden.inputs, golden.outputs, strict=True):
            texels = getattr(chain[int(level)], name)
            height, width = texels.shape[:2]
            np.testing.assert_allclose(texels[int(v * height), int(u * width)], value.squeeze(),
                                       atol=2e-6)  # fmt: skip
    between = next(one for one in form.golden if one.about == "anywhere")
    assert between.inputs[:, :2].min() < -0.9 and between.inputs[:, :2].max() > 1.9
    assert between.inputs[:, 2].min() < 0 and (between.inputs[:, 2] % 1 > 0).all()


@pytest.mark.parametrize("name", ["odd", "clamped", "one texel", "flat"])
def test_texture_units_answer_alike(shaded, gpu, name):
    if gpu.api == "cuda":
        pytest.skip("textures are bound through Vulkan")
    form = shaded(name)
    for golden in form.golden:
        allowed = golden.tolerance if golden.by_units is None else golden.by_units
        assert error_of(golden, by_slang(gpu, form, golden, units=True)) <= allowed, golden.function


@pytest.mark.parametrize("language", ["wgsl", "glsl", "glsl-es"])
@pytest.mark.parametrize("units", [True, False], ids=["units", "buffer"])
def test_browsers_and_opengl_answer_alike(shaded, language, units):
    for name in ("odd", "clamped"):
        rows = check_form(shaded(name), [language], None, units)
        if all(row["right"] is None for row in rows):
            pytest.skip(rows[0]["why_not"])
        assert all(row["right"] for row in rows), list(rows)


def test_a_module_of_pytorch_alone_answers_alike(shaded):
    form = shaded("odd")
    for golden in form.golden[1:2]:
        assert off(golden, run_torch(printer_of(form, "torch"), golden).results) <= 1


@pytest.mark.parametrize("language", UNITS)
def test_a_texture_is_declared_once_and_sampled(shaded, language):
    form = shaded("odd")
    text = printer_of(form, language).text()
    assert "rock_word" not in text and text.count("rock_opacity_texture") == 2
    assert "rock_sampler" in text or language.startswith("glsl")
    exact = printer_of(form, language, units=False)
    assert exact.reads_words and "rock_opacity_texture;" not in exact.text()


def test_a_map_that_is_the_same_everywhere_takes_no_texture(shaded):
    form = shaded("flat")
    assert form.textures == () and len(printer_of(form, "cuda").words) == 0
    metallic = next(one for one in form.functions if one.name == "rock_metallic")
    assert metallic.body == ("return 0.0;",) and "the same everywhere" in metallic.about


@pytest.mark.parametrize("container", ["dds", "ktx2"])
def test_files_have_all_levels_as_they_are_stored(shaded, tmp_path, container):
    shaded("odd")
    opened = neuralshade.load(tmp_path / "x.nsh")
    result = neuralshade.export(opened, "hlsl,cuda", tmp_path / "out", textures=container)
    names = {path.rpartition("/")[2] for path in result.files}
    maps = ("albedo", "normal", "roughness", "metallic", "opacity")
    assert names == {"x.hlsl", "x.cuh", "x.bin", "x.json", "README.md",
                     *(f"x_{one}.{container}" for one in maps)}  # fmt: skip
    neuralshade.decode(opened, tmp_path / "decoded", format=container)
    for one in maps:
        ours = (tmp_path / f"out/x_{one}.{container}").read_bytes()
        assert ours == (tmp_path / f"decoded/{one}.{container}").read_bytes()
    words = (tmp_path / "out/README.md").read_text()
    assert f"`x_albedo_texture` (t1) of `x_albedo.{container}`" in words
    assert "address mode repeat" in words


def test_cpp_reads_many_texels_from_a_file(shaded, tmp_path, monkeypatch):
    if not shutil.which("g++"):
        pytest.skip("no C++ compiler")
    from neuralshade.languages import cpp

    monkeypatch.setattr(cpp, "MOST_LISTED", 100)
    form = shaded("odd")
    printer = printer_of(form, "cpp")
    assert printer.reads_file and "_words[]" not in printer.text()
    assert "with a pointer to all of `x.bin`" in printer.binding_text("x", "x.bin", "dds")
    for golden in form.golden[:1]:
        program = harness(printer, function_of(form, golden))
        assert off(golden, run_cpp(printer, program, golden).results) <= 1
    result = neuralshade.export(tmp_path / "x.nsh", "cpp", tmp_path / "out")
    assert any(path.endswith("x.bin") for path in result.files)
