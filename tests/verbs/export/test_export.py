"""neuralshade export: files whole or not at all, names, targets, and what is checked."""

import dataclasses
import json

import numpy as np
import pytest

import neuralshade
from neuralshade.errors import AssetError, ConfigError, DeviceError, OutputError
from neuralshade.gpu import slang_com
from neuralshade.kinds.image import KIND
from neuralshade.kinds.image.opened import OpenedImage
from neuralshade.languages.printers import LANGUAGES
from neuralshade.languages.spirv import Spirv
from neuralshade.model.shader_form import Function, ShaderForm
from neuralshade.verbs.export import export as module
from neuralshade.verbs.export.names import RESERVED, asset_name, check_name


def test_every_language_has_its_file_and_one_buffer(asset_path, tmp_path):
    result = neuralshade.export(asset_path, list(LANGUAGES), tmp_path / "out", name="photo")
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    suffixes = [one.suffix for one in LANGUAGES.values()]
    assert names == sorted([*(f"photo{s}" for s in suffixes), "photo.bin", "photo.json",
                            "photo.js.bin", "photo.safetensors", "photo.coopvec.bin",
                            "README.md"])  # fmt: skip
    assert sorted(result.files) == sorted(str(tmp_path / "out" / name) for name in names)
    assert result.functions == ("photo", "photo_area") and result.checks is None
    words = np.fromfile(tmp_path / "out/photo.bin", "<u4")
    facts = json.loads((tmp_path / "out/photo.json").read_text())
    assert facts["numbers"]["count"] == len(words) > 0
    (golden,) = facts["golden"]
    found = neuralshade.load(asset_path).at(np.array(golden["inputs"], np.float32))
    assert np.abs(found - np.array(golden["outputs"])).max() < 1e-6
    assert "binding 0" in (tmp_path / "out/README.md").read_text()


def test_a_suffix_says_the_language(asset_path, tmp_path):
    for name, one in LANGUAGES.items():
        file = tmp_path / f"bark{one.suffix}"
        result = neuralshade.export(asset_path, output=file)
        assert result.files[0] == str(file), name
        assert not (tmp_path / "README.md").exists()
    with pytest.raises(ConfigError, match="need wgsl alone"):
        neuralshade.export(asset_path, "hlsl", tmp_path / "bark.wgsl")


def test_the_usual_folder_is_named_after_the_asset(asset_path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = neuralshade.export(asset_path, "wgsl,hlsl")
    assert result.files[0] == "a_shader/a.wgsl" and result.files[1] == "a_shader/a.hlsl"


def test_others_files_stay_and_ours_are_replaced(asset_path, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    (folder / "a.wgsl").write_text("old")
    neuralshade.export(asset_path, "wgsl", folder)
    assert (folder / "mine.txt").read_text() == "mine"
    assert (folder / "a.wgsl").read_text() != "old"


def test_what_fails_leaves_nothing(asset_path, tmp_path, monkeypatch):
    whole, written = module.whole_file, []

    def failing(path):
        written.append(path)
        if len(written) == 3:
            raise OutputError("full")
        return whole(path)

    monkeypatch.setattr(module, "whole_file", failing)
    with pytest.raises(OutputError):
        neuralshade.export(asset_path, "wgsl", tmp_path / "out")
    assert len(written) == 3 and not (tmp_path / "out").exists()


def test_the_asset_is_not_written_over(tmp_path, asset_path, refusal):
    folder = tmp_path / "out"
    folder.mkdir()
    asset = folder / "a.bin"
    asset.write_bytes(asset_path.read_bytes())
    before = asset.read_bytes()
    refusal(OutputError, neuralshade.export, asset, "wgsl", folder)
    assert asset.read_bytes() == before


@pytest.mark.parametrize(
    "to, words",
    [("wgls", "Did you mean wgsl?"), ("", "got no language"), (None, "-o NAME.hlsl"),
     (["hlsl", "maya"], "'maya'")],
)  # fmt: skip
def test_unknown_languages_are_refused(asset_path, refusal, to, words):
    assert words in refusal(ConfigError, neuralshade.export, asset_path, to)


@pytest.mark.parametrize("name", ["", "1a", "a__b", "a b", "float", "Sample", "gl_a", "rows", "i",
                                  "a" * 49, 7])  # fmt: skip
def test_names_that_no_language_takes_are_refused(asset_path, refusal, name):
    assert refusal(ConfigError, neuralshade.export, asset_path, "wgsl", name=name).startswith(
        "name: got"
    )


def test_every_file_gives_a_name(tmp_path):
    for stem in (
        "bark-2k",
        "2k",
        "---",
        "float",
        "Sample",
        "a__b",
        "gl_x",
        "x" * 300,
        "\u00fcn\u00efcode",
    ):
        check_name(asset_name(stem))
    assert asset_name("bark-2k") == "bark_2k" and "sampler" in RESERVED


def test_an_asset_of_no_positions_is_refused(refusal, tmp_path, asset_path, monkeypatch):
    monkeypatch.setattr(OpenedImage, "kind", dataclasses.replace(KIND, shaders=None))
    said = refusal(AssetError, neuralshade.export, asset_path, "wgsl", tmp_path / "out")
    assert "which is no function that a shader calls" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.slangpy
def test_checks_say_what_ran(asset_path, tmp_path, capsys):
    result = neuralshade.export(asset_path, "slang,metal", tmp_path / "out", check=True)
    rows = {row["target"]: row for row in result.checks}
    assert rows["slang"]["right"] and rows["slang"]["error"] <= rows["slang"]["allowed"]
    assert rows["metal"]["right"] is None and "Apple" in rows["metal"]["why_not"]
    assert result.right
    result.print()
    assert "yes" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["wgsl", "glsl", "glsl-es", "hlsl", "spirv"])
@pytest.mark.parametrize("numbers", ["text", "buffer"])
def test_browsers_opengl_and_dxc_answer_too(asset_path, tmp_path, language, numbers):
    (row,) = neuralshade.export(asset_path, language, tmp_path / "out", numbers=numbers,
                                check=True).checks  # fmt: skip
    if row["right"] is None:
        pytest.skip(row["why_not"])
    assert row["right"], row


def test_spirv_needs_slang_s_compiler(asset_path, tmp_path, refusal, monkeypatch):
    monkeypatch.setattr(slang_com.QUEUE, "kept", [])
    monkeypatch.setattr(slang_com, "library", slang_com.library.__wrapped__)
    monkeypatch.setattr(slang_com.importlib.util, "find_spec", lambda name: None)
    said = refusal(DeviceError, neuralshade.export, asset_path, "spirv", tmp_path / "out")
    assert "no slangpy" in said and "pip install" in said
    assert not (tmp_path / "out").exists()


def test_pytorch_needs_no_neuralshade(asset_path, tmp_path):
    (row,) = neuralshade.export(asset_path, "torch", tmp_path / "out", check=True).checks
    assert row["right"] and row["ran_on"] == "PyTorch, one thread"


@pytest.mark.slangpy
def test_a_wrong_number_is_found(asset_path, tmp_path, monkeypatch):
    from neuralshade.languages import network

    monkeypatch.setattr(network, "vector", lambda values, *half, made=network.vector: made(
        [float(x) * 1.001 for x in values], *half))  # fmt: skip
    result = neuralshade.export(asset_path, "slang", tmp_path / "out", check=True)
    assert not result.right and result.checks[0]["error"] > result.checks[0]["allowed"]


def test_no_name_of_a_file_becomes_code(asset_path, tmp_path):
    """A comment ends with one of many letters in one language or another, and C joins lines."""
    bad = tmp_path / "a\n#error b\u2028#error c\x85#error d\\.nsh"
    bad.write_bytes(asset_path.read_bytes())
    neuralshade.export(bad, list(LANGUAGES), tmp_path / "out", name="photo")
    for one in LANGUAGES.values():
        if issubclass(one, Spirv):  # which has no comments
            continue
        text = (tmp_path / f"out/photo{one.suffix}").read_text()
        lines = [line for line in text.splitlines() if "#error" in line]
        assert len(lines) == 1 and lines[0][2:].lstrip().startswith(
            "asset: a?#error b?#error c?#error d/"
        )


@pytest.mark.parametrize("name", ["a(b", "a\n", "", "1a", "a-b", "a b"])
def test_no_part_of_an_asset_names_code(name):
    function = Function("float", name, (), ("return 1.0;",), public=True)
    with pytest.raises(AssetError, match="need letters, digits and _ alone"):
        ShaderForm("photo", (), (), (function,), np.zeros(0, np.uint32), list)


def test_cooperative_vectors_are_a_second_file(asset_path, tmp_path):
    folder = tmp_path / "out"
    result = neuralshade.export(asset_path, "slang", folder, name="photo", matrix="coopvec")
    names = {path.name for path in folder.iterdir()}
    assert {"photo.slang", "photo.coopvec.slang", "photo.coopvec.bin"} <= names
    assert len(result.files) == len(names)
    facts = json.loads((folder / "photo.json").read_text())
    assert facts["files"]["slang-coopvec"]["numbers"] == "photo.coopvec.bin"
    assert facts["golden"][0]["tolerance_in_halves"] > facts["golden"][0]["tolerance"]
    assert "photo.coopvec.bin" in (folder / "README.md").read_text()


def test_languages_without_cooperative_vectors_are_refused(asset_path, tmp_path):
    with pytest.raises(ConfigError, match=r"matrix: got coopvec and wgsl, need slang"):
        neuralshade.export(asset_path, "wgsl", tmp_path / "out", matrix="coopvec")
    with pytest.raises(ConfigError, match=r"matrix: .*coopvec.*Did you mean|matrix: got 'copvec'"):
        neuralshade.export(asset_path, "slang", tmp_path / "out", matrix="copvec")
    assert not (tmp_path / "out").exists()
