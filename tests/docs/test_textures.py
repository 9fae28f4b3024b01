"""docs/textures-decode.md: what it types and runs works."""

import pathlib
import re
import shutil

import pytest

from neuralshade.cli.main import main

PAGE = (pathlib.Path(__file__).parents[2] / "docs/textures-decode.md").read_text()
SECTIONS = ("Decode to files", "In a shader")


def fences(title, language):
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)


@pytest.fixture
def folder(tmp_path, monkeypatch, fitted_set):
    """Be in a folder with the page's asset."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(fitted_set.asset, "bricks.nsh")
    return tmp_path


def test_commands_run(folder):
    lines = "".join(fences("Decode to files", "sh")).splitlines()
    assert len(lines) == 3
    for line in lines:
        words = line.split()
        assert words.pop(0) == "neuralshade"
        main(words)
    made = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    assert {"bricks/albedo.dds", "bricks_png/normal_2.png", "corner/metallic.ktx2"} <= made


def test_python_runs(folder, capsys):
    for title in SECTIONS:
        for text in fences(title, "python"):
            exec(text, {})
    assert capsys.readouterr().out == "torch.Size([1000, 3]) torch.Size([1000, 3])\n"


def test_latents_that_are_textures(tmp_path, monkeypatch, block_set):
    """Its asset is decoded and exported as typed."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(block_set.asset, "bricks_bc1.nsh")
    title = "Latents that are BC1 textures"
    typed = "".join(fences(title, "sh")).splitlines()
    for line in typed:
        words = line.partition(" #")[0].split()
        if words[1] == "decode":
            main(words[1:])
    assert len(typed) == 3 and (tmp_path / "bricks_bc1/decoder.json").exists()
    exported = re.search(r"`neuralshade (export bricks_bc1[^`]*)`", PAGE)[1]
    main(exported.split())
    text = (tmp_path / "bricks.hlsl").read_text()
    assert "bricks_filtered(float2 uv, float level)" in text


def test_functions_of_the_page_are_those_of_an_export(folder):
    command = re.search(r"`neuralshade (export bricks.nsh[^`]*)`", PAGE)[1]
    main(command.split())
    text = (folder / "bricks_shader/bricks.hlsl").read_text()
    for name in ("bricks_albedo_at(float2 uv, float level)", "bricks_normal_at(", "bricks_texel(",
                 "bricks_bilinear(", "bricks_stochastic(", "bricks_albedo("):  # fmt: skip
        assert name in text
